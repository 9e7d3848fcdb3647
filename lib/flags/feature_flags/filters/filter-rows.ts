import { parseDateValue } from "#lib/engines/evaluation/values/dates.ts";
import { compileRegex } from "#lib/engines/evaluation/values/regex.ts";
import type { Json } from "#lib/engines/json.ts";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import { OPERATORS } from "./operators.ts";

export type Path = (string | number)[];

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
  /** Those of them that ask what people did: evaluation knows properties only. */
  behavioral_cohort_ids?: ReadonlySet<number>;
};

/** Thrown at the first problem; leaves this room as what it carries. */
export class Refusal extends Error {
  readonly problem: FiltersProblem;
  constructor(path: Path, detail: string, code = "invalid_input") {
    super(detail);
    this.problem = { code, detail, path };
  }
}

const KIND_OF = new Map(
  Object.entries(OPERATORS).flatMap(([kind, names]) => names.map((name) => [name as string, kind])),
);

const MAX_LIST = 1000;
const MAX_GROUP_TYPE_INDEX = 4;

/** The facts of a condition set: what its rows may be about. */
export type GroupFacts = FiltersFacts & { aggregation: number | null | undefined };

/** Whether a value is the index of a kind of group. */
export const isGroupIndex = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_GROUP_TYPE_INDEX;

/** Checks one row against the kind of flag that it belongs to. */
export function checkProperty(property: FlagProperty, path: Path, facts: GroupFacts): void {
  if (property.key === "") throw new Refusal([...path, "key"], "A property must have a key.");
  checkPropertyType(property, path, facts);
  const operator = property.operator ?? (property.type === "cohort" ? "in" : "exact");
  const kind = KIND_OF.get(operator);
  if (!kind)
    throw new Refusal([...path, "operator"], `Unknown operator: ${operator}.`, "unsupported_operator");
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
  } else checkValue(property.value, kind, operator, [...path, "value"]);
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
      "The property belongs to a different group type than the flag.",
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
    throw new Refusal(path, "A value must be a string, a number, a boolean or a list.");
  if (kind === "any" || kind === "texts") return;
  // The public service wants numbers as text too; SDKs send both.
  if (kind === "number" && typeof value === "number" && Number.isFinite(value)) return;
  if (typeof value !== "string")
    throw new Refusal(path, `The operator ${operator} needs a string as its value.`, "invalid_value");
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
  if (value.length > MAX_LIST) throw new Refusal(path, `A list can have at most ${MAX_LIST} values.`);
  if (value.some((item) => typeof item === "object" && item !== null))
    throw new Refusal(path, "A list can only have strings, numbers and booleans.");
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
  if (facts.behavioral_cohort_ids?.has(id))
    throw new Refusal(
      [...path, "value"],
      `Cohort with id ${id} is behavioral; flags can only use property-based and static cohorts.`,
      "behavioral_cohort_found",
    );
}

function checkDependency(property: Json, path: Path, facts: FiltersFacts): void {
  const key = String(property.key);
  if (!/^\d{1,9}$/.test(key))
    throw new Refusal([...path, "key"], "A flag dependency must have the id of the other flag as its key.");
  const id = Number(key);
  if (id === facts.flag_id) throw new Refusal([...path, "key"], "A feature flag cannot depend on itself.");
  if (!facts.flags.has(id))
    throw new Refusal([...path, "key"], `Flag dependency with id ${key} does not exist.`);
  if (typeof property.value !== "boolean" && typeof property.value !== "string")
    throw new Refusal(
      [...path, "value"],
      "The value of a flag dependency must be true, false or a variant key.",
    );
}
