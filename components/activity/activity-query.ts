import { defineList, type QueryOf } from "#components/kit/list/define-list.ts";
import { day, text, whole } from "#components/kit/list/params.ts";
import { startOfDay } from "#lib/activity/days.ts";

/** The activity log; its days are those of the project's time zone. */
export const logList = defineList({
  path: "activity",
  pageSize: 50,
  words: { one: "entry", many: "entries" },
  filters: {
    search: text(),
    scope: text(),
    item_id: text(),
    user: text(),
    activity: text(),
    from: day(),
    to: day(),
  },
  pages: { page: whole(1) },
});

export type LogQuery = QueryOf<typeof logList>;

const oneMillisecondBefore = (instant: string) => new Date(Date.parse(instant) - 1).toISOString();

/** The same as API parameters. */
export const apiLogQuery = (query: LogQuery, timeZone: string) => ({
  limit: String(logList.pageSize),
  page: String(query.page),
  search: query.search || undefined,
  scope: query.scope || undefined,
  item_id: query.item_id || undefined,
  user: query.user || undefined,
  activity: query.activity || undefined,
  date_from: query.from ? startOfDay(query.from, timeZone) : undefined,
  date_to: query.to ? oneMillisecondBefore(startOfDay(query.to, timeZone, 1)) : undefined,
});
