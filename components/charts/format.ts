/**
 * What a chart's numbers are: `count` whole things; `share` a fraction of one, written in percent; `lift` the
 * same with its sign; `number` anything else.
 */
type Unit = "count" | "share" | "lift" | "number";

/** A unit with its decimals (a sensible few where absent). */
export type Measure = { unit: Unit; digits?: number };

const locale = "en";

/** A number as text in a chart, a table twin or a caption. Never writes "-0". */
export function formatValue(value: number, { unit, digits }: Measure): string {
  if (!Number.isFinite(value)) return "–";
  if (unit === "share" || unit === "lift") return percent(value, digits ?? 1, unit === "lift");
  const most = digits ?? (unit === "count" ? 0 : 2);
  const text = new Intl.NumberFormat(locale, {
    maximumFractionDigits: most,
    minimumFractionDigits: digits ?? 0,
    signDisplay: "negative",
  });
  return minus(text.format(value));
}

/** The sign of a number below zero, as wide as a plus. */
const minus = (text: string): string => text.replace("-", "−");

function percent(fraction: number, digits: number, signed: boolean): string {
  const text = new Intl.NumberFormat(locale, {
    maximumFractionDigits: digits,
    minimumFractionDigits: digits,
    signDisplay: signed ? "exceptZero" : "negative",
  });
  return `${minus(text.format(fraction * 100))} %`;
}

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
  if (unit === "share" || unit === "lift") {
    const text = new Intl.NumberFormat(locale, {
      maximumFractionDigits: 2,
      signDisplay: unit === "lift" ? "exceptZero" : "negative",
    });
    return `${minus(text.format(value * 100))} %`;
  }
  return minus(
    new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 2 }).format(value),
  );
}

/** "1.4 % to 6.9 %". */
export const formatInterval = (interval: readonly [number, number], measure: Measure): string =>
  `${formatValue(interval[0], measure)} to ${formatValue(interval[1], measure)}`;

// Days are written as everywhere in the dashboard: "3 Mar 2026".
const dates = (parts: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: "UTC" });
const day = dates({ day: "numeric", month: "short" });
const month = dates({ month: "short", year: "numeric" });
const fullDay = dates({ day: "numeric", month: "short", year: "numeric" });

/** Short date of a moment in milliseconds, in UTC: "3 Mar". */
export const formatDay = (at: number): string => day.format(at);

/** The same with its year. */
export const formatFullDay = (at: number): string => fullDay.format(at);

/** Its month: "Mar 2026". */
export const formatMonth = (at: number): string => month.format(at);

/** Days from one to another, both included: "28 Feb to 5 Mar 2026". */
export function formatDays(from: number, to: number): string {
  if (from === to) return formatFullDay(to);
  const sameYear = new Date(from).getUTCFullYear() === new Date(to).getUTCFullYear();
  return `${sameYear ? formatDay(from) : formatFullDay(from)} to ${formatFullDay(to)}`;
}
