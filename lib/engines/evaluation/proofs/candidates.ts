import { momentOf, parseDateValue } from "#lib/engines/evaluation/values/dates.ts";
import { textOf } from "#lib/engines/evaluation/values/json.ts";
import { type Comparison, strictNumber } from "#lib/engines/evaluation/values/operators.ts";
import { parseVersion, type Version } from "#lib/engines/evaluation/values/semver.ts";
import { YES } from "#lib/engines/evaluation/values/verdict.ts";
import { sampleTexts } from "./patterns.ts";

/** What a property has to look like: a row about it that is to pass, or not to pass. */
export interface Wanted {
  readonly operator: string;
  readonly value: unknown;
  readonly comparison: Comparison;
  readonly passes: boolean;
}

const DAY = 86_400_000;
const MOST_TEXTS = 400;
const MOST_LISTED = 1_000;
const MOST_CHOICES = 50;
/** For rows that say what a property must not be. */
const ANY: readonly unknown[] = [
  "yes",
  "other",
  1,
  "a",
  "",
  "xyz-1",
  0,
  -1,
  1000,
  "1.0.0",
  "0.0.1",
  "2000-01-01",
  true,
  false,
];

/**
 * Values of a property that do as all rows want, the plainest first; undefined stands for its absence. Built from the
 * rows, then tried on them: none is returned that does not fit, and there may be one where none is found.
 */
export function fittingValues(wanted: readonly Wanted[], now: number): unknown[] {
  const fits = (value: unknown) =>
    wanted.every(({ comparison, passes }) => {
      const verdict = value === undefined ? comparison.absent : comparison.test(value, now);
      return (verdict === YES) === passes;
    });
  const numbers = aroundNumbers(wanted);
  const candidates = [
    undefined,
    ...listed(wanted),
    ...texts(wanted),
    ...numbers,
    ...numbers.map(String),
    ...aroundDates(wanted, now),
    ...aroundVersions(wanted),
    ...ANY,
    null,
  ];
  return [...new Set(candidates)].filter(fits);
}

const itemsOf = ({ value }: Wanted) => (Array.isArray(value) ? value : [value]);

const textsOf = (wanted: readonly Wanted[], operators: readonly string[]) =>
  wanted.filter(({ operator }) => operators.includes(operator)).flatMap((each) => itemsOf(each).map(textOf));

function listed(wanted: readonly Wanted[]): unknown[] {
  const values = textsOf(wanted, ["exact", "is_not"]).slice(0, MOST_LISTED);
  return values
    .flatMap((text) => [text, text.toUpperCase(), text.toLowerCase(), capitalised(text), Number(text)])
    .filter((value) => !Number.isNaN(value) && value !== Number.POSITIVE_INFINITY);
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Beginnings, what is in between, and ends, put together. */
function texts(wanted: readonly Wanted[]): string[] {
  const longest = (operator: string) =>
    textsOf(wanted, [operator]).toSorted((a, b) => b.length - a.length)[0] ?? "";
  const start = longest("starts_with");
  const end = longest("ends_with");
  const inside = textsOf(wanted, ["icontains"]);
  const patterns = wanted.filter(
    ({ operator, comparison }) => operator.endsWith("regex") && comparison.problem === null,
  );
  const samples = patterns.flatMap(({ value }) => sampleTexts(textOf(value)));
  const choices = ["", ...textsOf(wanted, ["icontains_multi"]).slice(0, MOST_CHOICES)];
  const middles = ["", ...samples].flatMap((sample) =>
    choices.flatMap((choice) => [sample + inside.join("") + choice, inside.join("") + choice + sample]),
  );
  const whole = middles.flatMap((middle) => [start + middle + end, middle + end, start + middle, middle]);
  // An address reads better with somebody before the sign.
  return whole
    .filter((text) => text !== "")
    .slice(0, MOST_TEXTS)
    .flatMap((text) => (text.startsWith("@") ? [`someone${text}`, text] : [text]));
}

/** Each limit, what is just below and above, and what is halfway to the next. */
function around(limits: readonly number[], step: number): number[] {
  const sorted = limits.toSorted((a, b) => a - b);
  const between = sorted.slice(1).map((limit, i) => (limit + (sorted[i] as number)) / 2);
  return [...sorted.flatMap((limit) => [limit + step, limit, limit - step]), ...between];
}

function aroundNumbers(wanted: readonly Wanted[]): number[] {
  const limits = wanted
    .filter(({ operator }) => /^(gte?|lte?|min|max)$/.test(operator))
    .flatMap(({ value }) => strictNumber(value) ?? []);
  return around(limits, 1).map((number) => (Number.isFinite(number) ? number : 0));
}

function aroundDates(wanted: readonly Wanted[], now: number): string[] {
  const limits = wanted
    .filter(({ operator }) => operator.startsWith("is_date_"))
    .flatMap(({ value }) => parseDateValue(value) ?? [])
    .map((date) => momentOf(date, now));
  return around(limits, DAY).flatMap((moment) => {
    const date = new Date(moment);
    const text = Number.isNaN(date.getTime()) ? "" : date.toISOString();
    return /^\d{4}-/.test(text) ? [text.slice(0, 10), text] : [];
  });
}

function aroundVersions(wanted: readonly Wanted[]): string[] {
  const limits = wanted
    .filter(({ operator }) => operator.startsWith("semver_"))
    .map(({ value }) => parseVersion(textOf(value).replaceAll("*", "0")));
  return limits.flatMap((limit) => (limit ? near(limit) : []));
}

function near([major, minor, patch]: Version): string[] {
  const versions = [
    [major, minor, patch],
    [major, minor, patch + 1],
    [major, minor + 1, 0],
    [major + 1, 0, 0],
    [major, minor, patch - 1],
    [major, minor - 1, 0],
    [major - 1, 0, 0],
  ];
  return versions.filter((version) => version.every((part) => part >= 0)).map((version) => version.join("."));
}
