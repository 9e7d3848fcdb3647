import fc from "fast-check";
import { expect, it } from "vitest";
import { anyOffset, anyText, expectRoundTrip } from "#testing/lists.ts";
import { clockText, momentsOf, pastList } from "./past-query.ts";

const moment = fc.constantFrom("", "2026-03-29T09:00", "2026-03-29T09:00:01");

it("every state of the page is in its URL", () => {
  expectRoundTrip(pastList, {
    search: anyText,
    person: anyText,
    at: moment,
    since: moment,
    offset: anyOffset,
  });
  expect(pastList.read({ at: "2026-99-29T09:00", since: "now" })).toMatchObject({ at: "", since: "" });
});

it("reads moments by the project's clock, none of them in the future", () => {
  const now = Date.parse("2026-03-29T12:00:00Z");
  const read = (query: object) => momentsOf({ ...pastList.read({}), ...query }, "Europe/Berlin", now);
  const at = Date.parse("2026-03-29T07:00:00Z");
  expect(read({ at: "2026-03-29T09:00", since: "2026-03-29T01:30" })).toEqual({
    to: at,
    from: Date.parse("2026-03-29T00:30:00Z"),
    problem: null,
  });
  expect(clockText(at, "Europe/Berlin")).toBe("2026-03-29T09:00:00");
  expect(read({ at: "2026-04-01T09:00" })).toEqual({ to: now, from: now - 3_600_000, problem: null });
  expect(read({ at: "2026-03-29T09:00", since: "2026-03-29T09:00" }).problem).not.toBeNull();
});
