/** Events of one name; `at` is the latest of them. */
export type NameCount = { project_id: number; name: string; count: number; at: number };

/** Sources of the rollups. */
export type Counted = {
  project_id: number;
  event: { event: string; at: number; properties: Record<string, unknown> };
};

/** Tallies in the order of their keys: all processes take row locks in the same order. */
export const sortedTallies = <T>(tallies: Map<string, T>): T[] =>
  [...tallies].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, tally]) => tally);

/** Events by name, sorted. */
export function namesOf(events: Iterable<Counted>): NameCount[] {
  const tallies = new Map<string, NameCount>();
  for (const { project_id, event } of events) {
    const key = `${project_id}\u0000${event.event}`;
    const found = tallies.get(key);
    if (!found) tallies.set(key, { project_id, name: event.event, count: 1, at: event.at });
    else {
      found.count += 1;
      found.at = Math.max(found.at, event.at);
    }
  }
  return sortedTallies(tallies);
}
