import { expect, it } from "vitest";
import { anyOffset, anyText, expectRoundTrip, optionOf } from "#testing/lists.ts";
import { apiQuery, surveyList } from "./list-query.ts";

const { status, type, order } = surveyList.params;

it("every state of the list of surveys is in its URL", () => {
  expectRoundTrip(surveyList, {
    search: anyText,
    status: optionOf(status),
    type: optionOf(type),
    order: optionOf(order),
    offset: anyOffset,
  });
});

it("archived surveys are left out unless they are asked for", () => {
  expect(apiQuery(surveyList.read({}))).toMatchObject({ archived: "false" });
  expect(apiQuery(surveyList.read({ status: "archived" }))).not.toHaveProperty("archived");
});
