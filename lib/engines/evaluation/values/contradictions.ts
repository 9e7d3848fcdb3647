import { momentOf, parseDateValue } from "./dates.ts";
import { asList, asRecord, textOf } from "./json.ts";
import { type Comparison, compileComparison, strictNumber } from "./operators.ts";
import {
  caretRange,
  compareVersions,
  parseVersion,
  tildeRange,
  type Version,
  wildcardRange,
} from "./semver.ts";
import { YES } from "./verdict.ts";

/**
 * Which rows nobody can satisfy together. Sound, not complete: what is reported can match no one; what is not seen (the
 * meaning of two patterns, say) may still be impossible. Relative dates are taken as of `now`.
 */

/** A row about one property, cohort or flag, and whether it is to pass or not to pass. */
export interface Clause {
  /** Place of its row in the set. */
  readonly index: number;
  /** What the row asks about: rows with different subjects never contradict each other. */
  readonly subject: string;
  readonly kind: "property" | "cohort" | "flag";
  readonly operator: string;
  readonly value: unknown;
  /** Null for a row about a cohort or a flag. */
  readonly comparison: Comparison | null;
  readonly passes: boolean;
}

/** The fewest rows found that no one can satisfy together, by their places in the set. */
export interface Contradiction {
  readonly rows: readonly number[];
  readonly message: string;
}

const NUMERIC: ReadonlySet<string> = new Set(["gt", "gte", "min", "lt", "lte", "max"]);
const PATTERNS: ReadonlySet<string> = new Set(["regex", "not_regex"]);
const MOST_SPELLINGS = 256;
const DAY = 86_400_000;

/** The rows of a set that can be read, each to pass. */
export function clausesOf(properties: readonly unknown[]): Clause[] {
  return properties.map(clauseOf).filter((clause) => clause !== null);
}

function clauseOf(row: unknown, index: number): Clause | null {
  const record = asRecord(row);
  if (!record) return null;
  const type = textOf(record.type ?? "person");
  const kind = type === "cohort" || type === "flag" ? type : "property";
  const about =
    kind === "cohort"
      ? textOf(record.value)
      : `${textOf(record.group_type_index ?? "")} ${textOf(record.key)}`;
  const fallback = kind === "cohort" ? "in" : "exact";
  const named = typeof record.operator === "string" && record.operator ? record.operator : fallback;
  const operator = kind === "cohort" && named === "exact" ? "in" : named;
  return {
    index,
    subject: `${type} ${about}`,
    kind,
    operator,
    value: record.value,
    comparison: kind === "property" ? compileComparison(operator, record.value, "complete") : null,
    passes: true,
  };
}

/** The rows of one set that contradict each other, at most once for each subject. */
export function findContradictions(clauses: readonly Clause[], now: number): Contradiction[] {
  const found: Contradiction[] = [];
  for (const about of Map.groupBy(clauses, ({ subject }) => subject).values()) {
    if (clash(about, now) === null) continue;
    let core = about;
    for (const clause of about) {
      const fewer = core.filter((each) => each !== clause);
      if (clash(fewer, now) !== null) core = fewer;
    }
    found.push({ rows: core.map(({ index }) => index), message: clash(core, now) ?? "" });
  }
  return found;
}

/** Whether everyone who satisfies all of these rows satisfies the other one too. */
export function implies(clauses: readonly Clause[], row: Clause, now: number): boolean {
  const about = clauses.filter(({ subject }) => subject === row.subject);
  return about.length > 0 && clash([...about, { ...row, passes: !row.passes }], now) !== null;
}

/** Why no one satisfies all of these, which are about one subject; null when someone may. */
function clash(clauses: readonly Clause[], now: number): string | null {
  const first = clauses[0];
  if (!first) return null;
  if (first.kind === "flag") return clashOfFlag(clauses);
  if (first.kind === "cohort") return isCohortClash(clauses) ? OPPOSITE : null;
  return clashOfProperty(clauses, now);
}

