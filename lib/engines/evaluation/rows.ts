import { asIndex, asRecord, textOf } from "#lib/engines/evaluation/values/json.ts";
import { compileComparison } from "#lib/engines/evaluation/values/operators.ts";
import type { Mode, Property } from "#lib/engines/evaluation/values/types.ts";
import { NO, UNKNOWN, type Verdict } from "#lib/engines/evaluation/values/verdict.ts";
import type { RowEnvironment } from "./environment.ts";
import type { FixedRow, PropertyRow, Row } from "./match.ts";

/** A row with the same verdict for everyone. */
export function fixedRow(verdict: Verdict, problem: string | null, property: Property | null): FixedRow {
  return { kind: "fixed", verdict, problem, property, negated: false };
}

/** Compiles one row of a condition or of a cohort; any JSON is taken, nonsense never matches. */
export function compileRow(value: unknown, environment: RowEnvironment): Row {
  const undecided = environment.mode === "partial" ? UNKNOWN : NO;
  const record = asRecord(value);
  if (!record) return fixedRow(undecided, "The row cannot be read.", null);
  const property = record as unknown as Property;
  const negated = environment.in_cohort && record.negation === true;
  if (record.type === "cohort") return cohortRow(property, negated, environment);
  if (record.type === "flag") return flagRow(property, negated, environment);
  if (typeof record.key !== "string") return fixedRow(undecided, "The row has no property.", property);
  const group_type = ownGroupType(record, environment);
  const operator = typeof record.operator === "string" && record.operator !== "" ? record.operator : "exact";
  const reads = group_type ?? environment.group_type;
  if (reads !== null) {
    environment.needs.group_types.add(reads);
    return propertyRow(property, operator, negated, group_type, -1, environment.mode);
  }
  environment.needs.person_properties.add(record.key);
  const name = `${negated}${JSON.stringify(property)}`;
  let row = environment.known_rows.get(name);
  if (!row) {
    row = propertyRow(property, operator, negated, null, environment.known_rows.size, environment.mode);
    environment.known_rows.set(name, row);
  }
  return row;
}

function propertyRow(
  property: Property,
  operator: string,
  negated: boolean,
  group_type: string | null,
  slot: number,
  mode: Mode,
): PropertyRow {
  return {
    kind: "property",
    key: property.key,
    inherited: property.key in Object.prototype,
    slot,
    group_type,
    comparison: compileComparison(operator, property.value, mode),
    negated,
    property,
  };
}

/** Set only when a group row names another group than the one its condition is about. */
function ownGroupType(record: Readonly<Record<string, unknown>>, environment: RowEnvironment): string | null {
  const index = record.type === "group" ? asIndex(record.group_type_index) : null;
  const type = index === null ? null : (environment.group_types[index] ?? null);
  return type === environment.group_type ? null : type;
}

function cohortRow(property: Property, negated: boolean, environment: RowEnvironment): Row {
  const { operator } = property;
  const asksIn = operator === undefined || operator === null || operator === "exact" || operator === "in";
  if (!asksIn && operator !== "not_in") {
    const verdict = environment.mode === "partial" ? UNKNOWN : NO;
    return fixedRow(
      verdict,
      `Cohorts are compared with "in" and "not_in", not "${textOf(operator)}".`,
      property,
    );
  }
  return environment.cohorts.row(property.value, negated !== (operator === "not_in"), property, environment);
}

function flagRow(property: Property, negated: boolean, environment: RowEnvironment): Row {
  if (property.operator !== "flag_evaluates_to" || property.value === undefined || property.value === null) {
    return fixedRow(NO, 'Flags are compared with "flag_evaluates_to" and a value.', property);
  }
  const name = textOf(property.key);
  const index = environment.flagIndex(name);
  const chain = environment.mode === "partial" ? dependencyChain(property, index, environment) : [];
  if (index === -1 || chain === null) {
    environment.flags.add(-1);
    const verdict = environment.mode === "partial" ? UNKNOWN : NO;
    return fixedRow(verdict, `The flag "${name}" cannot be evaluated: it is missing.`, property);
  }
  environment.flags.add(index);
  for (const member of chain) environment.flags.add(member);
  return { kind: "flag", index, expected: property.value, chain, negated, property };
}

/** The chain an SDK walks; null when it cannot, which is also how a definition marks a circle. */
function dependencyChain(property: Property, index: number, environment: RowEnvironment): number[] | null {
  const chain: unknown = property.dependency_chain;
  if (!Array.isArray(chain) || chain.length === 0) return null;
  const members = chain.map((key) => environment.flagIndex(textOf(key)));
  return members.includes(-1) || !members.includes(index) ? null : members;
}
