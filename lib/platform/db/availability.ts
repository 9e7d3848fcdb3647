/** Whether the database answers, as far as this process knows; the connection that listens for changes finds out. */
export type Availability = {
  /** When the database was last known to answer, if it does not now; null if it does. */
  readonly away_since: Date | null;
  /** Calls `handler` after each change; call the result to stop. */
  onChange(handler: (awaySince: Date | null) => void): () => void;
};

/** An availability, and the means to change it. */
export function createAvailability() {
  const handlers = new Set<(awaySince: Date | null) => void>();
  let awaySince: Date | null = null;
  const set = (next: Date | null) => {
    if ((awaySince === null) === (next === null)) return;
    awaySince = next;
    for (const handler of handlers) handler(next);
  };
  const availability: Availability = {
    get away_since() {
      return awaySince;
    },
    onChange(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
  };
  return {
    availability,
    /** @param lastAnswer when it answered for the last time */
    isAway: (lastAnswer: Date) => set(lastAnswer),
    isBack: () => set(null),
  };
}
