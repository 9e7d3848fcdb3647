import type { DifferenceType } from "./types.ts";

/**
 * A difference as text: "+4.1%" of the baseline, or absolute in the metric's own unit; of shares in percentage
 * points.
 */
export function differenceText(
  value: number,
  difference: DifferenceType,
  digits = 1,
  isShare = false,
): string {
  const sign = value > 0 ? "+" : value < 0 ? "−" : "";
  const percent = (100 * Math.abs(value)).toFixed(digits);
  if (difference === "relative") return `${sign}${percent}%`;
  return isShare ? `${sign}${percent} points` : `${sign}${plainNumber(Math.abs(value))}`;
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
