import { expect, it } from "vitest";
import { exactTime, formatClock, relativeTime } from "./format.ts";

const now = Date.parse("2026-03-10T12:00:00Z");

it.each([
  ["2026-03-10T11:59:57Z", "just now"],
  ["2026-03-10T11:59:30Z", "less than a minute ago"],
  ["2026-03-10T12:00:40Z", "in less than a minute"],
  ["2026-03-10T11:59:00Z", "1 minute ago"],
  ["2026-03-10T09:00:01Z", "2 hours ago"],
  ["2026-03-09T12:00:00Z", "yesterday"],
  ["2026-03-11T13:00:00Z", "tomorrow"],
  ["2026-03-01T12:00:00Z", "9 days ago"],
  ["2026-02-20T12:00:00Z", "2 weeks ago"],
  ["2026-01-24T12:00:00Z", "6 weeks ago"],
  ["2024-04-01T12:00:00Z", "23 months ago"],
  ["2024-01-01T00:00:00Z", "2 years ago"],
  ["soon", "soon"],
])("%s reads %j", (date, words) => {
  expect(relativeTime(date, now)).toBe(words);
});

it("gives the time of day in UTC", () => {
  expect(formatClock(Date.parse("2026-03-10T09:05:07+02:00"))).toBe("07:05:07");
});

it("names the exact moment in UTC until the reader's zone is known", () => {
  expect(exactTime("2026-03-10T09:05:07+02:00", false)).toBe("10 Mar 2026, 07:05:07 UTC");
  expect(exactTime("soon", false)).toBe("soon");
});