const OPPOSITE = "One row is the opposite of the other.";

const isSameRow = (a: Clause, b: Clause) =>
  a.operator === b.operator && textOf(a.value) === textOf(b.value) && typeof a.value === typeof b.value;

const hasBothWays = (clauses: readonly Clause[]) =>
  clauses.some((a) => a.passes && clauses.some((b) => !b.passes && isSameRow(a, b)));

function isCohortClash(clauses: readonly Clause[]): boolean {
  const asks = (operator: string) => clauses.some((each) => each.passes && each.operator === operator);
  return (asks("in") && asks("not_in")) || hasBothWays(clauses);
}

/** Every value the flag could have is tried; one that no row mentions stands for the other variants. */
function clashOfFlag(clauses: readonly Clause[]): string | null {
  const rows = clauses.filter(({ operator }) => operator === "flag_evaluates_to");
  const values = [false, true, Symbol("another variant"), ...rows.map(({ value }) => value)];
  const passes = ({ value, passes }: Clause, actual: unknown) =>
    (value === true ? actual === true || isVariant(actual) : actual === value) === passes;
  if (values.some((actual) => rows.every((row) => passes(row, actual))))
    return hasBothWays(clauses) ? OPPOSITE : null;
  return "The flag cannot have both values.";
}

const isVariant = (value: unknown) => typeof value === "string" || typeof value === "symbol";

const holds = ({ comparison, passes }: Clause, value: unknown, now: number): boolean =>
  ((value === undefined ? comparison?.absent : comparison?.test(value, now)) === YES) === passes;

function clashOfProperty(all: readonly Clause[], now: number): string | null {
  // What cannot be read is reported as such.
  const clauses = all.filter(({ comparison }) => comparison?.problem === null);
  if (clauses.length === 0) return null;
  if ([undefined, null].some((value) => clauses.every((clause) => holds(clause, value, now)))) return null;
  const listed = clauses.find((each) => each.operator === (each.passes ? "exact" : "is_not"));
  if (listed) return clashOfList(listed, clauses, now);
  // From here on for a property that is there and not null.
  if (clauses.some((each) => each.operator === (each.passes ? "is_not_set" : "is_set")))
    return "One row needs the property, the other its absence.";
  if (hasBothWays(clauses) || asksPatternBothWays(clauses)) return OPPOSITE;
  return (
    clashOfNumbers(clauses) ?? clashOfDates(clauses, now) ?? clashOfVersions(clauses) ?? clashOfTexts(clauses)
  );
}

function asksPatternBothWays(clauses: readonly Clause[]): boolean {
  const wanted = clauses
    .filter((each) => each.passes && each.operator === "regex")
    .map((each) => textOf(each.value));
  return clauses.some(
    (each) => each.passes && each.operator === "not_regex" && wanted.includes(textOf(each.value)),
  );
}

/** Each listed value is held against the other rows, in every spelling where a pattern heeds case. */
function clashOfList(listed: Clause, clauses: readonly Clause[], now: number): string | null {
  const texts = (Array.isArray(listed.value) ? listed.value : [listed.value]).map((each) =>
    textOf(each).toLowerCase(),
  );
  const hasPatterns = clauses.some(({ operator }) => PATTERNS.has(operator));
  const spelled = hasPatterns ? texts.map(spellingsOf) : [];
  const complete = spelled.every((spellings) => spellings !== null);
  const rest = complete ? clauses : clauses.filter(({ operator }) => !PATTERNS.has(operator));
  const values = hasPatterns && complete ? spelled.flatMap((spellings) => spellings ?? []) : texts;
  const possible = values.some((text) =>
    sameAsText(text).some((value) => rest.every((clause) => holds(clause, value, now))),
  );
  return possible ? null : "None of the values matches the other row.";
}

