import { z } from "zod";

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** Years are four digits, of which the database's texts must not drop one. */
const FIRST_YEAR = 1000;

/** Minutes east of UTC that "+02:00", "-0530" or "+02" means; null for an impossible one. */
function offsetOf(text: string | undefined): number | null {
  if (!text || /^z$/i.test(text)) return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(":", ""))];
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
  // A day that the month does not have has led into another month.
  if (date.getUTCMonth() !== month - 1) return null;
  date.setUTCHours(hour, minute - offset, second, Number((found[7] ?? "").padEnd(3, "0").slice(0, 3)));
  return date.getUTCFullYear() >= FIRST_YEAR && date.getUTCFullYear() <= 9999 ? date : null;
}

/** A moment as experiments and surveys show it: in UTC, with milliseconds only where there are any, so that it reads as sent. */
export const momentText = (date: Date): string => date.toISOString().replace(".000Z", "Z");

export const momentTextOrNull = (date: Date | null): string | null => (date ? momentText(date) : null);

/** A moment in a body: ISO 8601, null for none. */
export const moment = (description: string) =>
  z
    .string()
    .transform((text, context) => {
      const date = parseMoment(text);
      if (date) return date;
      context.addIssue({
        code: "custom",
        message: "Not a date and time in ISO 8601, like 2026-03-02T09:00:00Z.",
      });
      return z.NEVER;
    })
    .nullable()
    .meta({ description });
