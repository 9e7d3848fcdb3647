import type { Route } from "next";
import { one, type SearchParams, whole, withQuery } from "#components/kit/list/search-params.ts";
import { startOfDay } from "#lib/activity/days.ts";

export const PAGE_SIZE = 50;

/** What the log shows, as it is in the URL. */
export type LogQuery = {
  search: string;
  scope: string;
  item_id: string;
  user: string;
  activity: string;
  /** Days, YYYY-MM-DD, of the project's time zone. */
  from: string;
  to: string;
  page: number;
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const day = (text: string) => (DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : "");

export const readLogQuery = (params: SearchParams): LogQuery => ({
  search: one(params.search),
  scope: one(params.scope),
  item_id: one(params.item_id),
  user: one(params.user),
  activity: one(params.activity),
  from: day(one(params.from)),
  to: day(one(params.to)),
  page: whole(params.page, 1),
});

export const noLogFilters = ({ page: _, ...filters }: LogQuery): boolean =>
  Object.values(filters).every((value) => value === "");

/** The URL of the log with some parameters changed; any change except of the page goes to the first page. */
export function logHref(projectId: string, query: LogQuery, change: Partial<LogQuery> = {}): Route {
  const { page, ...filters } = { ...query, page: 1, ...change };
  return withQuery(`/project/${projectId}/activity`, {
    ...filters,
    page: page > 1 ? page : undefined,
  }) as Route;
}

const oneMillisecondBefore = (instant: string) => new Date(Date.parse(instant) - 1).toISOString();

/** The same as API parameters. */
export const apiLogQuery = (query: LogQuery, timeZone: string) => ({
  limit: String(PAGE_SIZE),
  page: String(query.page),
  search: query.search || undefined,
  scope: query.scope || undefined,
  item_id: query.item_id || undefined,
  user: query.user || undefined,
  activity: query.activity || undefined,
  date_from: query.from ? startOfDay(query.from, timeZone) : undefined,
  date_to: query.to ? oneMillisecondBefore(startOfDay(query.to, timeZone, 1)) : undefined,
});
