import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { Needs, Subject } from "#lib/engines/evaluation/values/types.ts";
import type { Comparison } from "#lib/engines/statistics/ramps/types.ts";
import {
  compileWith,
  type Snapshot,
  withoutSecrets,
} from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { dependenciesOf } from "#lib/flags/feature_flags/filters/filters.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import type { FlagFilters } from "#lib/people/conditions/filters-schema.ts";
import { selectHashKeys } from "#lib/people/persons/hash-keys-store.ts";
import { createPersonReading } from "#lib/people/persons/scan.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { endsOf } from "./split.ts";

/** `is_treated` null: the ramp does not decide what this person gets. */
export type Arm = { is_treated: boolean | null; stratum: number };

const NOT_COMPARED: Arm = { is_treated: null, stratum: 0 };

type ArmNeeds = Pick<Needs, "person_properties" | "static_cohort_ids" | "experience_continuity">;

/** Somebody who is to be put into an arm, with the id and the moment of the call. */
export type Caller = { person_id: number; distinct_id: string; at: number };

/** A function that reads what is stored of some people, as far as evaluation needs it. */
export function createSubjects(db: Db, projectId: number, needs: ArmNeeds) {
  const readPersons = createPersonReading(db, {
    properties: needs.person_properties,
    cohort_ids: needs.static_cohort_ids,
  });
  return async (callers: readonly Caller[]) => {
    const ids = callers.map(({ person_id }) => person_id);
    const persons = await readPersons(ids);
    const hashKeys = needs.experience_continuity ? await selectHashKeys(db, projectId, ids) : [];
    const keysOf = Map.groupBy(hashKeys, (row) => row.person_id);
    return ({ person_id, distinct_id, at }: Caller): Subject => ({
      distinct_id,
      person_properties: persons.get(person_id)?.properties ?? null,
      static_cohorts: persons.get(person_id)?.static_cohorts ?? null,
      hash_key_overrides: Object.fromEntries(
        (keysOf.get(person_id) ?? []).map((row) => [row.flag_key, row.hash_key]),
      ),
      now: at,
    });
  };
}

/** A flag with other filters, and with what it may refer to: other flags only where it depends on some. */
function compileAlone(snapshot: Snapshot, flag: FlagRow, filters: FlagFilters) {
  const others =
    dependenciesOf(filters).length > 0
      ? snapshot.flags.live.filter(({ id }) => id !== flag.id).map(withoutSecrets)
      : [];
  return compileWith(snapshot, [...others, { ...flag, filters }]);
}

/** Whether it is groups rather than people that get a flag's value. */
export function isAboutGroups(snapshot: Snapshot, flag: FlagRow): boolean {
  const compiled = compileAlone(snapshot, flag, flag.filters as FlagFilters).by_key.get(flag.key);
  return !compiled || compiled.by_group || compiled.needs.group_types.length > 0;
}

/**
 * Tells which arm somebody is in. People are compared only if the ramp alone decides what they get: they would get
 * something else at the other end of the split. Of several condition sets that let the same person in, the largest
 * share decides, so that everybody of a stratum is treated with the same chance.
 */
export function createArms(snapshot: Snapshot, flag: FlagRow, comparison: NonNullable<Comparison>) {
  const filters = flag.filters as FlagFilters;
  const ends = endsOf(filters, comparison);
  const compile = (of: FlagFilters) => compileAlone(snapshot, flag, of);
  const [now, control] = [compile(filters), compile(ends.control)];
  const treatments = ends.treatments
    .map(({ set, filters: full }) => ({
      set,
      share: filters.groups[set]?.rollout_percentage ?? 100,
      compiled: compile(full),
    }))
    .sort((a, b) => b.share - a.share);
  const compiled = [now, control, ...treatments.map((treatment) => treatment.compiled)];
  const all = compiled.flatMap((each) => each.by_key.get(flag.key)?.needs ?? []);
  const needs: ArmNeeds = {
    person_properties: [...new Set(all.flatMap((each) => each.person_properties))],
    static_cohort_ids: [...new Set(all.flatMap((each) => each.static_cohort_ids))],
    experience_continuity: all.some((each) => each.experience_continuity),
  };
  const valueIn = (of: typeof now, subject: Subject) => evaluateFlag(of, flag.key, subject)?.value ?? false;
  const armOf = (subject: Subject): Arm => {
    const without = valueIn(control, subject);
    const found = treatments.find((treatment) => valueIn(treatment.compiled, subject) !== without);
    if (!found) return NOT_COMPARED;
    const value = valueIn(now, subject);
    if (comparison.kind === "shares")
      return without === false ? { is_treated: value !== false, stratum: found.set } : NOT_COMPARED;
    const is_treated = value === comparison.treatment;
    return is_treated || value === comparison.control ? { is_treated, stratum: 0 } : NOT_COMPARED;
  };
  return { needs, armOf };
}
