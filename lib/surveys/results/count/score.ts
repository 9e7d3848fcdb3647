import { netPromoterInterval } from "#lib/engines/statistics/proportions.ts";

/** Confidence level of all intervals. */
export const LEVEL = 0.95;

type Buckets = { readonly [bucket in "promoters" | "passives" | "detractors"]?: number };

/**
 * The interval of a net promoter score, in points. The pseudo-answers that keep it from collapsing can push
 * it past the score if nearly all agree: then it is widened to include it.
 *
 * @returns null without answers
 */
export function scoreInterval(buckets: Buckets): readonly [number, number] | null {
  const { promoters = 0, passives = 0, detractors = 0 } = buckets;
  const found = netPromoterInterval({ promoters, passives, detractors }, LEVEL);
  return found && [Math.min(found.mean, found.interval[0]), Math.max(found.mean, found.interval[1])];
}
