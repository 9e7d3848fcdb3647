import { defineList } from "#components/kit/list/define-list.ts";
import { choice } from "#components/kit/list/params.ts";

/** The change requests of a project: those that wait, or all. */
export const requestList = defineList({
  path: "change_requests",
  pageSize: 50,
  words: { one: "request", many: "requests" },
  filters: { of: choice("Open", { all: "All" }) },
});
