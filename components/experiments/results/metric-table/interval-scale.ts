/** What is drawn of a metric. */
type Drawn = { variants: readonly { estimate: { interval: readonly number[] } | null }[] };

/** Ends of the axis that intervals are drawn on. */
export type Scale = { low: number; high: number };

/** From this ratio of their widths on, the narrower of two metrics' intervals can hardly be read on one scale. */
const FAR_APART = 5;

const endsOf = ({ variants }: Drawn): number[] =>
  variants.flatMap(({ estimate }) => estimate?.interval ?? []);

/** Room that every interval of some metrics fits in, zero included. */
export function computeScale(metrics: readonly Drawn[]): Scale {
  const ends = metrics.flatMap(endsOf);
  const widest = Math.max(...ends.map(Math.abs), 0) || 0.01;
  return { low: Math.min(-widest * 0.15, ...ends), high: Math.max(widest * 0.15, ...ends) };
}

/**
 * The scale that the intervals of all metrics share, so that their widths can be compared, and whether they differ so
 * much that each metric should be shown on a scale of its own too.
 *
 * @returns null where nothing is compared
 */
export function computeCommonScale(metrics: readonly Drawn[]): { scale: Scale; isFarApart: boolean } | null {
  const reaches = metrics.flatMap((metric) => {
    const ends = endsOf(metric);
    return ends.length > 0 ? [Math.max(...ends.map(Math.abs))] : [];
  });
  if (reaches.length === 0) return null;
  return {
    scale: computeScale(metrics),
    isFarApart: Math.max(...reaches) > FAR_APART * Math.min(...reaches),
  };
}
