import { defineList, type QueryOf } from "#components/kit/list/define-list.ts";
import { text } from "#components/kit/list/params.ts";

/** The list of cohorts. */
export const cohortList = defineList({
  path: "cohorts",
  pageSize: 50,
  words: { one: "cohort", many: "cohorts", nothingContains: "No name contains" },
  filters: { search: text() },
});

export type CohortListQuery = QueryOf<typeof cohortList>;
