import { compileFlags } from "#lib/engines/evaluation/compile.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import { compileComparison, PROPERTY_OPERATORS } from "#lib/engines/evaluation/values/operators.ts";
import type { CohortTree, Properties, Property } from "#lib/engines/evaluation/values/types.ts";
import { isObject } from "#lib/engines/json.ts";
import type { ProjectCohorts } from "#lib/people/cohorts/cache.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { type Narrowing, narrowingOf } from "./narrowing.ts";

/** A person as far as conditions are concerned. */
type FilterCandidate = {
  distinct_id: string;
  properties: Properties;
  static_cohorts: ReadonlySet<number>;
};

/** Conditions on persons, prepared. */
export type PersonConditions = {
  /** Names of the properties that are looked at. */
  properties: readonly string[];
  /** Static cohorts whose members must be known. */
  static_cohort_ids: readonly number[];
  /** What the database can say of everybody who matches. */
  narrowing: readonly Narrowing[];
  matches: (candidate: FilterCandidate) => boolean;
};

const PROBE = "persons";
const MAX_ROWS = 100;

const refuse = (detail: string, at?: string) => invalid(detail, at ? `properties__${at}` : "properties");

function checkCohort(row: Record<string, unknown>, at: string, cohorts: ProjectCohorts): void {
  const id = Number(row.value);
  if (!cohorts.byId.has(id))
    throw refuse(`Cohort with id ${String(row.value).slice(0, 60)} does not exist.`, at);
}

function rowOf(row: unknown, index: number, cohorts: ProjectCohorts): Property {
  if (!isObject(row)) throw refuse("A condition must be an object.", String(index));
  const type = row.type ?? "person";
  if (type === "cohort") {
    checkCohort(row, `${index}__value`, cohorts);
    return {
      key: "id",
      type: "cohort",
      value: Number(row.value),
      operator: row.operator === "not_in" ? "not_in" : "in",
    };
  }
  if (type !== "person") throw refuse("The type of a condition must be person or cohort.", `${index}__type`);
  const operator = row.operator ?? "exact";
  if (typeof operator !== "string" || !PROPERTY_OPERATORS.includes(operator))
    throw refuse(`Unknown operator: ${String(operator).slice(0, 60)}.`, `${index}__operator`);
  if (typeof row.key !== "string" || row.key === "")
    throw refuse("A condition must have a key.", `${index}__key`);
  const asksValue = operator !== "is_set" && operator !== "is_not_set";
  if (asksValue && (row.value === undefined || row.value === null))
    throw refuse("A condition must have a value.", `${index}__value`);
  const { problem } = compileComparison(operator, row.value, "complete");
  if (asksValue && problem) throw refuse(problem, `${index}__value`);
  return { key: row.key, type: "person", value: row.value, operator };
}

/**
 * Reads conditions on persons: a JSON list of rows as release conditions have them. The engine answers them as it
 * does for a flag that is on for exactly these.
 *
 * @returns null for an empty list
 * @throws ApiError 400 naming the row that cannot be used
 */
export function personConditions(
  json: string,
  cohorts: ProjectCohorts,
  now: number,
): PersonConditions | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw refuse("properties must be JSON.");
  }
  if (!Array.isArray(value)) throw refuse("properties must be a list of conditions.");
  if (value.length > MAX_ROWS) throw refuse(`At most ${MAX_ROWS} conditions can be combined.`);
  if (value.length === 0) return null;
  const rows = value.map((row, index) => rowOf(row, index, cohorts));
  const compiled = compileFlags({
    flags: [{ key: PROBE, active: true, filters: { groups: [{ properties: rows }] } }],
    cohorts: [...cohorts.byId.values()].map(({ id, is_static, filters }) => ({
      id,
      is_static,
      properties: (filters.properties ?? null) as CohortTree | null,
    })),
  });
  return {
    properties: compiled.needs.person_properties,
    static_cohort_ids: compiled.needs.static_cohort_ids,
    narrowing: rows.flatMap((row) => narrowingOf(row) ?? []),
    matches: ({ distinct_id, properties, static_cohorts }) =>
      evaluateFlag(compiled, PROBE, { distinct_id, person_properties: properties, static_cohorts, now })
        ?.value === true,
  };
}
