import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";

/** A variant as a flag or an experiment's parameters hold it. */
export type Variant = { key: string; name?: string | null; rollout_percentage: number };

/** The variants of a flag; none for a flag that is only on or off. */
export function variantsOfFlag(filters: Record<string, unknown>): Variant[] {
  const multivariate = filters.multivariate as { variants?: Variant[] } | null | undefined;
  return multivariate?.variants ?? [];
}

/** The split of an experiment: of a launched one that of its own record, which outlives its flag's. */
export const splitOfExperiment = ({
  phases,
  feature_flag,
}: Pick<ExperimentRecord, "phases" | "feature_flag">): Variant[] =>
  phases.at(-1)?.variants ?? variantsOfFlag(feature_flag.filters);

/** Why an experiment cannot use a flag, in words; null if it can. */
export function findEligibilityProblem(filters: Record<string, unknown>): string | null {
  const keys = variantsOfFlag(filters).map(({ key }) => key);
  if (keys.length === 0) return "It has no variants: an experiment needs at least two to compare.";
  if (keys.length === 1) return "It has only one variant: there is nothing to compare.";
  if (!keys.includes("control")) return "None of its variants has the key control.";
  return keys[0] === "control" ? null : "Its first variant must be control.";
}

/** Smallest step of a share: the split is edited in whole percents. */
const WHOLE = 100;

/**
 * Shares after one of them was set: the others give or take in proportion to what they have, so that all of them
 * make exactly 100.
 *
 * @param shares whole percents that sum to 100
 * @param index which one was set
 * @param value to what, 0 to 100
 */
export function rebalance(shares: readonly number[], index: number, value: number): number[] {
  const set = Math.round(Math.min(WHOLE, Math.max(0, value)));
  if (shares.length === 1) return [WHOLE];
  const others = shares.map((share, i) => (i === index ? 0 : share));
  const sum = others.reduce((total, share) => total + share, 0);
  const left = WHOLE - set;
  const exact = others.map((share, i) =>
    i === index ? 0 : sum > 0 ? (share * left) / sum : left / (shares.length - 1),
  );
  const whole = exact.map(Math.floor);
  let missing = left - whole.reduce((total, share) => total + share, 0);
  const byRest = exact
    .map((share, i) => ({ i, rest: share - Math.floor(share) }))
    .filter(({ i }) => i !== index)
    .sort((a, b) => b.rest - a.rest || a.i - b.i);
  for (const { i } of byRest) {
    if (missing <= 0) break;
    whole[i] = (whole[i] ?? 0) + 1;
    missing -= 1;
  }
  return whole.map((share, i) => (i === index ? set : share));
}

/** 100 in so many parts, as even as whole percents allow; the remainder goes to the first. */
export function evenShares(count: number): number[] {
  const base = Math.floor(WHOLE / count);
  return Array.from({ length: count }, (_, i) => base + (i < WHOLE - base * count ? 1 : 0));
}

/** Makes a flag's key from a name: "Shorter form!" becomes "shorter-form". */
export const keyFrom = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
