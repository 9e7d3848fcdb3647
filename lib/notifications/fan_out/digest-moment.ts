import { timeZone } from "#lib/engines/time-zone.ts";

const DAY_MS = 86_400_000;
/** When digests are sent, by the clock of the project. */
const DIGEST_HOUR_MS = 8 * 3_600_000;

/** The first moment after `now` at which the clocks of a time zone show eight in the morning. */
export function nextDigest(now: Date, zone: string): Date {
  const clocks = timeZone(zone);
  const midnight = Math.floor(clocks.clockAt(now.getTime()) / DAY_MS) * DAY_MS;
  const today = clocks.momentOf(midnight + DIGEST_HOUR_MS);
  return new Date(today > now.getTime() ? today : clocks.momentOf(midnight + DAY_MS + DIGEST_HOUR_MS));
}
