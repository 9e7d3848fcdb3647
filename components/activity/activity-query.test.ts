import fc from "fast-check";
import { expect, it } from "vitest";
import { anyText, expectRoundTrip } from "#testing/lists.ts";
import { apiLogQuery, logList } from "./activity-query.ts";

const anyDay = fc
  .date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

it("every state of the activity log is in its URL", () => {
  expectRoundTrip(logList, {
    search: anyText,
    scope: anyText,
    item_id: anyText,
    user: anyText,
    activity: anyText,
    from: fc.oneof(fc.constant(""), anyDay),
    to: fc.oneof(fc.constant(""), anyDay),
    page: fc.integer({ min: 1, max: 10_000 }),
  });
});

it("days of the log are whole days of the project's time zone", () => {
  const query = logList.read({ from: "2026-03-01", to: "2026-03-02" });
  expect(apiLogQuery(query, "Europe/Berlin")).toMatchObject({
    date_from: "2026-02-28T23:00:00.000Z",
    date_to: "2026-03-02T22:59:59.999Z",
  });
});
