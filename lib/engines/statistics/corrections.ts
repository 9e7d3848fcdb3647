import type { BayesianEstimate, FrequentistEstimate } from "./types.ts";

/**
 * Several questions at once: with twenty comparisons at 5% one is expected to be "significant" by luck. These
 * corrections take the p values of all variants and metrics together.
 */

const order = (values: readonly number[]) =>
  values.map((_, i) => i).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));

/**
 * Holm's step-down correction (Scandinavian Journal of Statistics 6, 1979): whatever is significant after it is,
 * all together, wrong with at most the stated probability. Holds for dependent questions.
 *
 * @param pValues two-sided, in [0, 1]
 * @returns adjusted p values in the same order: compare them with alpha itself
 */
export function holm(pValues: readonly number[]): number[] {
  const adjusted = new Array<number>(pValues.length).fill(1);
  let running = 0;
  order(pValues).forEach((i, rank) => {
    running = Math.max(running, Math.min(1, (pValues.length - rank) * (pValues[i] ?? 1)));
    adjusted[i] = running;
  });
  return adjusted;
}

/**
 * Benjamini and Hochberg's step-up correction (Journal of the Royal Statistical Society B 57, 1995): of what is
 * significant after it at most the stated share is expected to be wrong. Holds for independent or positively
 * dependent questions.
 *
 * @param pValues two-sided, in [0, 1]
 * @returns adjusted p values in the same order
 */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const adjusted = new Array<number>(pValues.length).fill(1);
  let running = 1;
  order(pValues)
    .map((i, rank) => ({ i, rank }))
    .reverse()
    .forEach(({ i, rank }) => {
      running = Math.min(running, (pValues.length * (pValues[i] ?? 1)) / (rank + 1));
      adjusted[i] = running;
    });
  return adjusted;
}

/**
 * The evidence of an estimate as a two-sided p value. With a flat prior the smaller tail of the posterior,
 * doubled, is the p value of the z test of the same data, so that both methods can be corrected alike.
 */
export function evidenceOf(estimate: BayesianEstimate | FrequentistEstimate): number {
  if (estimate.method === "frequentist") return estimate.p_value;
  return Math.min(1, 2 * Math.min(estimate.chance_to_win, 1 - estimate.chance_to_win));
}

/**
 * The chance to win that a corrected p value leaves, on the side of the raw one.
 *
 * @param adjusted what a correction made of `evidenceOf`
 * @param chance the raw chance to win
 */
export const correctedChance = (adjusted: number, chance: number): number =>
  chance >= 0.5 ? 1 - adjusted / 2 : adjusted / 2;
