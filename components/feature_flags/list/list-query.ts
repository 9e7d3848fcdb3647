import { defineList, type QueryOf } from "#components/kit/list/define-list.ts";
import { choice, order, text, texts } from "#components/kit/list/params.ts";

/** The list of flags. */
export const flagList = defineList({
  path: "feature_flags",
  pageSize: 50,
  words: { one: "flag", many: "flags", nothingContains: "No key or description contains" },
  filters: {
    search: text(),
    status: choice("All", { on: "On", off: "Off", stale: "Stale" }),
    type: choice("Any type", {
      boolean: "On or off",
      multivariant: "Variants",
      remote_config: "Remote configuration",
      experiment: "Used by an experiment",
    }),
    runtime: choice("Anywhere", { both: "Everywhere", server: "Servers only", client: "Clients only" }),
    tags: texts("tag"),
    creators: texts("creator", /^\d+$/),
  },
  view: {
    order: order(
      {
        id: "desc",
        key: "asc",
        name: "asc",
        active: "desc",
        created_at: "desc",
        updated_at: "desc",
        version: "desc",
        last_called_at: "desc",
      },
      [
        { value: "-created_at", label: "Newest first" },
        { value: "created_at", label: "Oldest first" },
        { value: "-updated_at", label: "Last changed first" },
        { value: "key", label: "Key, A to Z" },
        { value: "-last_called_at", label: "Last called first" },
      ],
      "As in the table",
    ),
  },
  columns: [
    { label: "Flag", sort: "key" },
    { label: "Status" },
    { label: "Serves" },
    { label: "Evaluated", className: "sm:max-xl:hidden" },
    { label: "Changed", sort: "updated_at" },
    { label: "Last called", sort: "last_called_at", className: "sm:max-lg:hidden" },
  ],
});

export type ListQuery = QueryOf<typeof flagList>;

/** The query of the list's address, as views save it: without the page. */
export const viewQuery = (projectId: string, query: ListQuery): string =>
  flagList.href(projectId, query, {}).split("?")[1] ?? "";

const ACTIVE = { on: "true", off: "false", stale: "STALE", "": undefined };

/** The same as API parameters. */
export const apiQuery = (query: ListQuery) => ({
  limit: String(flagList.pageSize),
  offset: String(query.offset),
  search: query.search || undefined,
  active: ACTIVE[query.status],
  type: query.type || undefined,
  evaluation_runtime: query.runtime || undefined,
  tags: query.tags.length > 0 ? JSON.stringify(query.tags) : undefined,
  created_by_id: query.creators.join(",") || undefined,
  order: query.order,
});
