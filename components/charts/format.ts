/**
 * What a chart's numbers are: `count` whole things; `share` a fraction of one, written in percent; `lift` the
 * same with its sign; `number` anything else.
 */
export type Unit = "count" | "share" | "lift" | "number";

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
  return text.format(value);
}

function percent(fraction: number, digits: number, signed: boolean): string {
  const text = new Intl.NumberFormat(locale, {
    maximumFractionDigits: digits,
    minimumFractionDigits: digits,
    signDisplay: signed ? "exceptZero" : "negative",
  });
  return `${text.format(fraction * 100)} %`;
}

/** Ticks are shorter: no needless decimals. */
export function formatTick(value: number, { unit }: Measure): string {
  if (unit === "share" || unit === "lift") {
    const text = new Intl.NumberFormat(locale, {
      maximumFractionDigits: 2,
      signDisplay: unit === "lift" ? "exceptZero" : "negative",
    });
    return `${text.format(value * 100)} %`;
  }
  return new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 2 }).format(value);
}

/** "1.4 % to 6.9 %". */
export const formatInterval = (interval: readonly [number, number], measure: Measure): string =>
  `${formatValue(interval[0], measure)} to ${formatValue(interval[1], measure)}`;

const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
const fullDay = new Intl.DateTimeFormat(locale, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** Short date of a moment in milliseconds, in UTC: "3 Mar". */
export const formatDay = (at: number): string => day.format(at);

/** The same with its year. */
export const formatFullDay = (at: number): string => fullDay.format(at);
