import { momentOf, parseDateValue } from "./dates.ts";
import { asRecord, textOf } from "./json.ts";
import { compileComparison } from "./operators.ts";
import { NO } from "./verdict.ts";

/** A readable row about one property, cohort or flag. */
interface Clause {
  readonly index: number;
  readonly subject: string;
  readonly type: string;
  readonly operator: string;
  readonly value: unknown;
}

/** Two rows that no one can satisfy together, by their places in the set. */
export interface Contradiction {
  readonly rows: readonly [number, number];
  readonly message: string;
}

/** Pairs that cannot both hold for the same value. */
const CONTRARIES: readonly (readonly [string, string])[] = [
  ["icontains", "not_icontains"],
  ["starts_with", "not_starts_with"],
  ["ends_with", "not_ends_with"],
  ["regex", "not_regex"],
  ["in", "not_in"],
  ["semver_eq", "semver_neq"],
];

const ABOVE: ReadonlySet<string> = new Set(["gt", "gte", "min"]);
const BELOW: ReadonlySet<string> = new Set(["lt", "lte", "max"]);
const STRICT: ReadonlySet<string> = new Set(["gt", "lt"]);

/**
 * Finds rows of one set that contradict each other. Sound, not complete: what it reports can match no one;
 * what it does not see (the meaning of two patterns, say) may still be impossible.
 *
 * @param properties the rows as written
 * @param now the present in milliseconds, for relative dates
 */
export function findContradictions(properties: readonly unknown[], now: number): Contradiction[] {
  const clauses = properties.map(clauseOf).filter((clause) => clause !== null);
  const found: Contradiction[] = [];
  for (const [place, first] of clauses.entries()) {
    for (const second of clauses.slice(place + 1)) {
      if (first.subject !== second.subject) continue;
      const message = clash(first, second, now) ?? clash(second, first, now);
      if (message !== null) found.push({ rows: [first.index, second.index], message });
    }
  }
  return found;
}

function clauseOf(row: unknown, index: number): Clause | null {
  const record = asRecord(row);
  if (!record) return null;
  const type = textOf(record.type ?? "person");
  const about =
    type === "cohort"
      ? textOf(record.value)
      : `${textOf(record.group_type_index ?? "")} ${textOf(record.key)}`;
  const fallback = type === "cohort" ? "in" : "exact";
  const operator = typeof record.operator === "string" && record.operator ? record.operator : fallback;
  return { index, subject: `${type} ${about}`, type, operator, value: record.value };
}

/** Why no one can pass both; null when someone may. Tried in both orders. */
function clash(a: Clause, b: Clause, now: number): string | null {
  if (a.type === "flag") return flagClash(a, b);
  if (CONTRARIES.some(([yes, no]) => yes === a.operator && no === b.operator) && contraryValues(a, b)) {
    return "One row is the opposite of the other.";
  }
  if (a.type === "cohort") return null;
  if (a.operator === "is_not_set" && needsProperty(b))
    return "One row needs the property, the other its absence.";
  if (a.operator === "exact") return exactClash(a, b, now);
  if (a.operator === "starts_with" && b.operator === "starts_with") {
    const [x, y] = [lower(a.value), lower(b.value)];
    return x.startsWith(y) || y.startsWith(x) ? null : "No text starts with both.";
  }
  if (ABOVE.has(a.operator) && BELOW.has(b.operator)) return rangeClash(a, b);
  if (a.operator === "is_date_after" && b.operator === "is_date_before") return dateClash(a, b, now);
  return null;
}

function flagClash(a: Clause, b: Clause): string | null {
  if (a.operator !== "flag_evaluates_to" || b.operator !== "flag_evaluates_to" || a.value === b.value)
    return null;
  // A variant counts as true as well.
  const both =
    (a.value === true && typeof b.value === "string") || (b.value === true && typeof a.value === "string");
  return both ? null : "The flag cannot have both values.";
}

function contraryValues(a: Clause, b: Clause): boolean {
  if (a.type === "cohort" || a.operator === "regex") return textOf(a.value) === textOf(b.value);
  const [wanted, refused] = [lower(a.value), lower(b.value)];
  if (a.operator === "icontains") return wanted.includes(refused);
  if (a.operator === "starts_with") return wanted.startsWith(refused);
  if (a.operator === "ends_with") return wanted.endsWith(refused);
  return wanted === refused;
}

function needsProperty(clause: Clause): boolean {
  return compileComparison(clause.operator, clause.value, "complete").absent === NO;
}

/** Each listed value, held against the other row. Patterns heed case, which the list does not: left alone. */
function exactClash(a: Clause, b: Clause, now: number): string | null {
  if (b.operator === "regex" || b.operator === "not_regex") return null;
  const other = compileComparison(b.operator, b.value, "complete");
  const values = Array.isArray(a.value) ? a.value : [a.value];
  if (values.some((value) => other.test(value, now) !== NO)) return null;
  return "None of the values matches the other row.";
}

function rangeClash(above: Clause, below: Clause): string | null {
  const [low, high] = [Number(textOf(above.value)), Number(textOf(below.value))];
  if (Number.isNaN(low) || Number.isNaN(high)) return null;
  const strict = STRICT.has(above.operator) || STRICT.has(below.operator);
  return low > high || (low === high && strict) ? "No number is between the two." : null;
}

function dateClash(after: Clause, before: Clause, now: number): string | null {
  const [from, to] = [parseDateValue(after.value), parseDateValue(before.value)];
  if (!from || !to || momentOf(from, now) < momentOf(to, now)) return null;
  return "No date is between the two.";
}

function lower(value: unknown): string {
  return textOf(value).toLowerCase();
}
