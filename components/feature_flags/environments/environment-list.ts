import { defineList, type QueryOf } from "#components/kit/list/define-list.ts";
import { choice, text } from "#components/kit/list/params.ts";

/** Flags with the same key in each environment. */
export const environmentList = defineList({
  path: "feature_flags/environments",
  pageSize: 50,
  words: { one: "flag", many: "flags", nothingContains: "No key or description contains" },
  filters: {
    search: text(),
    state: choice("All", {
      needs_attention: "Needs attention",
      differs: "Differs",
      only_here: "Only here",
      missing_here: "Missing here",
      same: "Same",
    }),
    with: text(/^\d{1,9}$/),
  },
});

export type EnvironmentQuery = QueryOf<typeof environmentList>;
