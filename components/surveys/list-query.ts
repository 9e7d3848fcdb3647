import type { Route } from "next";
import { one, type SearchParams, whole, withQuery } from "#components/kit/list/search-params.ts";

/** Surveys on a page of the list. */
export const PAGE_SIZE = 25;

const STATUSES = ["draft", "scheduled", "running", "complete", "archived"] as const;
const TYPES = ["popover", "widget", "external_survey", "api"] as const;
const ORDERS = [
  "-created_at",
  "created_at",
  "name",
  "-name",
  "-start_date",
  "start_date",
  "-end_date",
  "end_date",
] as const;

const DEFAULT_ORDER = "-created_at";

/** The query of the list, as in the URL. Without a status, archived surveys are excluded. */
export type ListQuery = {
  search: string;
  status: "" | (typeof STATUSES)[number];
  type: "" | (typeof TYPES)[number];
  order: (typeof ORDERS)[number];
  offset: number;
};

const among = <T extends string>(value: string, known: readonly T[]): T | undefined =>
  known.find((each) => each === value);

/** Reads the address; what it does not know, it excludes. */
export const readListQuery = (params: SearchParams): ListQuery => ({
  search: one(params.search),
  status: among(one(params.status), STATUSES) ?? "",
  type: among(one(params.type), TYPES) ?? "",
  order: among(one(params.order), ORDERS) ?? DEFAULT_ORDER,
  offset: whole(params.offset, 0),
});

export const noFilters = (query: ListQuery): boolean => !(query.search || query.status || query.type);

/** The address of the list with some of its query changed; any change but of the page starts at the first. */
export function listHref(projectId: string, query: ListQuery, change: Partial<ListQuery> = {}): Route {
  const { order, offset, ...rest } = { ...query, offset: 0, ...change };
  return withQuery(`/project/${projectId}/surveys`, {
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
  type: query.type || undefined,
  order: query.order,
  ...(query.status ? { status: query.status } : { archived: "false" as const }),
});
