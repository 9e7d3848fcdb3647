import { compileComparison, PROPERTY_OPERATORS } from "#lib/engines/evaluation/values/operators.ts";
import { isObject, type Json } from "#lib/engines/json.ts";

type Path = (string | number)[];

/** What is wrong with a cohort's filters, and where inside them. Codes are the API's. */
export type CohortProblem = { code: string; detail: string; path: Path };

/** What filters may refer to, of the project they belong to. */
export type CohortFacts = {
  /** Id of the cohort that is edited; null for one that does not exist yet. */
  cohort_id: number | null;
  cohort_name: string;
  /** Cohorts that are not deleted. */
  cohorts: ReadonlyMap<number, { name: string; filters: Json }>;
  /** Whether behavioral conditions are allowed: the service creates such cohorts, nobody edits them. */
  behavioral?: boolean;
};

class Refusal extends Error {
  readonly problem: CohortProblem;
  constructor(path: Path, detail: string, code = "invalid_input") {
    super(detail);
    this.problem = { code, detail, path };
  }
}

const DEEPEST = 10;
const MAX_ROWS = 1_000;
const MAX_LIST = 1_000;

const isGroup = (node: Json) => node.type === "AND" || node.type === "OR";

/**
 * Checks the filters of a property-based cohort: structure, operators, values, references and cycles.
 *
 * @returns the first problem, null when they can be saved
 */
export function findCohortProblem(filters: unknown, facts: CohortFacts): CohortProblem | null {
  try {
    if (!isObject(filters)) throw new Refusal([], "Filters must be an object.", "not_a_dict");
    if (!isObject(filters.properties))
      throw new Refusal(["properties"], "Filters must have properties: {type, values}.");
    checkGroup(filters.properties, ["properties"], 1, { facts, rows: 0 });
    checkCycles(filters, facts);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.problem;
    throw error;
  }
}

type Walk = { facts: CohortFacts; rows: number };

function checkGroup(group: Json, path: Path, depth: number, walk: Walk): void {
  if (!isGroup(group)) throw new Refusal([...path, "type"], "The type of a group must be AND or OR.");
  if (!Array.isArray(group.values) || group.values.length === 0)
    throw new Refusal([...path, "values"], "A group must have at least one condition.");
  if (depth > DEEPEST) throw new Refusal(path, `Groups can be nested ${DEEPEST} levels deep at most.`);
  for (const [i, member] of group.values.entries()) checkMember(member, [...path, "values", i], depth, walk);
}

function checkMember(member: unknown, path: Path, depth: number, walk: Walk): void {
  if (!isObject(member)) throw new Refusal(path, "A condition must be an object.");
  if (isGroup(member) || Array.isArray(member.values)) {
    checkGroup(member, path, depth + 1, walk);
    return;
  }
  walk.rows += 1;
  if (walk.rows > MAX_ROWS) throw new Refusal(path, `A cohort can have at most ${MAX_ROWS} conditions.`);
  checkRow(member, path, walk.facts);
}

function checkRow(row: Json, path: Path, facts: CohortFacts): void {
  if (row.type === "behavioral" && facts.behavioral) return;
  if (row.type === "behavioral")
    throw new Refusal(
      [...path, "type"],
      "Behavioral conditions are not supported; use person properties or other cohorts.",
      "behavioral_cohort_found",
    );
  if (row.type !== "person" && row.type !== "cohort")
    throw new Refusal([...path, "type"], "The type of a condition must be person or cohort.");
  if (row.negation !== undefined && row.negation !== null && typeof row.negation !== "boolean")
    throw new Refusal([...path, "negation"], "negation must be true or false.");
  if (row.operator !== undefined && row.operator !== null && typeof row.operator !== "string")
    throw new Refusal([...path, "operator"], "The operator must be a string.");
  if (row.type === "cohort") {
    checkReference(row, path, facts);
    return;
  }
  if (typeof row.key !== "string" || row.key === "")
    throw new Refusal([...path, "key"], "A condition must have a key.");
  checkComparison(row, (row.operator as string | null | undefined) ?? "exact", path);
}

function checkComparison(row: Json, operator: string, path: Path): void {
  if (!PROPERTY_OPERATORS.includes(operator))
    throw new Refusal(
      [...path, "operator"],
      `Unknown operator: ${operator.slice(0, 60)}.`,
      "unsupported_operator",
    );
  if (operator === "is_set" || operator === "is_not_set") return;
  const at = [...path, "value"];
  const values: unknown[] = Array.isArray(row.value) ? row.value : [row.value];
  if (values.length > MAX_LIST) throw new Refusal(at, `A list can have at most ${MAX_LIST} values.`);
  if (values.some((value) => value === null || value === undefined || typeof value === "object"))
    throw new Refusal(at, "A value must be a string, a number, a boolean or a list of these.");
  const { problem } = compileComparison(operator, row.value, "complete");
  if (problem) throw new Refusal(at, problem, codeOf(operator));
}

const codeOf = (operator: string): string =>
  operator.startsWith("is_date") ? "invalid_date" : "invalid_value";

/** The cohort that a row refers to; null when it names none. */
function referenceOf(row: Json): number | null {
  const id = typeof row.value === "string" && /^\d{1,9}$/.test(row.value) ? Number(row.value) : row.value;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : null;
}

function checkReference(row: Json, path: Path, facts: CohortFacts): void {
  if (!["in", "not_in", "exact"].includes((row.operator as string | null | undefined) ?? "in"))
    throw new Refusal([...path, "operator"], "A cohort takes the operator in or not_in.", "invalid_operator");
  const id = referenceOf(row);
  if (id === null || !facts.cohorts.has(id))
    throw new Refusal(
      [...path, "value"],
      `Cohort with id ${String(row.value).slice(0, 60)} does not exist.`,
      "cohort_does_not_exist",
    );
}

/** Ids of the cohorts that filters refer to directly, each once. */
export function cohortsWithin(filters: Json): number[] {
  const walk = (node: unknown): number[] => {
    if (!isObject(node)) return [];
    if (Array.isArray(node.values)) return node.values.flatMap(walk);
    const id = node.type === "cohort" ? referenceOf(node) : null;
    return id === null ? [] : [id];
  };
  return [...new Set(walk(filters.properties))];
}

function checkCycles(filters: Json, facts: CohortFacts): void {
  if (facts.cohort_id === null) return;
  const seen = new Set<number>();
  const walk = (id: number, trail: string[]): void => {
    if (id === facts.cohort_id)
      throw new Refusal(
        ["properties"],
        `Cohorts cannot contain themselves: ${[...trail, facts.cohort_name].join(" → ")}.`,
      );
    const cohort = facts.cohorts.get(id);
    if (!cohort || seen.has(id)) return;
    seen.add(id);
    for (const next of cohortsWithin(cohort.filters)) walk(next, [...trail, cohort.name]);
  };
  for (const id of cohortsWithin(filters)) walk(id, [facts.cohort_name]);
}
