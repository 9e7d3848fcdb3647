import { timeZone } from "#lib/engines/time-zone.ts";
import { formatMomentIn } from "#lib/platform/format.ts";

const DAY_MS = 86_400_000;
const NINE_O_CLOCK_MS = 9 * 3_600_000;

/** The time of a clock as a field for dates and times has it. */
export const clockText = (clock: number): string => new Date(clock).toISOString().slice(0, 16);
export const clockOf = (text: string): number => Date.parse(`${text}Z`);

/** Tomorrow at nine by a clock. */
export const tomorrow = (clock: number): number =>
  (Math.floor(clock / DAY_MS) + 1) * DAY_MS + NINE_O_CLOCK_MS;

/** Some moments, in the project's time zone and, where that is another, the reader's. */
export function Moments({ moments, timezone }: { moments: readonly Date[]; timezone: string }) {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const isElsewhere = moments.some(
    (at) => timeZone(own).offsetAt(at.getTime()) !== timeZone(timezone).offsetAt(at.getTime()),
  );
  return (
    <ol aria-label={moments.length > 1 ? "Upcoming times" : "The time"} className="flex flex-col gap-0.5">
      {moments.map((at) => (
        <li key={at.getTime()}>
          {formatMomentIn(at.getTime(), timezone)}
          {isElsewhere ? (
            <span className="text-faint"> · for you {formatMomentIn(at.getTime(), own)}</span>
          ) : null}
        </li>
      ))}
    </ol>
  );
}
