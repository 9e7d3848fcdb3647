/** Whoever is to have a fair share. */
export type Caller = string | number;

/** A queue in which callers take turns; what one of them has in it leaves in the order in which it came. */
export function createFairQueue<T>() {
  /** By caller, in the order of their turns; none is empty. */
  const callers = new Map<Caller, T[]>();
  let length = 0;
  return {
    get length() {
      return length;
    },
    lengthOf: (caller: Caller) => callers.get(caller)?.length ?? 0,
    push(caller: Caller, item: T): void {
      const own = callers.get(caller);
      if (own) own.push(item);
      else callers.set(caller, [item]);
      length += 1;
    },
    /** @param mayHave whether it can be a caller's turn; by default everybody's */
    take(mayHave: (caller: Caller) => boolean = () => true): T | undefined {
      for (const [caller, own] of callers) {
        if (!mayHave(caller)) continue;
        const taken = own.shift();
        callers.delete(caller);
        if (own.length > 0) callers.set(caller, own);
        length -= 1;
        return taken;
      }
      return undefined;
    },
  };
}
