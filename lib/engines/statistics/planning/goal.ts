import type { BayesianEstimate, FrequentistEstimate, Goal } from "#lib/engines/statistics/types.ts";

type Estimate = BayesianEstimate | FrequentistEstimate;

/** What a result says to someone who wants the metric to move one way. */
export type Direction = "better" | "worse" | "unclear";

/**
 * The chance that the variant is better, with the goal in mind: below the baseline where lower is better. The
 * API's `chance_to_win` always means "above".
 */
export const chanceToBeBetter = (chance_to_win: number, goal: Goal): number =>
  goal === "decrease" ? 1 - chance_to_win : chance_to_win;

/** A significant result's direction; unclear where it is not significant. */
export function directionOf(estimate: Pick<Estimate, "effect" | "significant">, goal: Goal): Direction {
  if (!estimate.significant || estimate.effect === 0) return "unclear";
  return estimate.effect > 0 === (goal === "increase") ? "better" : "worse";
}
