import { defineList, type QueryOf } from "#components/kit/list/define-list.ts";
import { choice, order, text } from "#components/kit/list/params.ts";
import { TYPE_WORDS } from "#components/surveys/draft/status.ts";

/** The list of surveys. Without a status, archived ones are left out. */
export const surveyList = defineList({
  path: "surveys",
  pageSize: 25,
  words: { one: "survey", many: "surveys", nothingContains: "No name or description contains" },
  filters: {
    search: text(),
    status: choice("All but archived", {
      draft: "Drafts",
      scheduled: "Scheduled",
      running: "Running",
      complete: "Complete",
      archived: "Archived",
    }),
    type: choice("Any type", {
      popover: TYPE_WORDS.popover,
      widget: TYPE_WORDS.widget,
      external_survey: TYPE_WORDS.external_survey,
      api: TYPE_WORDS.api,
    }),
  },
  view: {
    order: order({ created_at: "desc", name: "asc", start_date: "desc", end_date: "desc" }, [
      { value: "-created_at", label: "Newest first" },
      { value: "created_at", label: "Oldest first" },
      { value: "name", label: "Name, A to Z" },
      { value: "-name", label: "Name, Z to A" },
      { value: "-start_date", label: "Latest launch first" },
      { value: "start_date", label: "Earliest launch first" },
      { value: "-end_date", label: "Latest end first" },
      { value: "end_date", label: "Earliest end first" },
    ]),
  },
  columns: [
    { label: "Survey", sort: "name" },
    { label: "Status" },
    { label: "Type", className: "sm:max-lg:hidden" },
    { label: "Responses", align: "right" },
    { label: "Response rate", align: "right" },
    { label: "Trend", className: "sm:max-xl:hidden" },
    { label: "Dates", sort: "start_date" },
  ],
});

export type ListQuery = QueryOf<typeof surveyList>;

/** The same as the API takes it. */
export const apiQuery = (query: ListQuery) => ({
  limit: String(surveyList.pageSize),
  offset: String(query.offset),
  search: query.search || undefined,
  type: query.type || undefined,
  order: query.order,
  ...(query.status ? { status: query.status } : { archived: "false" as const }),
});
