import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { FlagFilters, Properties, Subject } from "#lib/engines/evaluation/values/types.ts";
import type { Json } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { dependenciesOf } from "#lib/flags/feature_flags/filters/filters.ts";
import { countPersons, type ScannedPerson, scanGroups, scanPersons } from "#lib/people/persons/scan.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { REMEMBERED_MAX } from "#lib/platform/db/packed.ts";
import { createSlices } from "#lib/platform/http/body/slices.ts";
import type { Progress } from "#lib/platform/progress.ts";
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
  const needs = compiled.by_key.get(asked.key)?.needs;
  const properties = needs?.person_properties ?? [];
  return {
    static_cohort_ids: needs?.static_cohort_ids ?? [],
    properties,
    /** Whether properties alone decide, and not who somebody is. */
    decided_by_values: others.length === 0 && !properties.includes("distinct_id"),
    group_types: group_types.mapping,
    matches: (subject: Subject) => evaluateFlag(compiled, asked.key, subject)?.value !== false,
  };
}

type Totals = { users_affected: number; total_users: number };

/** Sets match at 100% here, so that people with the same values are evaluated once. */
async function* countMatching(context: MemberContext, filters: Json): AsyncGenerator<Progress<Totals>> {
  const { matches, ...needs } = await compileAlone(context, { key: ASKED, filters });
  const { db, project } = context;
  const now = context.now.getTime();
  const found: Totals = { users_affected: 0, total_users: 0 };
  const answer = () => ({ ...found });
  const pause = createSlices();
  const isAlike = needs.decided_by_values && needs.static_cohort_ids.length === 0;
  const known = new Map<Properties, boolean>();
  const isMatch = ({ distinct_id, properties, static_cohorts }: ScannedPerson): boolean => {
    const before = isAlike ? known.get(properties) : undefined;
    if (before !== undefined) return before;
    const verdict = matches({ distinct_id, person_properties: properties, static_cohorts, now });
    if (isAlike && known.size < REMEMBERED_MAX) known.set(properties, verdict);
    return verdict;
  };
  const of = await countPersons(db, project.id);
  const wanted = {
    properties: needs.properties,
    cohort_ids: needs.static_cohort_ids,
    distinct_ids: !needs.decided_by_values,
  };
  for await (const people of scanPersons(db, project.id, wanted)) {
    for (const person of people) {
      if (isMatch(person)) found.users_affected += 1;
      found.total_users += 1;
      const others = pause();
      if (!others) continue;
      await others;
      yield { seen: found.total_users, of, answer };
    }
    yield { seen: found.total_users, of, answer };
  }
  yield { seen: found.total_users, of, answer };
}

async function* countGroups(
  context: MemberContext,
  filters: Json,
  index: number,
): AsyncGenerator<Progress<Totals>> {
  const { matches, group_types } = await compileAlone(context, { key: ASKED, filters });
  const type = group_types[String(index)];
  const now = context.now.getTime();
  const found: Totals = { users_affected: 0, total_users: 0 };
  const answer = () => ({ ...found });
  yield { seen: 0, of: null, answer };
  if (type === undefined) return;
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
    yield { seen: found.total_users, of: null, answer };
  }
}

/** Counts the stored persons (or groups of a type) whom a condition set matches, and how many there are. */
export function matchingTotals(
  context: MemberContext,
  condition: Json,
  groupTypeIndex: number | null,
): AsyncGenerator<Progress<Totals>> {
  const filters = { groups: [condition], aggregation_group_type_index: groupTypeIndex };
  return groupTypeIndex === null
    ? countMatching(context, filters)
    : countGroups(context, filters, groupTypeIndex);
}

/** Ids of the stored persons to whom a flag is not false; nobody while it is disabled. */
export async function* matchingPersons(
  context: MemberContext,
  tx: Db,
  flag: { key: string; active: boolean; filters: Json },
): AsyncGenerator<number> {
  if (!flag.active) return;
  const { matches, properties: names, static_cohort_ids } = await compileAlone(context, flag);
  const now = context.now.getTime();
  const wanted = { properties: names, cohort_ids: static_cohort_ids };
  const pause = createSlices();
  for await (const people of scanPersons(tx, context.project.id, wanted))
    for (const { id, distinct_id, properties, static_cohorts } of people) {
      if (matches({ distinct_id, person_properties: properties, static_cohorts, now })) yield id;
      const others = pause();
      if (others) await others;
    }
}
