import type { Goal } from "#lib/engines/statistics/types.ts";

/** What a result says to someone who wants the metric to move one way. */
export type Direction = "better" | "worse" | "unclear";

/**
 * The chance that the variant is better, with the goal in mind: below the baseline where lower is better. The
 * API's `chance_to_win` always means "above".
 */
export const chanceToBeBetter = (chance_to_win: number, goal: Goal): number =>
  goal === "decrease" ? 1 - chance_to_win : chance_to_win;

type Judged = {
  readonly effect: number;
  /** Two bounds, lower first. */
  readonly interval: readonly number[];
};

/** Whether a difference was found: the one rule of verdicts, plans and the ledger of looks. */
export const excludesZero = ([low = 0, high = 0]: readonly number[]): boolean => low > 0 || high < 0;

const sideOf = (effect: number, goal: Goal): "better" | "worse" =>
  effect > 0 === (goal === "increase") ? "better" : "worse";

/** A result's direction; unclear where its interval includes zero. */
export const directionOf = ({ effect, interval }: Judged, goal: Goal): Direction =>
  excludesZero(interval) ? sideOf(effect, goal) : "unclear";

/**
 * What the dashboard says of a comparison. "Leaning" is a result that one rule calls significant and another does not:
 * the chance of a Bayesian one whose interval includes zero, or one that does not hold once corrected for the other
 * comparisons.
 */
export type Verdict = Direction | "leaning_better" | "leaning_worse";

/** The one verdict on a comparison: better or worse only where no rule says otherwise. */
export function verdictOf(
  estimate: Judged & { readonly significant: boolean; readonly significant_holm?: boolean | undefined },
  goal: Goal,
): Verdict {
  const clear = excludesZero(estimate.interval);
  if (estimate.effect === 0 || !(clear || estimate.significant)) return "unclear";
  const side = sideOf(estimate.effect, goal);
  return clear && estimate.significant_holm !== false ? side : `leaning_${side}`;
}
