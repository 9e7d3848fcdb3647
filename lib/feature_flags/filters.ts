import {
  checkProperty,
  type FiltersFacts,
  type FiltersProblem,
  type GroupFacts,
  isGroupIndex,
  isObject,
  type Json,
  OPERATORS,
  type Path,
  Refusal,
} from "./filter_rows.ts";

export type { FiltersFacts, FiltersProblem };
export { OPERATORS };

/**
 * Checks filters as a whole: structure, values, references and cycles.
 *
 * @returns the first problem, null when they can be saved
 */
export function filtersProblem(filters: unknown, facts: FiltersFacts): FiltersProblem | null {
  try {
    if (!isObject(filters)) throw new Refusal([], "Filters must be an object.", "not_a_dict");
    checkGroups(filters, facts);
    const variants = checkVariants(filters);
    checkForcedVariants(filters.groups as Json[], variants);
    checkPayloads(filters, variants);
    checkCycles(filters, facts);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.problem;
    throw error;
  }
}

function checkGroups(filters: Json, facts: FiltersFacts): void {
  const index = filters.aggregation_group_type_index;
  if (!isGroupIndex(index) && index !== null && index !== undefined)
    throw new Refusal(
      ["aggregation_group_type_index"],
      "The group type index must be a whole number from 0 to 4.",
    );
  if (!Array.isArray(filters.groups) || filters.groups.length === 0)
    throw new Refusal(["groups"], "Feature flag filters must contain at least one condition set.");
  filters.groups.forEach((group: unknown, i) => {
    checkGroup(group, ["groups", i], { ...facts, aggregation: index as number | null | undefined });
  });
  for (const name of ["super_groups", "holdout_groups"] as const) {
    const groups = filters[name];
    if (groups === null || groups === undefined) continue;
    if (!Array.isArray(groups)) throw new Refusal([name], `${name} must be a list.`);
    groups.forEach((group: unknown, i) => {
      checkShape(group, [name, i]);
    });
  }
}

function checkShape(group: unknown, path: Path): asserts group is Json {
  if (!isObject(group)) throw new Refusal(path, "A condition set must be an object.");
  checkPercentage(group.rollout_percentage, [...path, "rollout_percentage"], true);
  if (group.properties !== undefined && group.properties !== null && !Array.isArray(group.properties))
    throw new Refusal([...path, "properties"], "The properties of a condition set must be a list.");
  for (const name of ["variant", "description"] as const)
    if (group[name] !== undefined && group[name] !== null && typeof group[name] !== "string")
      throw new Refusal([...path, name], `The ${name} of a condition set must be a text.`);
}

function checkGroup(group: unknown, path: Path, facts: GroupFacts): void {
  checkShape(group, path);
  const own = group.aggregation_group_type_index;
  if (own !== undefined && own !== null && !isGroupIndex(own))
    throw new Refusal(
      [...path, "aggregation_group_type_index"],
      "The group type index must be a whole number from 0 to 4.",
    );
  const aggregation = own === undefined ? facts.aggregation : (own as number | null);
  const properties = (group.properties ?? []) as unknown[];
  properties.forEach((property, i) => {
    checkProperty(property, [...path, "properties", i], { ...facts, aggregation });
  });
}

function checkPercentage(value: unknown, path: Path, optional: boolean): void {
  if (optional && (value === null || value === undefined)) return;
  if (typeof value !== "number" || !(value >= 0 && value <= 100))
    throw new Refusal(path, "A rollout percentage must be a number from 0 to 100.");
}

/** Keys of the variants; null for a boolean flag. */
function checkVariants(filters: Json): Set<string> | null {
  const { multivariate } = filters;
  if (multivariate === null || multivariate === undefined) return null;
  if (!isObject(multivariate)) throw new Refusal(["multivariate"], "multivariate must be an object.");
  const variants = multivariate.variants ?? [];
  if (!Array.isArray(variants)) throw new Refusal(["multivariate", "variants"], "variants must be a list.");
  const keys = new Set<string>();
  let sum = 0;
  variants.forEach((variant: unknown, i) => {
    const path = ["multivariate", "variants", i];
    if (!isObject(variant)) throw new Refusal(path, "A variant must be an object.");
    if (typeof variant.key !== "string" || variant.key.trim() === "")
      throw new Refusal([...path, "key"], "A variant must have a key.");
    if (keys.has(variant.key)) throw new Refusal([...path, "key"], `There are two variants ${variant.key}.`);
    checkPercentage(variant.rollout_percentage, [...path, "rollout_percentage"], false);
    keys.add(variant.key);
    sum += variant.rollout_percentage as number;
  });
  if (keys.size > 0 && Math.abs(sum - 100) > 1e-9)
    throw new Refusal(
      ["multivariate", "variants"],
      `Invalid variant definitions: variant rollout percentages must sum to 100, not ${Number(sum.toFixed(6))}.`,
    );
  return keys.size > 0 ? keys : null;
}

function checkForcedVariants(groups: Json[], variants: Set<string> | null): void {
  groups.forEach((group, i) => {
    if (typeof group.variant !== "string" || group.variant === "") return;
    if (!variants?.has(group.variant))
      throw new Refusal(["groups", i, "variant"], `There is no variant ${group.variant} in this flag.`);
  });
}

function checkPayloads(filters: Json, variants: Set<string> | null): void {
  const { payloads } = filters;
  if (payloads === null || payloads === undefined) return;
  if (!isObject(payloads)) throw new Refusal(["payloads"], "Payloads must be an object.");
  for (const [key, payload] of Object.entries(payloads)) {
    const path = ["payloads", key];
    if (variants ? !variants.has(key) : key !== "true")
      throw new Refusal(
        path,
        variants
          ? `There is no variant ${key} for this payload.`
          : "The payload of a boolean flag stands under the key true.",
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
  const groups = Array.isArray(filters.groups) ? filters.groups : [];
  const properties = groups.flatMap((g: unknown) =>
    isObject(g) && Array.isArray(g.properties) ? g.properties : [],
  );
  return properties
    .filter((p: unknown): p is Json => isObject(p) && p.type === "flag")
    .map((p) => Number(p.key));
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
