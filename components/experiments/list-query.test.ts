import fc from "fast-check";
import { expect, it } from "vitest";
import { anyOffset, anyText, expectRoundTrip, optionOf } from "#testing/lists.ts";
import { apiQuery, experimentList } from "./list-query.ts";

const { status, order } = experimentList.params;

it("every state of the list of experiments is in its URL", () => {
  expectRoundTrip(experimentList, {
    search: anyText,
    status: optionOf(status),
    flag: fc.oneof(fc.constant(""), fc.nat(999_999_999).map(String)),
    order: optionOf(order),
    offset: anyOffset,
  });
});

it("archived experiments are asked for as such, others by their status", () => {
  expect(apiQuery(experimentList.read({ status: "archived" }))).toMatchObject({ archived: "true" });
  expect(apiQuery(experimentList.read({ status: "paused" }))).toMatchObject({ status: "paused" });
});
