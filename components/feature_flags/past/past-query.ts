import { defineList, type QueryOf } from "#components/kit/list/define-list.ts";
import { type Param, text } from "#components/kit/list/params.ts";
import { timeZone } from "#lib/engines/time-zone.ts";

const CLOCK = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/;

/** A moment as the project's clock shows it: 2026-03-29T09:00. */
const clock = (): Param<string> => ({
  empty: "",
  read: ([value = ""]) => (CLOCK.test(value) && !Number.isNaN(Date.parse(`${value}Z`)) ? value : ""),
  write: (value) => (value ? [value] : []),
});

/** The flags of a project at a past moment. */
export const pastList = defineList({
  path: "feature_flags/past",
  pageSize: 50,
  words: { one: "flag", many: "flags" },
  filters: { search: text(), person: text() },
  view: { at: clock(), since: clock() },
});

export type PastQuery = QueryOf<typeof pastList>;

const HOUR_MS = 3_600_000;

/** How long before the moment the comparison may begin, in one click. */
export const SPANS = [
  { words: "1 hour before", ms: HOUR_MS },
  { words: "1 day before", ms: 24 * HOUR_MS },
  { words: "7 days before", ms: 7 * 24 * HOUR_MS },
] as const;

/** A moment as the clock of a zone shows it, to the second. */
export const clockText = (at: number, zone: string): string =>
  new Date(timeZone(zone).clockAt(at)).toISOString().slice(0, 19);

/** The moments that are asked for; a comparison begins an hour before where nothing else is said. */
export function momentsOf({ at, since }: PastQuery, zone: string, now: number) {
  const momentOf = (text: string) => timeZone(zone).momentOf(Date.parse(`${text}Z`));
  const to = at ? Math.min(momentOf(at), now) : now;
  const from = since ? momentOf(since) : to - HOUR_MS;
  return { to, from, problem: from < to ? null : "Choose an earlier date and time than the other one." };
}
