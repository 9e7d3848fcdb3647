import { compileFlags } from "#lib/evaluation/compile.ts";
import { evaluateFlag } from "#lib/evaluation/evaluate.ts";
import type { CohortDefinition, Properties } from "#lib/evaluation/types.ts";

/** A stored cohort as far as membership is concerned. */
type Stored = { id: number; is_static: boolean; filters: Readonly<Record<string, unknown>> };

/** A stored cohort in the engine's words. */
const definitionOf = (row: Stored): CohortDefinition => ({
  id: row.id,
  is_static: row.is_static,
  properties: (row.filters.properties ?? null) as CohortDefinition["properties"] & object,
});

/** Somebody who may be a member. */
type Candidate = {
  distinct_id: string;
  properties: Properties;
  /** Ids of the static cohorts they are in. */
  static_cohorts: ReadonlySet<number>;
};

/** The question who belongs to a cohort, prepared. */
export type Membership = {
  /** Names of the person properties that are looked at. */
  properties: readonly string[];
  /** Static cohorts whose members must be known. */
  static_cohort_ids: readonly number[];
  has: (candidate: Candidate) => boolean;
};

const PROBE = "member";

/**
 * Prepares the question who belongs to a cohort: the engine answers it as it does for a flag that is on for
 * exactly that cohort.
 *
 * @param all every live cohort of the project, for those that the filters refer to
 * @param now the present, milliseconds since 1970: relative dates count back from it
 */
export function membershipOf(id: number, all: Iterable<Stored>, now: number): Membership {
  const compiled = compileFlags({
    flags: [
      {
        key: PROBE,
        active: true,
        filters: { groups: [{ properties: [{ key: "id", type: "cohort", value: id, operator: "in" }] }] },
      },
    ],
    cohorts: [...all].map(definitionOf),
  });
  return {
    properties: compiled.needs.person_properties,
    static_cohort_ids: compiled.needs.static_cohort_ids,
    has: ({ distinct_id, properties, static_cohorts }) =>
      evaluateFlag(compiled, PROBE, { distinct_id, person_properties: properties, static_cohorts, now })
        ?.value === true,
  };
}
