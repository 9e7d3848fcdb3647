import { defineList, type QueryOf } from "#components/kit/list/define-list.ts";
import { choice, text } from "#components/kit/list/params.ts";

/** What was sent to the destinations of a project. */
export const deliveryList = defineList({
  path: "settings/notifications",
  pageSize: 25,
  words: { one: "message", many: "messages" },
  filters: {
    state: choice("All", { waiting: "On their way", delivered: "Delivered", dead: "Given up" }),
    destination: text(/^[0-9a-f-]{36}$/),
  },
});

export type DeliveryQuery = QueryOf<typeof deliveryList>;
