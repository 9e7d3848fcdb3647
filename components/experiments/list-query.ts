import { defineList, type QueryOf } from "#components/kit/list/define-list.ts";
import { choice, order, text } from "#components/kit/list/params.ts";

/** The list of experiments. Without a status, archived ones are left out. */
export const experimentList = defineList({
  path: "experiments",
  pageSize: 50,
  words: { one: "experiment", many: "experiments", nothingContains: "No name contains" },
  filters: {
    search: text(),
    status: choice("All", {
      draft: "Draft",
      running: "Running",
      paused: "Paused",
      stopped: "Stopped",
      archived: "Archived",
    }),
    /** Id of a flag. */
    flag: text(/^\d{1,9}$/),
  },
  view: {
    order: order(
      {
        created_at: "asc",
        updated_at: "asc",
        name: "asc",
        start_date: "asc",
        end_date: "asc",
        duration: "asc",
        status: "asc",
      },
      [
        { value: "-created_at", label: "Newest first" },
        { value: "created_at", label: "Oldest first" },
        { value: "-updated_at", label: "Recently changed first" },
        { value: "-start_date", label: "Recently launched first" },
        { value: "-duration", label: "Longest running first" },
        { value: "name", label: "Name, A to Z" },
        { value: "status", label: "By status" },
      ],
    ),
  },
  columns: [
    { label: "Experiment", sort: "name" },
    { label: "Status", sort: "status" },
    { label: "Primary metric" },
    { label: "Exposed", align: "right" },
    { label: "Duration", sort: "duration", align: "right" },
    { label: "Conclusion" },
  ],
});

export type ListQuery = QueryOf<typeof experimentList>;

/** The same as the API takes it. */
export const apiQuery = (query: ListQuery) => ({
  limit: String(experimentList.pageSize),
  offset: String(query.offset),
  search: query.search || undefined,
  feature_flag_id: query.flag || undefined,
  order: query.order,
  ...(query.status === "archived" ? { archived: "true" } : { status: query.status || undefined }),
});
