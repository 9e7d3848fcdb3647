import type { Db } from "#lib/db/connect.ts";
import { compileFlags } from "#lib/evaluation/compile.ts";
import { evaluateFlag } from "#lib/evaluation/evaluate.ts";
import type { CohortTree, FlagDefinition, FlagFilters, Subject } from "#lib/evaluation/types.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { scanGroups, scanPersons } from "#lib/persons/scan.ts";
import { dependenciesOf } from "./filters.ts";

type Json = Record<string, unknown>;

/** Stands for the condition set that is asked about; no stored flag can have this key. */
const ASKED = "?";

/** One flag, compiled with what it may refer to: other flags only where it depends on some. */
async function compileAlone(context: MemberContext, asked: { key: string; filters: Json }) {
  const { flags, cohorts, group_types } = await context.runtime.definitions.project(context.project.id);
  const others =
    dependenciesOf(asked.filters).length > 0 ? flags.live.filter((f) => f.key !== asked.key) : [];
  const compiled = compileFlags({
    flags: [
      ...(others as unknown as FlagDefinition[]),
      { key: asked.key, active: true, filters: asked.filters as FlagFilters },
    ],
    cohorts: [...cohorts.byId.values()].map(({ id, is_static, filters }) => ({
      id,
      is_static,
      properties: (filters.properties ?? null) as CohortTree | null,
    })),
    group_type_mapping: group_types.mapping,
  });
  return {
    static_cohort_ids: compiled.needs.static_cohort_ids,
    group_types: group_types.mapping,
    matches: (subject: Subject) => evaluateFlag(compiled, asked.key, subject)?.value !== false,
  };
}

async function countPersons(context: MemberContext, filters: Json) {
  const { matches, static_cohort_ids } = await compileAlone(context, { key: ASKED, filters });
  const now = context.now.getTime();
  const found = { users_affected: 0, total_users: 0 };
  for await (const people of scanPersons(context.db, context.project.id, static_cohort_ids)) {
    found.total_users += people.length;
    for (const { distinct_id, properties, static_cohorts } of people)
      if (matches({ distinct_id, person_properties: properties, static_cohorts, now }))
        found.users_affected += 1;
  }
  return found;
}

async function countGroups(context: MemberContext, filters: Json, index: number) {
  const { matches, group_types } = await compileAlone(context, { key: ASKED, filters });
  const type = group_types[String(index)];
  const now = context.now.getTime();
  const found = { users_affected: 0, total_users: 0 };
  if (type === undefined) return found;
  for await (const some of scanGroups(context.db, context.project.id, index)) {
    found.total_users += some.length;
    for (const { key, properties } of some) {
      const subject = {
        distinct_id: "",
        groups: { [type]: key },
        group_properties: { [type]: properties },
        now,
      };
      if (matches(subject)) found.users_affected += 1;
    }
  }
  return found;
}

/** How many stored persons (or groups of a type) a condition set matches, and how many there are. */
export function matchingTotals(context: MemberContext, condition: Json, groupTypeIndex: number | null) {
  const filters = { groups: [condition], aggregation_group_type_index: groupTypeIndex };
  return groupTypeIndex === null
    ? countPersons(context, filters)
    : countGroups(context, filters, groupTypeIndex);
}

/** Ids of the stored persons to whom a flag is not false; nobody while it is disabled. */
export async function* matchingPersons(
  context: MemberContext,
  tx: Db,
  flag: { key: string; active: boolean; filters: Json },
): AsyncGenerator<number> {
  if (!flag.active) return;
  const { matches, static_cohort_ids } = await compileAlone(context, flag);
  const now = context.now.getTime();
  for await (const people of scanPersons(tx, context.project.id, static_cohort_ids))
    for (const { id, distinct_id, properties, static_cohorts } of people)
      if (matches({ distinct_id, person_properties: properties, static_cohorts, now })) yield id;
}
