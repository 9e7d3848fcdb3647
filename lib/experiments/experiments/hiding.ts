import type { Json } from "#lib/engines/json.ts";

/** Member of an experiment's parameters: its metrics stay hidden until the planned sample is reached. */
export const HIDE_PARAMETER = "hide_results_until_planned_sample";

/** Whether pages leave the metrics out: with so many units counted, the planned sample is not reached. */
export function hidesMetrics(parameters: Json | null, counted: number): boolean {
  const sample = parameters?.recommended_sample_size;
  return parameters?.[HIDE_PARAMETER] === true && typeof sample === "number" && counted < sample;
}
