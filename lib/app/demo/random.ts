/** A stream of numbers that is the same for the same seed: the demo project looks alike everywhere. */
export type Random = {
  /** In [0, 1). */
  next(): number;
  /** Whole, in [low, high]. */
  between(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
  /** One of the names, with probability by weight. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T;
};

/** Mulberry32: 32 bits of state, plenty for made-up people. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <T>(list: readonly T[]): T => {
    const item = list[Math.floor(next() * list.length)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick,
    weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
      const names = Object.keys(weights) as T[];
      let left = next() * names.reduce((sum, name) => sum + weights[name], 0);
      for (const name of names) {
        left -= weights[name];
        if (left < 0) return name;
      }
      return pick(names);
    },
  };
}

/** A UUID made from a kind and a number: loading the demo twice stores nothing twice. */
export function uuidOf(kind: number, n: number): string {
  const hex = n.toString(16).padStart(12, "0");
  return `5a17c4e0-${kind.toString(16).padStart(4, "0")}-4000-8000-${hex}`;
}
