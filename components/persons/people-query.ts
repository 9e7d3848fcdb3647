import { defineList, type QueryOf } from "#components/kit/list/define-list.ts";
import { json, type Param, text, whole } from "#components/kit/list/params.ts";
import { isFlagProperty } from "#lib/people/conditions/is-flag-property.ts";

export const COLUMNS_MAX = 8;

const NO_COLUMNS = ",";

/** Properties shown as columns; null: those that most people have. */
const columns: Param<string[] | null> = {
  empty: null,
  read: ([value]) => (value === undefined ? null : value.split(",").filter(Boolean).slice(0, COLUMNS_MAX)),
  write: (names) => (names === null ? [] : [names.join(",") || NO_COLUMNS]),
};

/** Where in the whole list the pages begin; null: at the newest. */
const before: Param<string | null> = {
  empty: null,
  read: ([value = ""]) => (/^\d{1,15}$/.test(value) ? value : null),
  write: (cursor) => (cursor === null ? [] : [cursor]),
};

/** The list of people. */
export const peopleList = defineList({
  path: "persons",
  pageSize: 50,
  words: { one: "person", many: "people" },
  filters: {
    search: text(),
    /** Rows that all must hold. */
    rows: json("properties", isFlagProperty),
  },
  view: { columns },
  pages: { before, offset: whole(0) },
  // Other columns and other pages are of the same part of the list.
  pageAfter: (query, change) => ("offset" in change || "columns" in change ? { before: query.before } : {}),
});

/** What the list of people shows, as it is in the URL. */
export type PeopleQuery = QueryOf<typeof peopleList>;

/** Cursor for results past what was counted, from the API's next URL. */
export const cursorOf = (next: string | null): string | null =>
  next === null || new URL(next).searchParams.has("offset") ? null : new URL(next).searchParams.get("before");
