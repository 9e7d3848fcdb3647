import { momentOf, parseDateValue, parseMoment } from "./dates.ts";
import { asList, textOf } from "./json.ts";
import { compileRegex } from "./regex.ts";
import {
  caretRange,
  compareVersions,
  isWithin,
  parseVersion,
  tildeRange,
  type VersionRange,
  wildcardRange,
} from "./semver.ts";
import type { Mode, Operator } from "./types.ts";
import { NO, UNKNOWN, type Verdict, YES } from "./verdict.ts";

/** A row's operator and value, compiled for matching a property. */
export interface Comparison {
  /** The verdict on a property that is there (null included). */
  readonly test: (value: unknown, now: number) => Verdict;
  /** The verdict when the property is not there. */
  readonly absent: Verdict;
  /** The one text that `comparableText` of a property is compared with for being equal; null for other comparisons. */
  readonly text: string | null;
  /** What is wrong with the operator or its value, in words for the flag's author; null when nothing is. */
  readonly problem: string | null;
}

/** Null: the property's value cannot be compared this way. */
type Test = (value: unknown, now: number) => boolean | null;
type Built = { readonly test: Test } | { readonly problem: string };

/** Operators that say the contrary of another one. */
const CONTRARY: Readonly<Record<string, Operator>> = {
  is_not: "exact",
  not_icontains: "icontains",
  not_icontains_multi: "icontains_multi",
  not_starts_with: "starts_with",
  not_ends_with: "ends_with",
  not_regex: "regex",
};

/** Known to the server but to no SDK, which therefore asks the server. */
const SERVER_ONLY: ReadonlySet<string> = new Set([
  "is_date_exact",
  "icontains_multi",
  "not_icontains_multi",
  "min",
  "max",
]);

const BUILDERS: Readonly<Record<string, (value: unknown, mode: Mode) => Built>> = {
  exact: (value) => ({ test: exactly(value) }),
  icontains: (value) => onText(value, (text, part) => text.includes(part)),
  icontains_multi: containsAny,
  starts_with: (value) => onText(value, (text, part) => text.startsWith(part)),
  ends_with: (value) => onText(value, (text, part) => text.endsWith(part)),
  regex: matching,
  gt: (value, mode) => ordered(value, mode, (difference) => difference > 0),
  gte: (value, mode) => ordered(value, mode, (difference) => difference >= 0),
  lt: (value, mode) => ordered(value, mode, (difference) => difference < 0),
  lte: (value, mode) => ordered(value, mode, (difference) => difference <= 0),
  min: (value, mode) => ordered(value, mode, (difference) => difference >= 0),
  max: (value, mode) => ordered(value, mode, (difference) => difference <= 0),
  is_date_exact: onSameDate,
  is_date_before: (value) => dated(value, (moment, limit) => moment < limit),
  is_date_after: (value) => dated(value, (moment, limit) => moment > limit),
  semver_eq: (value) => versioned(value, (order) => order === 0),
  semver_neq: (value) => versioned(value, (order) => order !== 0),
  semver_gt: (value) => versioned(value, (order) => order > 0),
  semver_gte: (value) => versioned(value, (order) => order >= 0),
  semver_lt: (value) => versioned(value, (order) => order < 0),
  semver_lte: (value) => versioned(value, (order) => order <= 0),
  semver_tilde: (value) => ranged(tildeRange(textOf(value)), "a version such as 1.2.3"),
  semver_caret: (value) => ranged(caretRange(textOf(value)), "a version such as 1.2.3"),
  semver_wildcard: (value) => ranged(wildcardRange(textOf(value)), "a version with a wildcard such as 1.2.*"),
};

/** Every operator a person or group row can carry. */
export const PROPERTY_OPERATORS: readonly string[] = [
  ...Object.keys(BUILDERS),
  ...Object.keys(CONTRARY),
  "is_set",
  "is_not_set",
];

/**
 * Prepares a comparison: sets are lower-cased, patterns compiled, dates and versions parsed, once.
 *
 * In complete mode a missing property matches the negative operators and nothing else, and an
 * operator or value that makes no sense never matches. In partial mode both are undecided.
 * Two more differences come from the SDKs, which partial mode mirrors: they order texts that are not
 * numbers alphabetically where the server says no, and let a null property match no negative operator but
 * `is_not`.
 */
