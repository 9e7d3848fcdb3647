import { KEPT_EVENTS } from "#lib/identity/projects/event-retention.ts";
import type { EventRetention } from "#lib/identity/projects/event-retention-schema.ts";

/** Up to when a project's events were deleted, by name; "" stands for names that are not listed. */
export type Horizons = ReadonlyMap<string, Date>;

/** Stands for every name without a horizon of its own. */
export const OTHER_EVENTS = "";

/** Up to when events of a name were deleted; null: none were. */
export const horizonOf = (horizons: Horizons, event: string): Date | null =>
  KEPT_EVENTS.includes(event) ? null : (horizons.get(event) ?? horizons.get(OTHER_EVENTS) ?? null);

const latest = (moments: Iterable<Date | null>): Date | null => {
  let found: Date | null = null;
  for (const moment of moments) if (moment && moment.getTime() > (found?.getTime() ?? 0)) found = moment;
  return found;
};

/** Up to when some of the events of these names were deleted; null for names: of any. */
export const latestHorizon = (horizons: Horizons, names: readonly string[] | null): Date | null =>
  latest(names === null ? horizons.values() : names.map((name) => horizonOf(horizons, name)));

/** What still computes figures from events since a moment; `events` null: of every name. */
export type EventUse = { name: string; events: string[] | null; from: Date };

/** The module above that computes figures from events, as far as deleting them concerns it. */
export type EventReaders = {
  /** What needs its events, because it may compute from them again. */
  uses(projectId: number, now: Date): Promise<EventUse[]>;
  /** Computes the last figures of everything else from events that are about to be deleted, and keeps them. */
  settle(projectId: number, horizons: Horizons, now: Date): Promise<void>;
};

const DAY_MS = 86_400_000;

/** Horizons are at midnight UTC, so that each day is deleted as a whole. */
const startOfDay = (at: number) => new Date(Math.floor(at / DAY_MS) * DAY_MS);

/**
 * The horizons that a retention asks for, held back by what still reads events. Names that are kept longer than others,
 * or are read, have a horizon of their own.
 */
export function horizonsFor(
  retention: EventRetention | null,
  before: Horizons,
  uses: readonly EventUse[],
  now: Date,
): { event: string; before: Date }[] {
  const byEvent = retention?.by_event ?? {};
  const used = uses.flatMap(({ events }) => events ?? []);
  const names = new Set([...before.keys(), ...Object.keys(byEvent), ...used, OTHER_EVENTS]);
  return [...names].sort().map((event) => {
    const days = (Object.hasOwn(byEvent, event) ? byEvent[event] : retention?.days) ?? null;
    const asked = days === null ? 0 : now.getTime() - days * DAY_MS;
    const held = uses
      .filter(({ events }) => events === null || events.includes(event))
      .map(({ from }) => from.getTime());
    const reached = horizonOf(before, event)?.getTime() ?? 0;
    return { event, before: new Date(Math.max(reached, startOfDay(Math.min(asked, ...held)).getTime())) };
  });
}
