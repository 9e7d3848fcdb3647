import fc from "fast-check";
import { expect, it } from "vitest";
import { anyName, anyOffset, anyText, expectRoundTrip, optionOf } from "#testing/lists.ts";
import { apiQuery, flagList } from "./list-query.ts";

const { status, type, runtime, order } = flagList.params;

it("every state of the list of flags is in its URL", () => {
  expectRoundTrip(flagList, {
    search: anyText,
    status: optionOf(status),
    type: optionOf(type),
    runtime: optionOf(runtime),
    tags: fc.array(anyName),
    creators: fc.array(fc.nat().map(String)),
    order: fc.oneof(optionOf(order), fc.constant("-key" as const)),
    offset: anyOffset,
  });
});

it("filters of the list are the API's", () => {
  const query = flagList.read({ status: "stale", tag: ["a", "b"], creator: ["3", "4"], runtime: "both" });
  expect(apiQuery(query)).toMatchObject({
    active: "STALE",
    tags: '["a","b"]',
    created_by_id: "3,4",
    evaluation_runtime: "both",
    order: "-created_at",
  });
  expect(apiQuery(flagList.read({}))).toMatchObject({ active: undefined, tags: undefined, type: undefined });
});
