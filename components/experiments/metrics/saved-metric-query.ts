import { defineList, type QueryOf } from "#components/kit/list/define-list.ts";
import { text } from "#components/kit/list/params.ts";

/** The list of saved metrics. */
export const savedMetricList = defineList({
  path: "experiments/saved_metrics",
  pageSize: 50,
  words: { one: "saved metric", many: "saved metrics", nothingContains: "No name contains" },
  filters: { search: text() },
});

export type SavedMetricQuery = QueryOf<typeof savedMetricList>;
