import { isObject, type Json } from "#lib/engines/json.ts";
import {
  type FlagFilters,
  type FlagGroup,
  flagFilters,
  normalizeFilters,
  PERCENTAGE_RULE,
} from "#lib/people/conditions/filters-schema.ts";
import {
  checkProperty,
  type FiltersFacts,
  type FiltersProblem,
  type GroupFacts,
  isGroupIndex,
  type Path,
  Refusal,
} from "./filter-rows.ts";

export type { FiltersFacts, FiltersProblem };

/**
 * Checks filters as a whole: structure, values, references and cycles.
 *
 * @returns the first problem, null when they can be saved (in the form of normalizeFilters)
 */
export function findFiltersProblem(filters: unknown, facts: FiltersFacts): FiltersProblem | null {
  try {
    if (!isObject(filters)) throw new Refusal([], "Filters must be an object.", "not_a_dict");
    const parsed = parseFilters(filters);
    checkGroups(parsed, facts);
    const variants = checkVariants(parsed);
    checkForcedVariants(parsed.groups, variants);
    checkPayloads(parsed, variants);
    checkCycles(parsed, facts);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.problem;
    throw error;
  }
}

/** Stored filters must fit the response schema. */
function parseFilters(filters: Json): FlagFilters {
  const parsed = flagFilters.safeParse(normalizeFilters(filters));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Refusal((issue?.path ?? []) as Path, issue?.message ?? "Invalid filters.");
}

function checkGroupIndex(index: number | null | undefined, path: Path): void {
  if (!isGroupIndex(index) && index !== null && index !== undefined)
    throw new Refusal(path, "The group type index must be a whole number from 0 to 4.");
}

function checkGroups(filters: FlagFilters, facts: FiltersFacts): void {
  const index = filters.aggregation_group_type_index;
  checkGroupIndex(index, ["aggregation_group_type_index"]);
  if (filters.groups.length === 0)
    throw new Refusal(["groups"], "Feature flag filters must contain at least one condition set.");
  filters.groups.forEach((group, i) => {
    checkGroup(group, ["groups", i], { ...facts, aggregation: index });
  });
  for (const name of ["super_groups", "holdout_groups"] as const)
    filters[name]?.forEach((group, i) => {
      checkPercentage(group.rollout_percentage, [name, i, "rollout_percentage"]);
    });
  checkPercentage(filters.holdout?.exclusion_percentage, ["holdout", "exclusion_percentage"]);
}

function checkGroup(group: FlagGroup, path: Path, facts: GroupFacts): void {
  checkPercentage(group.rollout_percentage, [...path, "rollout_percentage"]);
  const own = group.aggregation_group_type_index;
  checkGroupIndex(own, [...path, "aggregation_group_type_index"]);
  const aggregation = own === undefined ? facts.aggregation : own;
  group.properties?.forEach((property, i) => {
    checkProperty(property, [...path, "properties", i], { ...facts, aggregation });
  });
}

function checkPercentage(value: number | null | undefined, path: Path): void {
  if (value !== null && value !== undefined && !(value >= 0 && value <= 100))
    throw new Refusal(path, PERCENTAGE_RULE);
}

/** Keys of the variants; null for a boolean flag. */
function checkVariants(filters: FlagFilters): Set<string> | null {
  const keys = new Set<string>();
  let sum = 0;
  filters.multivariate?.variants.forEach((variant, i) => {
    const path = ["multivariate", "variants", i];
    if (variant.key.trim() === "") throw new Refusal([...path, "key"], "A variant must have a key.");
    if (keys.has(variant.key)) throw new Refusal([...path, "key"], `There are two variants ${variant.key}.`);
    checkPercentage(variant.rollout_percentage, [...path, "rollout_percentage"]);
    keys.add(variant.key);
    sum += variant.rollout_percentage;
  });
  if (keys.size > 0 && Math.abs(sum - 100) > 1e-9)
    throw new Refusal(
      ["multivariate", "variants"],
      `Invalid variant definitions: variant rollout percentages must sum to 100, not ${Number(sum.toFixed(6))}.`,
    );
  return keys.size > 0 ? keys : null;
}

function checkForcedVariants(groups: FlagGroup[], variants: Set<string> | null): void {
  groups.forEach((group, i) => {
    if (group.variant && !variants?.has(group.variant))
      throw new Refusal(["groups", i, "variant"], `There is no variant ${group.variant} in this flag.`);
  });
}

function checkPayloads(filters: FlagFilters, variants: Set<string> | null): void {
  for (const [key, payload] of Object.entries(filters.payloads ?? {})) {
    const path = ["payloads", key];
    if (variants ? !variants.has(key) : key !== "true")
      throw new Refusal(
        path,
        variants
          ? `There is no variant ${key} for this payload.`
          : "The payload of a boolean flag must have the key true.",
      );
    if (typeof payload !== "string") continue;
    try {
      JSON.parse(payload);
    } catch (error) {
      throw new Refusal(path, `The payload is not valid JSON: ${(error as Error).message}`);
    }
  }
}

/** Ids of the flags that filters depend on. */
export function dependenciesOf(filters: Json): number[] {
  return rowsOf(filters).flatMap((row) => (row.type === "flag" ? [Number(row.key)] : []));
}

/** Whether filters have a condition on membership in a cohort. */
export const usesCohort = (filters: Json, id: string): boolean =>
  rowsOf(filters).some((row) => row.type === "cohort" && String(row.value) === id);

/** The rows of all condition sets. */
function rowsOf(filters: Json): Json[] {
  const groups = isObject(filters) && Array.isArray(filters.groups) ? filters.groups : [];
  return groups
    .flatMap((group: unknown) => (isObject(group) && Array.isArray(group.properties) ? group.properties : []))
    .filter(isObject);
}

function checkCycles(filters: Json, facts: FiltersFacts): void {
  const walk = (id: number, trail: string[]): void => {
    if (id === facts.flag_id)
      throw new Refusal(["groups"], `Circular dependency: ${[...trail, facts.flag_key].join(" → ")}.`);
    const flag = facts.flags.get(id);
    if (!flag || seen.has(id)) return;
    seen.add(id);
    for (const next of dependenciesOf(flag.filters)) walk(next, [...trail, flag.key]);
  };
  const seen = new Set<number>();
  if (facts.flag_id !== null) for (const id of dependenciesOf(filters)) walk(id, [facts.flag_key]);
}
