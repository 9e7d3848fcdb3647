/** Which flags can be decided, given which flags each of them asks for. */

// Each step is a nested call when flags are evaluated; no sensible chain comes near.
const LONGEST_CHAIN = 200;

/**
 * The flags that can never be decided: those that depend on themselves, maybe by way of others, or on
 * top of a chain too long to follow.
 *
 * @param asks for each flag, the places of the flags it asks for; -1, one that is not there, is passed over
 * @returns the places of the undecidable flags. A flag that asks for one of these is itself fine: it sees false.
 */
export function undecidableFlags(asks: readonly ReadonlySet<number>[]): Set<number> {
  const undecidable = new Set<number>();
  const depths = new Map<number, number>();
  const onPath = new Set<number>();
  for (let start = 0; start < asks.length; start++) {
    if (!depths.has(start)) walk(start);
  }
  return undecidable;

  /** Depth first without recursion: stored definitions may chain deeper than the call stack goes. */
  function walk(start: number): void {
    const path = [{ flag: start, rest: [...(asks[start] ?? [])] }];
    onPath.add(start);
    while (path.length > 0) {
      const step = path[path.length - 1] as (typeof path)[number];
      const next = step.rest.pop();
      if (next === undefined) leave(path.pop()?.flag ?? start);
      else if (next === -1) continue;
      else if (onPath.has(next)) markCircle(path, next);
      else if (!depths.has(next)) {
        onPath.add(next);
        path.push({ flag: next, rest: [...(asks[next] ?? [])] });
      }
    }
  }

  function markCircle(path: readonly { flag: number }[], entry: number): void {
    for (let i = path.length - 1; i >= 0; i--) {
      const flag = path[i]?.flag as number;
      undecidable.add(flag);
      if (flag === entry) return;
    }
  }

  function leave(flag: number): void {
    onPath.delete(flag);
    let depth = 0;
    if (!undecidable.has(flag)) {
      for (const next of asks[flag] ?? []) depth = Math.max(depth, (depths.get(next) ?? 0) + 1);
    }
    if (depth > LONGEST_CHAIN) undecidable.add(flag);
    depths.set(flag, depth > LONGEST_CHAIN ? 0 : depth);
  }
}
