import type { Json } from "#lib/engines/json.ts";

const COUNTING: ReadonlySet<string> = new Set(["total", "dau", "unique_session", "unique_group"]);

/** Whether a source of any form counts occurrences, rather than adding up amounts. */
export function countsEvents(source: unknown): boolean {
  const math = (source as { math?: unknown } | null | undefined)?.math ?? "total";
  return COUNTING.has(String(math));
}

/** Whether a metric in any state has a value in the unit of a property. */
export const hasAmounts = ({ metric_type, source, numerator }: Json): boolean =>
  (metric_type === "mean" && !countsEvents(source)) || (metric_type === "ratio" && !countsEvents(numerator));

/** An ISO 4217 code. */
export const CURRENCY = /^[A-Z]{3}$/;

/** The currency of the value of a metric in any state; null where it is not in money. */
export const currencyOf = (metric: Json): string | null =>
  hasAmounts(metric) && typeof metric.currency === "string" && CURRENCY.test(metric.currency)
    ? metric.currency
    : null;
