import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { FlagFilters, Subject } from "#lib/engines/evaluation/values/types.ts";
import type { Json } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { dependenciesOf } from "#lib/flags/feature_flags/filters/filters.ts";
import { countPersonsBy, scanGroups, scanPersons } from "#lib/people/persons/scan.ts";
import type { Db } from "#lib/platform/db/connect.ts";

import { compileWith } from "./definitions.ts";

/** Stands for the condition set being evaluated; no stored flag can have this key. */
const ASKED = "?";

/** One flag, compiled with what it may refer to: other flags only where it depends on some. */
async function compileAlone(context: MemberContext, asked: { key: string; filters: Json }) {
  const snapshot = await context.runtime.definitions.project(context.project.id);
  const { flags, group_types } = snapshot;
  const others =
    dependenciesOf(asked.filters).length > 0 ? flags.live.filter((f) => f.key !== asked.key) : [];
  const compiled = compileWith(snapshot, [
    ...others,
    { key: asked.key, active: true, filters: asked.filters as FlagFilters },
  ]);
  return {
    static_cohort_ids: compiled.by_key.get(asked.key)?.needs.static_cohort_ids ?? [],
    /** Names of the properties that decide; null where who somebody is decides too. */
    decided_by:
      others.length > 0 || compiled.needs.person_properties.includes("distinct_id")
        ? null
        : compiled.needs.person_properties,
    group_types: group_types.mapping,
    matches: (subject: Subject) => evaluateFlag(compiled, asked.key, subject)?.value !== false,
  };
}

/** Sets match at 100% here, so that people with the same values are evaluated once. */
async function countPersons(context: MemberContext, filters: Json) {
  const { matches, static_cohort_ids, decided_by } = await compileAlone(context, { key: ASKED, filters });
  const now = context.now.getTime();
  const found = { users_affected: 0, total_users: 0 };
  const add = (people: number, subject: Subject) => {
    found.total_users += people;
    if (matches(subject)) found.users_affected += people;
  };
  if (decided_by && static_cohort_ids.length === 0) {
    for await (const alike of countPersonsBy(context.db, context.project.id, decided_by))
      for (const { people, properties } of alike)
        add(people, { distinct_id: "", person_properties: properties, now });
    return found;
  }
  for await (const people of scanPersons(context.db, context.project.id, { cohort_ids: static_cohort_ids }))
    for (const { distinct_id, properties, static_cohorts } of people)
      add(1, { distinct_id, person_properties: properties, static_cohorts, now });
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
  for await (const people of scanPersons(tx, context.project.id, { cohort_ids: static_cohort_ids }))
    for (const { id, distinct_id, properties, static_cohorts } of people)
      if (matches({ distinct_id, person_properties: properties, static_cohorts, now })) yield id;
}
