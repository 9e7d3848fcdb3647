import type { Route } from "next";
import { one, type SearchParams, whole, withQuery } from "#components/kit/list/search-params.ts";

/** Experiments on a page of the list. */
export const PAGE_SIZE = 50;

const STATUSES = ["draft", "running", "paused", "stopped", "archived"] as const;
const ORDERS = ["created_at", "updated_at", "name", "start_date", "end_date", "duration", "status"] as const;

export const DEFAULT_ORDER = "-created_at";

/** What the list shows, as in the URL. Without a status, archived experiments are left out. */
export type ListQuery = {
  search: string;
  status: "" | (typeof STATUSES)[number];
  /** Id of a flag; empty for any. */
  flag: string;
  order: string;
  offset: number;
};

/** Reads the address; what it does not know, it leaves out. */
export function readListQuery(params: SearchParams): ListQuery {
  const order = one(params.order);
  return {
    search: one(params.search),
    status: STATUSES.find((each) => each === one(params.status)) ?? "",
    flag: /^\d{1,9}$/.test(one(params.flag)) ? one(params.flag) : "",
    order: ORDERS.some((each) => each === order.replace(/^-/, "")) ? order : DEFAULT_ORDER,
    offset: whole(params.offset, 0),
  };
}

export const noFilters = (query: ListQuery): boolean => !(query.search || query.status || query.flag);

/** The address of the list with some of its query changed; any change but of the page starts at the first. */
export function listHref(projectId: string, query: ListQuery, change: Partial<ListQuery> = {}): Route {
  const { order, offset, ...rest } = { ...query, offset: 0, ...change };
  return withQuery(`/project/${projectId}/experiments`, {
    ...rest,
    order: order === DEFAULT_ORDER ? "" : order,
    offset: offset || undefined,
  }) as Route;
}

/** The same as the API takes it. */
export const apiQuery = (query: ListQuery) => ({
  limit: String(PAGE_SIZE),
  offset: String(query.offset),
  search: query.search || undefined,
  feature_flag_id: query.flag || undefined,
  order: query.order,
  ...(query.status === "archived" ? { archived: "true" } : { status: query.status || undefined }),
});
