/** Dates as conditions and properties contain them: ISO 8601, a Unix time, or "that long ago". */

const ISO =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/i;
const RELATIVE = /^-?(\d+)([hdwmy])$/;
const LARGEST_COUNT = 10_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
// Unix seconds stay below this until the year 5138; milliseconds passed it in 1973.
const SECONDS_BELOW = 1e11;

// The end of JavaScript's calendar, in milliseconds.
const LATEST = 8.64e15;

/** A moment in a row: fixed, or counted back from now. */
export type DateValue =
  | { readonly kind: "fixed"; readonly time: number; readonly whole_day: boolean }
  | { readonly kind: "relative"; readonly count: number; readonly unit: "h" | "d" | "w" | "m" | "y" };

/**
 * Reads a row's date: ISO 8601 (no zone means UTC, a year or month its first day) or `-?N[hdwmy]` with N below 10,000.
 * @returns null when it is neither
 */
export function parseDateValue(value: unknown): DateValue | null {
  if (typeof value === "string") {
    const relative = RELATIVE.exec(value.trim());
    if (relative && Number(relative[1]) < LARGEST_COUNT) {
      return { kind: "relative", count: Number(relative[1]), unit: relative[2] as "h" };
    }
  }
  const time = parseMoment(value);
  if (time === null) return null;
  return { kind: "fixed", time, whole_day: typeof value === "string" && value.trim().length <= 10 };
}

/**
 * Reads a property that holds a date.
 * @param value ISO 8601 text, or a number of seconds or milliseconds since 1970 (distinguished by size)
 * @returns milliseconds since 1970 UTC, with fractions; null when it is no date
 */
export function parseMoment(value: unknown): number | null {
  if (typeof value === "number") {
    if (!(Math.abs(value) <= LATEST)) return null;
    return Math.abs(value) < SECONDS_BELOW ? value * 1000 : value;
  }
  if (typeof value !== "string") return null;
  if (value !== lastText) {
    lastMoment = parseIso(value);
    lastText = value;
  }
  return lastMoment;
}

// Many flags ask about the same property of one person in a row: the last text is read once.
let lastText = "";
let lastMoment: number | null = null;

function parseIso(value: string): number | null {
  const parts = ISO.exec(value.trim());
  if (!parts) return null;
  const [year, month, day] = [Number(parts[1]), Number(parts[2] ?? 1), Number(parts[3] ?? 1)];
  const [hour, minute, second] = [Number(parts[4] ?? 0), Number(parts[5] ?? 0), Number(parts[6] ?? 0)];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const offset = offsetOf(parts[8]);
  if (offset === null) return null;
  const fraction = parts[7] ? Number(`0.${parts[7]}`) * 1000 : 0;
  return utc(year, month, day) + hour * HOUR + (minute - offset) * 60_000 + second * 1000 + fraction;
}

/** The moment of a date value, in milliseconds since 1970 UTC. */
export function momentOf(date: DateValue, now: number): number {
  if (date.kind === "fixed") return date.time;
  if (date.unit === "h") return now - date.count * HOUR;
  if (date.unit === "d") return now - date.count * DAY;
  if (date.unit === "w") return now - date.count * 7 * DAY;
  return monthsBefore(now, date.unit === "y" ? date.count * 12 : date.count);
}

/** Counts months back; a day the month does not have becomes its last (31 March - 1m = 28 February). */
function monthsBefore(now: number, months: number): number {
  const date = new Date(now);
  const index = date.getUTCFullYear() * 12 + date.getUTCMonth() - months;
  const [year, month] = [Math.floor(index / 12), (((index % 12) + 12) % 12) + 1];
  const day = Math.min(date.getUTCDate(), daysIn(year, month));
  const timeOfDay = now - Math.floor(now / DAY) * DAY;
  return utc(year, month, day) + timeOfDay;
}

/** Minutes east of UTC; null when out of range. */
function offsetOf(zone: string | undefined): number | null {
  if (zone === undefined || /^(z|utc)$/i.test(zone)) return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(":", ""))];
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Date.UTC reads years 0 to 99 as 1900 and on; setUTCFullYear does not. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}
