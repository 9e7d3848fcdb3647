import type { DifferenceType } from "./types.ts";

/** What a metric's values are: shares of units, amounts of money, or numbers in a unit that has no name. */
export type ValueUnit = "share" | "number" | { readonly currency: string };

/**
 * A difference as text: "+4.1%" of the baseline, or absolute in the metric's own unit; of shares in percentage
 * points.
 */
export function differenceText(
  value: number,
  difference: DifferenceType,
  digits = 1,
  unit: ValueUnit = "number",
): string {
  const sign = value > 0 ? "+" : value < 0 ? "−" : "";
  const percent = (100 * Math.abs(value)).toFixed(digits);
  if (difference === "relative") return `${sign}${percent}%`;
  return unit === "share" ? `${sign}${percent} points` : `${sign}${amountText(Math.abs(value), unit)}`;
}

/** A value that is no share, alone or beside others of its column: "12.4", "€12.40". */
export function amountText(value: number, unit: ValueUnit, column: readonly number[] = [value]): string {
  if (typeof unit === "string") return plainNumber(value);
  if (!Number.isFinite(value)) return "–";
  const sizes = column.map(Math.abs).filter((size) => size > 0);
  const smallest = sizes.length > 0 ? Math.min(...sizes) : 1;
  // Cents say nothing of thousands, and not enough where all is cents.
  const digits = smallest >= 1000 ? 0 : smallest < 0.1 ? 4 : undefined;
  const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value
    .toLocaleString("en", { style: "currency", currency: unit.currency, ...fixed })
    .replace("-", "−");
}

/** About four significant digits, with thousands separators. */
export function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && magnitude < 1e-4) return value.toExponential(2);
  const digits = magnitude >= 1000 ? 0 : magnitude >= 100 ? 1 : magnitude >= 1 ? 2 : 4;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/** A p value that never reads 0. */
export function pValueText(p: number): string {
  return p < 0.0001 ? "< 0.0001" : p.toFixed(p < 0.1 ? 4 : 3);
}
