import type { Route } from "next";
import { one, type SearchParams, whole, withQuery } from "#components/kit/list/search-params.ts";
import { type FlagProperty, flagProperty } from "#lib/people/conditions/filters-schema.ts";

export const PAGE_SIZE = 50;
const COLUMNS_MAX = 8;

/** What the list of people shows, as it is in the URL. */
export type PeopleQuery = {
  search: string;
  /** Rows that all must hold. */
  rows: FlagProperty[];
  /** Properties shown as columns; null: those that most people have. */
  columns: string[] | null;
  offset: number;
  /** Where in the whole list these pages begin; null: at the newest. */
  before: string | null;
};

function rowsOf(text: string): FlagProperty[] {
  try {
    const parsed = flagProperty.array().safeParse(JSON.parse(text || "[]"));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
}

export const readPeopleQuery = (params: SearchParams): PeopleQuery => ({
  search: one(params.search),
  rows: rowsOf(one(params.properties)),
  columns:
    params.columns === undefined
      ? null
      : one(params.columns).split(",").filter(Boolean).slice(0, COLUMNS_MAX),
  offset: whole(params.offset, 0),
  before: /^\d{1,15}$/.test(one(params.before)) ? one(params.before) : null,
});

const NO_COLUMNS = ",";

/** Cursor for results past what was counted, from the API's next URL. */
export const cursorOf = (next: string | null): string | null =>
  next === null || new URL(next).searchParams.has("offset") ? null : new URL(next).searchParams.get("before");

/** The URL of the list with some parameters changed; any change except of the page goes to the first page. */
export function peopleHref(projectId: string, query: PeopleQuery, change: Partial<PeopleQuery> = {}): Route {
  const pages = "offset" in change || "before" in change || "columns" in change;
  const start = { offset: 0, before: pages ? query.before : null };
  const { search, rows, columns, offset, before } = { ...query, ...start, ...change };
  return withQuery(`/project/${projectId}/persons`, {
    search,
    properties: rows.length > 0 ? JSON.stringify(rows) : undefined,
    columns: columns === null ? undefined : columns.join(",") || NO_COLUMNS,
    before: before ?? undefined,
    offset: offset > 0 ? offset : undefined,
  }) as Route;
}
