const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** Years are four digits, of which the database's texts must not drop one. */
const FIRST_YEAR = 1000;
const DAY_MS = 86_400_000;

/** Minutes east of UTC that "+02:00", "-0530" or "+02" means; null for an impossible one. */
function offsetOf(text: string | undefined): number | null {
  if (!text || /^z$/i.test(text)) return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(":", "") || 0)];
  if (hours > 23 || minutes > 59) return null;
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * A moment in ISO 8601: a date, or a date and a time, with an offset or in UTC.
 *
 * @returns null for anything else, and for days and hours that no calendar has
 */
export function parseMoment(text: string): Date | null {
  const found = ISO.exec(text.trim());
  if (!found) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((n) => Number(n ?? 0));
  const offset = offsetOf(found[8]);
  if (year < FIRST_YEAR || hour > 23 || minute > 59 || second > 59 || offset === null) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  date.setUTCHours(hour, minute - offset, second, Number((found[7] ?? "").padEnd(3, "0").slice(0, 3)));
  return date.getUTCFullYear() >= FIRST_YEAR && date.getUTCFullYear() <= 9999 ? date : null;
}

/** A moment as surveys show it: in UTC, with milliseconds only where there are any, so that it reads as sent. */
export const momentText = (date: Date): string => date.toISOString().replace(".000Z", "Z");

export const momentTextOrNull = (date: Date | null): string | null => (date ? momentText(date) : null);

export const addDays = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MS);

/** Midnight in UTC at which a moment's day began. */
export const startOfDay = (date: Date): Date => new Date(Math.floor(date.getTime() / DAY_MS) * DAY_MS);
