/** How numbers, percentages, durations and dates are written, on every page and in every document. */

/**
 * What a chart's numbers are: `count` whole things; `share` a fraction of one, written in percent; `lift` the
 * same with its sign; `number` anything else.
 */
type Unit = "count" | "share" | "lift" | "number";

/** A unit with its decimals (a sensible few where absent). */
export type Measure = { unit: Unit; digits?: number };

const LOCALE = "en";

/** The sign of a number below zero, as wide as a plus. */
const minus = (text: string): string => text.replace("-", "−");

const formats = new Map<string, Intl.NumberFormat>();

/** Making a format takes far longer than using it, and a page writes thousands of numbers in a few formats. */
function formatOf(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const name = JSON.stringify(options);
  const format = formats.get(name) ?? new Intl.NumberFormat(LOCALE, { signDisplay: "negative", ...options });
  formats.set(name, format);
  return format;
}

const number = (value: number, options: Intl.NumberFormatOptions): string =>
  Number.isFinite(value) ? minus(formatOf(options).format(value)) : "–";

/** A whole number: "1,204". Never writes "-0". */
export const formatCount = (value: number): string => number(value, { maximumFractionDigits: 0 });

/** A number with at most two decimals, or with exactly as many as are named: "7.4". */
export const formatNumber = (value: number, digits?: number): string =>
  number(value, { maximumFractionDigits: digits ?? 2, minimumFractionDigits: digits ?? 0 });

/** Three digits are enough: "1.23K", "12.3M". */
export const formatCompact = (value: number): string =>
  number(value, { notation: "compact", maximumSignificantDigits: 3 });

/** A fraction in percent, with exactly so many decimals: "20.5%". */
export const formatPercent = (fraction: number, digits = 1): string => percent(fraction, digits, digits);

/** The same without decimals that say nothing: "20%", "20.5%". */
export const formatShortPercent = (fraction: number, most = 2): string => percent(fraction, 0, most);

/** A fraction in percent with its sign: "+20.5%". */
const formatLift = (fraction: number, digits = 1): string => percent(fraction, digits, digits, "exceptZero");

function percent(
  fraction: number,
  least: number,
  most: number,
  signDisplay: "negative" | "exceptZero" = "negative",
): string {
  const text = number(fraction * 100, {
    maximumFractionDigits: most,
    minimumFractionDigits: least,
    signDisplay,
  });
  return Number.isFinite(fraction) ? `${text}%` : text;
}

/** A number as text in a chart, a table twin or a caption. */
export function formatValue(value: number, { unit, digits }: Measure): string {
  if (unit === "share") return formatPercent(value, digits);
  if (unit === "lift") return formatLift(value, digits);
  return unit === "count" ? formatNumber(value, digits ?? 0) : formatNumber(value, digits);
}

/** "1 answer", "1,204 answers". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

type DurationUnit = { name: string; seconds: number };
const DAY: DurationUnit = { name: "d", seconds: 86_400 };
const HOUR: DurationUnit = { name: "h", seconds: 3_600 };
const MINUTE: DurationUnit = { name: "min", seconds: 60 };
const SECOND: DurationUnit = { name: "s", seconds: 1 };

function inUnits(seconds: number, large: DurationUnit, small: DurationUnit): string {
  const each = large.seconds / small.seconds;
  const total = Math.round(seconds / small.seconds);
  const rest = total % each;
  const whole = `${formatValue((total - rest) / each, { unit: "count" })} ${large.name}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small.name}`;
}

/** A duration in its two largest units, under a minute to a tenth of a second: "16.7 s", "1 min 26 s", "2 h 5 min". */
export function formatDuration(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  if (tenths < 600) return `${formatValue(tenths / 10, { unit: "number" })} s`;
  if (Math.round(seconds) < HOUR.seconds) return inUnits(seconds, MINUTE, SECOND);
  return Math.round(seconds / 60) < 1_440 ? inUnits(seconds, HOUR, MINUTE) : inUnits(seconds, DAY, HOUR);
}

