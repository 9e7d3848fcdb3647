import { parseDateValue } from "#lib/evaluation/dates.ts";
import { compileRegex } from "#lib/evaluation/regex.ts";

type Json = Record<string, unknown>;
type Path = (string | number)[];

/** What is wrong with a flag's filters, and where. Codes are the API's. */
export type FiltersProblem = { code: string; detail: string; path: Path };

/** What filters may refer to, of the project they belong to. */
export type FiltersFacts = {
  /** Id of the flag that is being edited; null for one that does not exist yet. */
  flag_id: number | null;
  flag_key: string;
  /** Flags that are not deleted, by id. */
  flags: ReadonlyMap<number, { key: string; active: boolean; filters: Json }>;
  /** Ids of cohorts that are not deleted. */
  cohort_ids: ReadonlySet<number>;
};

class Refusal extends Error {
  readonly problem: FiltersProblem;
  constructor(path: Path, detail: string, code = "invalid_input") {
    super(detail);
    this.problem = { code, detail, path };
  }
}

/** Operators by the kind of value they take. */
export const OPERATORS = {
  any: ["exact", "is_not"],
  presence: ["is_set", "is_not_set"],
  text: [
    "icontains",
    "not_icontains",
    "starts_with",
    "not_starts_with",
    "ends_with",
    "not_ends_with",
    "semver_eq",
    "semver_neq",
    "semver_gt",
    "semver_gte",
    "semver_lt",
    "semver_lte",
    "semver_tilde",
    "semver_caret",
    "semver_wildcard",
  ],
  texts: ["icontains_multi", "not_icontains_multi"],
  regex: ["regex", "not_regex"],
  number: ["gt", "gte", "lt", "lte", "min", "max"],
  date: ["is_date_before", "is_date_after", "is_date_exact"],
  cohort: ["in", "not_in"],
  flag: ["flag_evaluates_to"],
} as const;

const KIND_OF = new Map(
  Object.entries(OPERATORS).flatMap(([kind, names]) => names.map((name) => [name as string, kind])),
);

const MAX_LIST = 1000;
const MAX_GROUP_TYPE_INDEX = 4;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

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

type GroupFacts = FiltersFacts & { aggregation: number | null | undefined };

const isGroupIndex = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_GROUP_TYPE_INDEX;

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

/** Checks one row against the kind of flag that it stands in. */
function checkProperty(property: unknown, path: Path, facts: GroupFacts): void {
  if (!isObject(property)) throw new Refusal(path, "A property must be an object.");
  if (typeof property.key !== "string" || property.key === "")
    throw new Refusal([...path, "key"], "A property must name its key.");
  checkPropertyType(property, path, facts);
  const operator = property.operator ?? (property.type === "cohort" ? "in" : "exact");
  const kind = typeof operator === "string" ? KIND_OF.get(operator) : undefined;
  if (!kind)
    throw new Refusal(
      [...path, "operator"],
      `Unknown operator: ${String(operator)}.`,
      "unsupported_operator",
    );
  if (property.type === "flag") {
    if (kind !== "flag")
      throw new Refusal(
        [...path, "operator"],
        "A flag dependency takes the operator flag_evaluates_to only.",
      );
    checkDependency(property, path, facts);
  } else if (kind === "flag") {
    throw new Refusal(
      [...path, "operator"],
      "The operator flag_evaluates_to is for properties of type flag only.",
    );
  } else if (property.type === "cohort") {
    checkCohort(property, path, facts);
  } else if (kind === "cohort") {
    throw new Refusal(
      [...path, "operator"],
      `The operator ${operator} is for cohorts only.`,
      "invalid_operator",
    );
  } else checkValue(property.value, kind, String(operator), [...path, "value"]);
}

function checkPropertyType(property: Json, path: Path, facts: GroupFacts): void {
  const { type } = property;
  if (facts.aggregation === null || facts.aggregation === undefined) {
    if (type !== "person" && type !== "cohort" && type !== "flag")
      throw new Refusal(
        [...path, "type"],
        `A person-based flag filters by properties of type person, cohort or flag, not ${type === undefined ? "event (the type is missing)" : String(type)}.`,
      );
    return;
  }
  if (type === "flag") return;
  if (type !== "group")
    throw new Refusal([...path, "type"], "A group-based flag filters by properties of its group only.");
  if (property.group_type_index !== facts.aggregation)
    throw new Refusal(
      [...path, "group_type_index"],
      "The property belongs to another group type than the flag is evaluated for.",
    );
}

function checkValue(value: unknown, kind: string, operator: string, path: Path): void {
  if (kind === "presence") return;
  if (value === null || value === undefined)
    throw new Refusal(path, `The operator ${operator} needs a value.`);
  if (Array.isArray(value)) {
    checkList(value, kind, operator, path);
    return;
  }
  if (typeof value === "object")
    throw new Refusal(path, "A value must be a text, a number, true, false or a list.");
  if (kind === "any" || kind === "texts") return;
  // The public service wants numbers as text too; SDKs send both.
  if (kind === "number" && typeof value === "number" && Number.isFinite(value)) return;
  if (typeof value !== "string")
    throw new Refusal(path, `The operator ${operator} needs a text as its value.`, "invalid_value");
  if (kind === "regex") {
    const problem = compileRegex(value).error;
    if (problem) throw new Refusal(path, `Not a usable regular expression: ${problem}`, "invalid_value");
  }
  if (kind === "date" && !parseDateValue(value))
    throw new Refusal(
      path,
      `Not a date: ${value.slice(0, 60)}. Use ISO 8601, or a span like -7d.`,
      "invalid_date",
    );
}

function checkList(value: unknown[], kind: string, operator: string, path: Path): void {
  if (kind !== "any" && kind !== "texts")
    throw new Refusal(path, `The operator ${operator} needs a single value.`, "invalid_value");
  if (value.length > MAX_LIST) throw new Refusal(path, `A list of values holds ${MAX_LIST} at most.`);
  if (value.some((item) => typeof item === "object" && item !== null))
    throw new Refusal(path, "A list of values holds texts, numbers, true and false only.");
}

function checkCohort(property: Json, path: Path, facts: FiltersFacts): void {
  const id =
    typeof property.value === "string" && /^\d{1,9}$/.test(property.value)
      ? Number(property.value)
      : property.value;
  if (typeof id !== "number" || !facts.cohort_ids.has(id))
    throw new Refusal(
      [...path, "value"],
      `Cohort with id ${String(property.value)} does not exist.`,
      "cohort_does_not_exist",
    );
}

function checkDependency(property: Json, path: Path, facts: FiltersFacts): void {
  const key = String(property.key);
  if (!/^\d{1,9}$/.test(key))
    throw new Refusal([...path, "key"], "A flag dependency names the other flag by its id.");
  const id = Number(key);
  if (id === facts.flag_id) throw new Refusal([...path, "key"], "A feature flag cannot depend on itself.");
  if (!facts.flags.has(id))
    throw new Refusal([...path, "key"], `Flag dependency with id ${key} does not exist.`);
  if (typeof property.value !== "boolean" && typeof property.value !== "string")
    throw new Refusal(
      [...path, "value"],
      "A flag dependency compares with true, false or the name of a variant.",
    );
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