export function compileComparison(operator: string, value: unknown, mode: Mode): Comparison {
  const undecided = mode === "partial" ? UNKNOWN : NO;
  if (operator === "is_set") return { test: () => YES, absent: undecided, text: null, problem: null };
  if (operator === "is_not_set") {
    return { test: () => NO, absent: mode === "partial" ? UNKNOWN : YES, text: null, problem: null };
  }
  const negative = Object.hasOwn(CONTRARY, operator);
  const base = negative ? (CONTRARY[operator] as string) : operator;
  const build = Object.hasOwn(BUILDERS, base) ? BUILDERS[base] : undefined;
  if (!build) return never(`The operator "${operator}" is not known.`, undecided, undecided);
  if (mode === "partial" && SERVER_ONLY.has(operator))
    return { test: () => UNKNOWN, absent: UNKNOWN, text: null, problem: null };
  if (value === undefined) return never("The row has no value to compare with.", undecided, undecided);
  const built = build(value, mode);
  if ("problem" in built) {
    // A bad pattern never matches, for SDKs too; other bad values they leave to the server.
    return never(built.problem, base === "regex" ? NO : undecided, undecided);
  }
  const absent = negative && mode === "complete" ? YES : undecided;
  const text = base === "exact" ? soleText(value) : null;
  return { test: verdictOf(operator, negative, built.test, mode), absent, text, problem: null };
}

function verdictOf(operator: string, negative: boolean, test: Test, mode: Mode): Comparison["test"] {
  const undecided = mode === "partial" ? UNKNOWN : NO;
  const whenNull = negative && mode === "complete" ? YES : NO;
  const nullIsText = operator === "is_not";
  return (value, now) => {
    if (value === null && !nullIsText) return whenNull;
    const passed = test(value, now);
    if (passed === null) return undecided;
    return passed === negative ? NO : YES;
  };
}

function never(problem: string, present: Verdict, absent: Verdict): Comparison {
  return { test: (value) => (value === null ? NO : present), absent, text: null, problem };
}

/** A value as it is compared for being equal: as text, whatever its case. */
export function comparableText(value: unknown): string {
  return textOf(value).toLowerCase();
}

/** The text of a value, or of a list with a single one. */
function soleText(value: unknown): string | null {
  if (!Array.isArray(value)) return comparableText(value);
  return value.length === 1 ? comparableText(value[0]) : null;
}

function exactly(value: unknown): Test {
  const sole = soleText(value);
  if (sole !== null) return (given) => comparableText(given) === sole;
  const wanted = new Set(asList(value).map(comparableText));
  return (given) => wanted.has(comparableText(given));
}

function onText(value: unknown, holds: (text: string, part: string) => boolean): Built {
  const part = comparableText(value);
  return { test: (given) => holds(comparableText(given), part) };
}

function containsAny(value: unknown): Built {
  const parts = (Array.isArray(value) ? value : [value]).map(comparableText);
  return {
    test: (given) => {
      const text = comparableText(given);
      return parts.some((part) => text.includes(part));
    },
  };
}

function matching(value: unknown): Built {
  const regex = compileRegex(textOf(value));
  if (regex.error !== null) return { problem: regex.error };
  const { test } = regex;
  return { test: (given) => test(textOf(given)) };
}

function ordered(value: unknown, mode: Mode, holds: (difference: number) => boolean): Built {
  const limit = mode === "partial" ? looseNumber(value) : strictNumber(value);
  if (mode === "complete") {
    if (limit === null) return { problem: "The value is not a number." };
    return {
      test: (given) => {
        const number = strictNumber(given);
        return number === null ? null : holds(number - limit);
      },
    };
  }
  const text = textOf(value);
  return {
    test: (given) => {
      const number = looseNumber(given);
      if (limit !== null && number !== null) return holds(number - limit);
      const other = textOf(given);
      return holds(other < text ? -1 : other > text ? 1 : 0);
    },
  };
}

/** A JSON number, or a text that is one from end to end. */
export function strictNumber(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** As the SDKs read it: the number a text starts with. */
function looseNumber(value: unknown): number | null {
  const number = typeof value === "number" ? value : Number.parseFloat(textOf(value));
  return Number.isFinite(number) ? number : null;
}

function dated(value: unknown, holds: (moment: number, limit: number) => boolean): Built {
  const date = parseDateValue(value);
  if (!date) return { problem: "The value is not a date: use 2026-01-31 or a span such as -30d." };
  return {
    test: (given, now) => {
      const moment = parseMoment(given);
      return moment === null ? null : holds(moment, momentOf(date, now));
    },
  };
}

/** A row's date without a time of day means that whole day, in UTC. */
function onSameDate(value: unknown): Built {
  const day = 86_400_000;
  const date = parseDateValue(value);
  const wholeDay = date !== null && (date.kind === "relative" || date.whole_day);
  return dated(value, (moment, limit) =>
    wholeDay ? Math.floor(moment / day) === Math.floor(limit / day) : moment === limit,
  );
}

function versioned(value: unknown, holds: (order: number) => boolean): Built {
  const limit = parseVersion(textOf(value));
  if (!limit) return { problem: "The value is not a version: use three numbers such as 1.2.3." };
  return {
    test: (given) => {
      const version = parseVersion(textOf(given));
      return version === null ? null : holds(compareVersions(version, limit));
    },
  };
}

function ranged(range: VersionRange | null, expected: string): Built {
  if (!range) return { problem: `The value is not ${expected}.` };
  return {
    test: (given) => {
      const version = parseVersion(textOf(given));
      return version === null ? null : isWithin(version, range);
    },
  };
}
