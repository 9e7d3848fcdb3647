import { Cron } from "croner";
import { timeZone } from "#lib/engines/time-zone.ts";

/** How often a change recurs where no cron expression says it. */
export const INTERVALS = ["daily", "weekly", "monthly", "yearly"] as const;

export type Recurrence = {
  recurrence_interval: (typeof INTERVALS)[number] | null;
  /** Five fields. At most one of the two is there. */
  cron_expression: string | null;
  timezone: string;
  /** The occurrence from which intervals are counted. */
  first: Date;
};

const DAY_MS = 86_400_000;
/** Later years have more than four digits, which not everybody can read. */
const END = Date.UTC(10_000, 0);

const CRON_FIELDS = 5;

// Times are those of the zone's clock, which the library takes for UTC: what becomes of times that the clock skips or
// shows twice is then decided in one place for all recurrences.
const cronOf = (expression: string) => new Cron(expression, { mode: "5-part", timezone: "UTC" });

/** Why a text is no cron expression of five fields; null where it is one. */
export function findCronProblem(expression: string): string | null {
  if (expression.trim().split(/\s+/).length !== CRON_FIELDS)
    return "A cron expression has five fields: minute, hour, day of month, month, day of week.";
  try {
    return cronOf(expression).nextRun(new Date(0)) ? null : "This cron expression never occurs.";
  } catch (error) {
    return `This cron expression cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

/** The clock's time so many months later; a day that the month does not have is its last. */
function addMonths(clock: number, months: number): number {
  const date = new Date(clock);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}

const monthsBetween = (from: number, to: number): number => {
  const [a, b] = [new Date(from), new Date(to)];
  return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
};

type Interval = {
  /** The clock's time of an occurrence; `n` counts from 0. */
  nth: (first: number, n: number) => number;
  /** The number of an occurrence near a time of the clock. */
  near: (first: number, clock: number) => number;
};

const days = (every: number): Interval => ({
  nth: (first, n) => first + n * every * DAY_MS,
  near: (first, clock) => Math.floor((clock - first) / (every * DAY_MS)),
});

const months = (every: number): Interval => ({
  nth: (first, n) => addMonths(first, n * every),
  near: (first, clock) => Math.floor(monthsBetween(first, clock) / every),
});

const INTERVAL: Record<(typeof INTERVALS)[number], Interval> = {
  daily: days(1),
  weekly: days(7),
  monthly: months(1),
  yearly: months(12),
};

/** The clock's times of all occurrences from about one of them on. */
function* clockTimes({ recurrence_interval, cron_expression }: Recurrence, first: number, from: number) {
  if (recurrence_interval) {
    const { nth, near } = INTERVAL[recurrence_interval];
    for (let n = Math.max(0, near(first, from) - 1); ; n += 1) yield nth(first, n);
  }
  const cron = cron_expression === null ? null : cronOf(cron_expression);
  for (let at = cron?.nextRun(new Date(from)); at; at = cron?.nextRun(at)) yield at.getTime();
}

/**
 * The first moment after another at which a change recurs, by the clock of its time zone. A time that the clock skips
 * is the moment after the gap; one that it shows twice is the first of the two.
 *
 * @returns null where there is none
 */
export function nextMoment(recurrence: Recurrence, after: Date): Date | null {
  const zone = timeZone(recurrence.timezone);
  const first = zone.clockAt(recurrence.first.getTime());
  for (const clock of clockTimes(recurrence, first, zone.clockAt(after.getTime()))) {
    if (clock >= END) return null;
    const at = zone.momentOf(clock);
    if (at > after.getTime()) return new Date(at);
  }
  return null;
}
