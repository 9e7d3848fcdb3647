export { momentText, momentTextOrNull, parseMoment } from "#lib/platform/http/moment-schema.ts";

const DAY_MS = 86_400_000;

export const addDays = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MS);

/** Midnight in UTC at which a moment's day began. */
export const startOfDay = (date: Date): Date => new Date(Math.floor(date.getTime() / DAY_MS) * DAY_MS);

/** The last millisecond in UTC of a moment's day. */
export const endOfDay = (date: Date): Date => new Date(addDays(startOfDay(date), 1).getTime() - 1);
