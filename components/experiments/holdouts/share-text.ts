import { plainNumber } from "#lib/engines/statistics/numbers.ts";
import type { HoldoutListed } from "#lib/experiments/experiments/schema.ts";

/** The share of people in a holdout, in words. */
export const shareText = ({ filters }: Pick<HoldoutListed, "filters">): string => {
  const [first, ...others] = filters;
  const share = `${plainNumber(first?.rollout_percentage ?? 100)}% of people`;
  if (others.length > 0) return `${filters.length} condition sets`;
  return (first?.properties ?? []).length > 0 ? `${share} who match its conditions` : share;
};
