import type { Json } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import { FLAG_FIELDS } from "#lib/flags/feature_flags/schema.ts";
import { flagOf } from "#lib/flags/feature_flags/service.ts";
import type { ProjectCohorts } from "#lib/people/cohorts/cache.ts";
import { cohortsWithin } from "#lib/people/cohorts/filters.ts";
import { withGroups } from "#lib/people/conditions/filters-schema.ts";
import { pickFields } from "#lib/platform/fields-schema.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { findReferences } from "./references.ts";
import { TRANSFERRED_MAX, type transferContract } from "./transfer-contract.ts";

type Of<Name extends keyof typeof transferContract> = Input<(typeof transferContract)[Name]>;

const namedBy = <T>(ids: readonly string[], nameOf: (id: string) => T | undefined) =>
  Object.fromEntries(
    [...new Set(ids)].flatMap((id) => {
      const name = nameOf(id);
      return name === undefined ? [] : [[id, name] as const];
    }),
  );

/** Ids of cohorts, with those of the cohorts that they are made of. */
function withNested(ids: readonly string[], cohorts: ProjectCohorts["byId"]): string[] {
  const found = new Set<string>();
  const add = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const nested of cohortsWithin(cohorts.get(Number(id))?.filters ?? {})) add(String(nested));
  };
  ids.forEach(add);
  return [...found];
}

async function chosenFlags(context: MemberContext, ids: string | undefined): Promise<readonly Flag[]> {
  if (ids !== undefined)
    return Promise.all([...new Set(ids.split(",").map(Number))].map((id) => flagOf(context, id)));
  const { live } = await context.runtime.flags.project(context.project.id);
  const listed = live.filter(({ targets_survey }) => !targets_survey);
  if (listed.length > TRANSFERRED_MAX)
    throw invalid(`There are ${listed.length} flags. Name the ids of at most ${TRANSFERRED_MAX}.`, "ids");
  return listed;
}

/** Names and definitions of what filters of a project refer to, by the ids that they have there. */
export async function describeReferences(
  { runtime, project }: Pick<MemberContext, "runtime" | "project">,
  filters: readonly Json[],
) {
  const [cohorts, all, { group_types }] = await Promise.all([
    runtime.cohorts.project(project.id),
    runtime.flags.project(project.id),
    runtime.definitions.project(project.id),
  ]);
  const references = filters.map(findReferences);
  const used = withNested(
    references.flatMap((each) => each.cohorts),
    cohorts.byId,
  );
  return {
    cohorts: namedBy(used, (id) => cohorts.byId.get(Number(id))?.name),
    cohort_definitions: namedBy(used, (id) => {
      const cohort = cohorts.byId.get(Number(id));
      return cohort && !cohort.is_static
        ? { description: cohort.description, filters: cohort.filters }
        : undefined;
    }),
    flags_by_id: namedBy(
      references.flatMap((each) => each.flags),
      (id) => all.byId.get(Number(id))?.key,
    ),
    group_types: namedBy(
      references.flatMap((each) => each.group_types),
      (id) => group_types.mapping[id],
    ),
  };
}

async function exportFlags(context: MemberContext, { query }: Of<"export">) {
  const found = await chosenFlags(context, query.ids);
  const readable = found.filter(({ unreadable_fields }) => unreadable_fields.length === 0);
  const flags = readable.map((flag) => ({
    ...pickFields(FLAG_FIELDS, "restorable", flag),
    filters: withGroups(flag.has_encrypted_payloads ? redactFilters(flag.filters) : flag.filters),
  }));
  return {
    flags,
    ...(await describeReferences(
      context,
      flags.map(({ filters }) => filters),
    )),
    left_out: found.filter((flag) => !readable.includes(flag)).map(({ key }) => key),
  };
}

export { exportFlags as export };