/** Ticks are shorter: no needless decimals. */
export function formatTick(value: number, { unit }: Measure): string {
  if (unit === "share" || unit === "lift")
    return percent(value, 0, 2, unit === "lift" ? "exceptZero" : "negative");
  return number(value, { notation: "compact", maximumFractionDigits: 2, signDisplay: "auto" });
}

/** "1.4% to 6.9%". */
export const formatInterval = (interval: readonly [number, number], measure: Measure): string =>
  `${formatValue(interval[0], measure)} to ${formatValue(interval[1], measure)}`;

// Days are written as everywhere in the dashboard: "3 Mar 2026".
const dates = (parts: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: "UTC" });
const day = dates({ day: "numeric", month: "short" });
const month = dates({ month: "short", year: "numeric" });
const fullDay = dates({ day: "numeric", month: "short", year: "numeric" });
const longDay = dates({ weekday: "long", day: "numeric", month: "long", year: "numeric" });

/** Short date of a moment in milliseconds, in UTC: "3 Mar". */
export const formatDay = (at: number): string => day.format(at);

/** The same with its year. */
export const formatFullDay = (at: number): string => fullDay.format(at);

/** The day of a moment in the reader's own time zone: "3 Mar 2026". */
export const formatLocalDay = (at: number): string =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" }).format(at);
/** The day in full: "Tuesday 3 March 2026". */
export const formatLongDay = (at: number): string => longDay.format(at);

/** The time of day, in UTC: "09:05:07". */
export const formatClock = (at: number): string => new Date(at).toISOString().slice(11, 19);

/** Its month: "Mar 2026". */
export const formatMonth = (at: number): string => month.format(at);

/** Days from one to another, both included: "28 Feb to 5 Mar 2026". */
export function formatDays(from: number, to: number): string {
  if (from === to) return formatFullDay(to);
  const sameYear = new Date(from).getUTCFullYear() === new Date(to).getUTCFullYear();
  return `${sameYear ? formatDay(from) : formatFullDay(from)} to ${formatFullDay(to)}`;
}

const momentFormats = new Map<string, Intl.DateTimeFormat>();

/** A moment by the clock of a time zone, which is named: "Sun, 29 Mar 2026, 09:00 CEST". */
export function formatMomentIn(at: number, timezone: string): string {
  const format =
    momentFormats.get(timezone) ??
    new Intl.DateTimeFormat("en-GB", {
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      timeZoneName: "short",
      timeZone: timezone,
    });
  momentFormats.set(timezone, format);
  return format.format(at);
}

/** Units in seconds, and from how many of them they are used: "last year" would say little about 23 months ago. */
const steps = [
  ["year", 31_556_952, 2],
  ["month", 2_629_746, 2],
  ["week", 604_800, 2],
  ["day", 86_400, 1],
  ["hour", 3_600, 1],
  ["minute", 60, 1],
] as const;

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/**
 * A moment in words, seen from `now`: "2 days ago", "in 3 hours", "just now".
 *
 * @param date ISO 8601
 * @param now milliseconds since 1970
 * @returns the date itself when it cannot be read
 */
export function relativeTime(date: string, now: number): string {
  const seconds = (Date.parse(date) - now) / 1000;
  if (Number.isNaN(seconds)) return date;
  for (const [unit, size, fewest] of steps) {
    if (Math.abs(seconds) >= size * fewest) return words.format(Math.trunc(seconds / size), unit);
  }
  return Math.abs(seconds) < 10
    ? "just now"
    : seconds < 0
      ? "less than a minute ago"
      : "in less than a minute";
}

/**
 * The exact moment: in the reader's own time zone when `local`, else in UTC (what a server can know).
 *
 * @param date ISO 8601
 */
export function exactTime(date: string, local: boolean): string {
  const moment = new Date(date);
  if (Number.isNaN(moment.getTime())) return date;
  const style: Intl.DateTimeFormatOptions = {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  };
  return new Intl.DateTimeFormat("en-GB", local ? style : { ...style, timeZone: "UTC" }).format(moment);
}
