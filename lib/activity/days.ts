import { timeZone } from "#lib/engines/time-zone.ts";

const DAY_MS = 86_400_000;

/** The first moment of a day in a time zone, ISO 8601. */
export function startOfDay(date: string, zone: string, plusDays = 0): string {
  const midnight = Date.parse(`${date}T00:00:00Z`) + plusDays * DAY_MS;
  return new Date(timeZone(zone).momentOf(midnight)).toISOString();
}
