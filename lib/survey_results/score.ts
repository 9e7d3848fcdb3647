import { netPromoterInterval } from "#lib/statistics/proportions.ts";

/** Confidence of every interval of results. */
export const LEVEL = 0.95;

type Buckets = { readonly [bucket in "promoters" | "passives" | "detractors"]?: number };

/**
 * The interval of a net promoter score, in points. The imagined answers that keep it from collapsing can push it past
 * the score itself where nearly all agree: it is widened to hold it.
 *
 * @returns null where nobody answered
 */
export function scoreInterval(buckets: Buckets): readonly [number, number] | null {
  const { promoters = 0, passives = 0, detractors = 0 } = buckets;
  const found = netPromoterInterval({ promoters, passives, detractors }, LEVEL);
  return found && [Math.min(found.mean, found.interval[0]), Math.max(found.mean, found.interval[1])];
}
