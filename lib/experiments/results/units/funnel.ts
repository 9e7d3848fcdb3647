import type { Hit } from "#lib/experiments/results/events/reader.ts";

/** From when until when events count, in milliseconds; the end is exclusive. */
export type Span = { from: number; to: number };

/** Place of the first hit at or after a moment, by bisection. */
function firstAt(hits: readonly Hit[], at: number): number {
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hits[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * How many steps a unit took one after the other within the span: each a later event than the one before (by time,
 * at the same moment by the order of the events). Taking each step as early as possible reaches the most steps.
 */
export function countOrderedSteps(steps: readonly (readonly Hit[])[], { from, to }: Span): number {
  let position = -1;
  let at = from;
  for (const [reached, hits] of steps.entries()) {
    let next = firstAt(hits, at);
    while (next < hits.length && (hits[next]?.position ?? 0) <= position) next += 1;
    const hit = hits[next];
    if (!hit || hit.at >= to) return reached;
    position = hit.position;
    at = hit.at;
  }
  return steps.length;
}

/**
 * How many steps a unit took within the span in any order, each by an event of its own: the largest matching
 * between steps and events, found by augmenting paths. As many events a step as there are steps are enough.
 */
export function countUnorderedSteps(steps: readonly (readonly Hit[])[], { from, to }: Span): number {
  const candidates = steps.map((hits) => {
    const first = firstAt(hits, from);
    return hits
      .slice(first, first + steps.length)
      .filter((hit) => hit.at < to)
      .map((hit) => hit.position);
  });
  const takenBy = new Map<number, number>();
  const take = (step: number, tried: Set<number>): boolean =>
    (candidates[step] ?? []).some((position) => {
      if (tried.has(position)) return false;
      tried.add(position);
      const holder = takenBy.get(position);
      if (holder !== undefined && !take(holder, tried)) return false;
      takenBy.set(position, step);
      return true;
    });
  return steps.reduce((count, _, step) => count + (take(step, new Set()) ? 1 : 0), 0);
}