/** A property compared as this text: the text itself, or the number that is written so. */
function sameAsText(text: string): unknown[] {
  const number = Number(text);
  return String(number) === text ? [text, number] : [text];
}

/** Every text that is this one in lower case; null when they are too many, or not all known. */
function spellingsOf(text: string): string[] | null {
  let spellings = [""];
  for (const letter of text) {
    if (letter > "\u007f") return null;
    const upper = letter.toUpperCase();
    // The Kelvin sign is the one letter outside ASCII whose lower case is within.
    const forms = upper === letter ? [letter] : letter === "k" ? ["k", "K", "\u212a"] : [letter, upper];
    spellings = spellings.flatMap((start) => forms.map((form) => start + form));
    if (spellings.length > MOST_SPELLINGS) return null;
  }
  return spellings;
}

/** What lies between bounds; a bound that is strict is not part of it. */
class Interval {
  #low = { at: Number.NEGATIVE_INFINITY, strict: false };
  #high = { at: Number.POSITIVE_INFINITY, strict: false };

  above(at: number, strict: boolean): void {
    if (at > this.#low.at || (at === this.#low.at && strict)) this.#low = { at, strict };
  }

  below(at: number, strict: boolean): void {
    if (at < this.#high.at || (at === this.#high.at && strict)) this.#high = { at, strict };
  }

  get isEmpty(): boolean {
    const { at, strict } = this.#low;
    return at > this.#high.at || (at === this.#high.at && (strict || this.#high.strict));
  }
}

/** A row that must not pass turns its bound around: a number that is not above five is at most five. */
function clashOfNumbers(clauses: readonly Clause[]): string | null {
  const rows = clauses.filter(({ operator }) => NUMERIC.has(operator));
  if (!rows.some(({ passes }) => passes)) return null;
  const interval = new Interval();
  for (const { operator, value, passes } of rows) {
    const limit = strictNumber(value);
    if (limit === null) continue;
    const isLower = operator === "gt" || operator === "gte" || operator === "min";
    const strict = (operator === "gt" || operator === "lt") === passes;
    if (isLower === passes) interval.above(limit, strict);
    else interval.below(limit, strict);
  }
  if (interval.isEmpty) return "No number is between the two.";
  const isUnnumeric = (part: string) => /[^\s\d+\-.e]/.test(part);
  return piecesOf(clauses).some((parts) => parts.every(isUnnumeric)) ? "No number contains this text." : null;
}

function clashOfDates(clauses: readonly Clause[], now: number): string | null {
  const rows = clauses.filter(({ operator }) => operator.startsWith("is_date_"));
  if (!rows.some(({ passes }) => passes)) return null;
  const interval = new Interval();
  for (const { operator, value, passes } of rows) {
    const date = parseDateValue(value);
    if (!date) continue;
    const moment = momentOf(date, now);
    if (operator === "is_date_exact") {
      if (!passes) continue;
      const isDay = date.kind === "relative" || date.whole_day;
      const start = isDay ? Math.floor(moment / DAY) * DAY : moment;
      interval.above(start, false);
      interval.below(isDay ? start + DAY : moment, isDay);
    } else if ((operator === "is_date_after") === passes) interval.above(moment, passes);
    else interval.below(moment, passes);
  }
  return interval.isEmpty ? "No date is between the two." : null;
}

/** Versions are whole numbers, so that every row is a stretch from one version up to, not including, another. */
function clashOfVersions(clauses: readonly Clause[]): string | null {
  const rows = clauses.filter(({ operator }) => operator.startsWith("semver_"));
  if (!rows.some(({ passes }) => passes)) return null;
  let low: Version = [0, 0, 0];
  let high: Version | null = null;
  for (const { lower, upper } of rows.map(stretchOf)) {
    if (lower && compareVersions(lower, low) > 0) low = lower;
    if (upper && (high === null || compareVersions(upper, high) < 0)) high = upper;
  }
  if (high !== null && compareVersions(low, high) >= 0) return "No version is between the two.";
  const isSole = high !== null && compareVersions(after(low), high) === 0;
  const refused = rows.filter((row) => row.operator === (row.passes ? "semver_neq" : "semver_eq"));
  const isRefused = refused.some(({ value }) => {
    const version = parseVersion(textOf(value));
    return version !== null && compareVersions(version, low) === 0;
  });
  return isSole && isRefused ? OPPOSITE : null;
}

const after = ([major, minor, patch]: Version): Version => [major, minor, patch + 1];

const RANGES: Readonly<Record<string, typeof tildeRange>> = {
  semver_tilde: tildeRange,
  semver_caret: caretRange,
  semver_wildcard: wildcardRange,
};

function stretchOf({ operator, value, passes }: Clause): { lower?: Version | null; upper?: Version | null } {
  const text = textOf(value);
  const version = parseVersion(text);
  // Above this, the next number is not told from it.
  if (version && !version.every((part) => part < Number.MAX_SAFE_INTEGER)) return {};
  const range = RANGES[operator];
  if (range) return passes ? (range(text) ?? {}) : {};
  if (!version) return {};
  switch (operator) {
    case "semver_eq":
    case "semver_neq":
      return (operator === "semver_eq") === passes ? { lower: version, upper: after(version) } : {};
    case "semver_gt":
      return passes ? { lower: after(version) } : { upper: after(version) };
    case "semver_gte":
      return passes ? { lower: version } : { upper: version };
    case "semver_lt":
      return passes ? { upper: version } : { lower: version };
    case "semver_lte":
      return passes ? { upper: after(version) } : { lower: after(version) };
    default:
      return {};
  }
}

const lower = (value: unknown) => textOf(value).toLowerCase();

const partsOf = (value: unknown) => (Array.isArray(value) ? asList(value) : [value]).map(lower);

/** Texts of a positive operator, whether its row passes or the row of its contrary does not. */
function textsOf(clauses: readonly Clause[], operator: string, wanted: boolean): string[] {
  const contrary = `not_${operator}`;
  return clauses
    .filter((each) => each.operator === (each.passes === wanted ? operator : contrary))
    .map(({ value }) => lower(value));
}

/** What the text contains: of each list at least one part. */
function piecesOf(clauses: readonly Clause[]): string[][] {
  const lists = clauses
    .filter(({ operator, passes }) => operator === (passes ? "icontains_multi" : "not_icontains_multi"))
    .map(({ value }) => partsOf(value));
  const sole = ["icontains", "starts_with", "ends_with"].flatMap((operator) =>
    textsOf(clauses, operator, true),
  );
  return [[""], ...sole.map((part) => [part]), ...lists];
}

function clashOfTexts(clauses: readonly Clause[]): string | null {
  const starts = textsOf(clauses, "starts_with", true);
  const ends = textsOf(clauses, "ends_with", true);
  if (starts.some((x) => starts.some((y) => !x.startsWith(y) && !y.startsWith(x))))
    return "No text starts with both.";
  if (ends.some((x) => ends.some((y) => !x.endsWith(y) && !y.endsWith(x)))) return "No text ends with both.";
  const refused = [
    ...textsOf(clauses, "icontains", false),
    ...clauses
      .filter(({ operator, passes }) => operator === (passes ? "not_icontains_multi" : "icontains_multi"))
      .flatMap(({ value }) => partsOf(value)),
  ];
  const isRefused = (part: string) => refused.some((text) => part.includes(text));
  const clashes =
    piecesOf(clauses).some((parts) => parts.every(isRefused)) ||
    textsOf(clauses, "starts_with", false).some((no) => starts.concat("").some((x) => x.startsWith(no))) ||
    textsOf(clauses, "ends_with", false).some((no) => ends.concat("").some((x) => x.endsWith(no)));
  return clashes ? OPPOSITE : null;
}
