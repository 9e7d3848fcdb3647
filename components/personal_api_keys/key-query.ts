import { defineList, type QueryOf } from "#components/kit/list/define-list.ts";
import { choice } from "#components/kit/list/params.ts";

/** The keys of the signed-in person, or of everyone. */
export const keyPages = defineList({
  path: "settings/api_keys",
  pageSize: 50,
  words: { one: "key", many: "keys" },
  filters: { of: choice("Mine", { everyone: "Everyone’s" }) },
});

export type KeyQuery = QueryOf<typeof keyPages>;
