import type { MemberContext } from "#lib/flags/context.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import type { flagContract } from "./contract.ts";
import { dependenciesOf } from "./filters/filters.ts";
import { filterFlags } from "./list.ts";
import { flagOf } from "./service.ts";

type Of<Name extends keyof typeof flagContract> = Input<(typeof flagContract)[Name]>;

const ALL = { limit: 0, offset: 0 };

async function listed({ runtime, project, now }: MemberContext) {
  return filterFlags((await runtime.flags.project(project.id)).live, ALL, now);
}

/** How often each value occurs. */
function countEach<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);

export async function facets(context: MemberContext) {
  const flags = await listed(context);
  const { users } = await context.runtime.directory.current();
  const creators = [...countEach(flags.map((flag) => flag.created_by_id))].flatMap(([id, count]) => {
    const user = id === null ? undefined : users.get(id);
    return user ? [{ id: user.id, name: user.first_name || user.email, email: user.email, count }] : [];
  });
  const tags = [...countEach(flags.flatMap((flag) => flag.tags))].map(([name, count]) => ({ name, count }));
  return { tags: tags.sort(byName), creators: creators.sort(byName) };
}

export async function dependents(context: MemberContext, { params }: Of<"dependents">) {
  const flag = await flagOf(context, params.id);
  const flags = await listed(context);
  return flags
    .filter((other) => other.id !== flag.id && dependenciesOf(other.filters).includes(flag.id))
    .map(({ id, key, active }) => ({ id, key, active }));
}
