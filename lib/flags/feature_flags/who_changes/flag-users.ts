import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import type { FlagUser } from "./consequences.ts";

type Changed = { stored: Flag | null; dependents: readonly Flag[] };

/** The experiments and surveys that run on each of some flags, or on a flag that depends on it. */
export async function usersOf(context: MemberContext, changes: readonly Changed[]): Promise<FlagUser[][]> {
  const ids = changes.flatMap(({ stored, dependents }) =>
    [stored, ...dependents].flatMap((f) => f?.id ?? []),
  );
  const users = await context.runtime.flagUsers(context, [...new Set(ids)]);
  const on = (flag: Flag, via: FlagUser["via"]) =>
    users.flatMap(({ flag_id, ...user }) => (flag_id === flag.id ? [{ ...user, via }] : []));
  return changes.map(({ stored, dependents }) => [
    ...(stored ? on(stored, null) : []),
    ...dependents.flatMap((flag) => on(flag, { id: flag.id, key: flag.key })),
  ]);
}
