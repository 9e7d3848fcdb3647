/** So many values are remembered before any of them has been of use. */
export const FIRST = 1_000;
/** So many values at most. */
export const MOST = 10_000;

/**
 * Remembers values by key as long as that pays: each value of use makes room for one more. Where hardly any key comes twice,
 * holding on to thousands of values would only cost the garbage collector time.
 */
export function createMemo<Key, Value extends NonNullable<unknown> | null>() {
  const known = new Map<Key, Value>();
  let uses = 0;
  return {
    /** @returns undefined where it is not known */
    get(key: Key): Value | undefined {
      const value = known.get(key);
      if (value !== undefined) uses += 1;
      return value;
    },
    set(key: Key, value: Value): void {
      if (known.size < Math.min(MOST, FIRST + uses)) known.set(key, value);
    },
  };
}
