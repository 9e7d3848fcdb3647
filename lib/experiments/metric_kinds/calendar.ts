import { timeZone } from "#lib/engines/time-zone.ts";
import type { WindowUnit } from "./metric-schema.ts";

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A month is 30 days, as the API says. */
export const UNIT_MS: Readonly<Record<WindowUnit, number>> = {
  second: 1_000,
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};

const QUARTER_MS = HOUR_MS / 4;

/** A time zone's calendar. */
export type Calendar = {
  /** The number of a moment's day: days since 1970-01-01, by the zone's clock. */
  dayOf(at: number): number;
  /** Hours since 1970 by the zone's clock. */
  hourOf(at: number): number;
  /** When a day begins. */
  startOf(day: number): number;
};

/** `YYYY-MM-DD` of a day's number. */
export const nameOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

const calendars = new Map<string, Calendar>();

function createCalendar(timezone: string): Calendar {
  const { offsetAt } = timeZone(timezone);
  const dayOf = (at: number) => Math.floor((at + offsetAt(at)) / DAY_MS);
  return {
    dayOf,
    hourOf: (at) => Math.floor((at + offsetAt(at)) / HOUR_MS),
    startOf(day) {
      const midnight = day * DAY_MS;
      let at = midnight - offsetAt(midnight - offsetAt(midnight));
      // Where clocks go forward at midnight, the day begins later; where they go back, at the first of the two.
      while (dayOf(at) < day) at += QUARTER_MS;
      while (dayOf(at - QUARTER_MS) >= day) at -= QUARTER_MS;
      return at;
    },
  };
}

/** The calendar of an IANA time zone. */
export function calendarOf(timezone: string): Calendar {
  const known = calendars.get(timezone);
  if (known) return known;
  const calendar = timezone === "UTC" ? UTC : createCalendar(timezone);
  calendars.set(timezone, calendar);
  return calendar;
}

const UTC: Calendar = {
  dayOf: (at) => Math.floor(at / DAY_MS),
  hourOf: (at) => Math.floor(at / HOUR_MS),
  startOf: (day) => day * DAY_MS,
};
