import { expect, it } from "vitest";
import { startOfDay } from "./days.ts";

it.each([
  ["2026-01-15", "UTC", 0, "2026-01-15T00:00:00.000Z"],
  ["2026-01-15", "UTC", 1, "2026-01-16T00:00:00.000Z"],
  ["2026-01-15", "Europe/Berlin", 0, "2026-01-14T23:00:00.000Z"],
  ["2026-07-15", "Europe/Berlin", 0, "2026-07-14T22:00:00.000Z"],
  // The day on which clocks go forward has 23 hours.
  ["2026-03-29", "Europe/Berlin", 0, "2026-03-28T23:00:00.000Z"],
  ["2026-03-29", "Europe/Berlin", 1, "2026-03-29T22:00:00.000Z"],
  ["2026-01-15", "America/Los_Angeles", 0, "2026-01-15T08:00:00.000Z"],
  ["2026-01-15", "Asia/Kathmandu", 0, "2026-01-14T18:15:00.000Z"],
  // Far east of UTC, clocks have not been changed yet when the day begins.
  ["2026-04-05", "Pacific/Auckland", 0, "2026-04-04T11:00:00.000Z"],
  ["2026-04-05", "Pacific/Auckland", 1, "2026-04-05T12:00:00.000Z"],
  // Once, zones differed from UTC by seconds.
  ["1971-06-01", "Africa/Monrovia", 0, "1971-06-01T00:44:30.000Z"],
  ["2026-01-01", "Asia/Tokyo", 0, "2025-12-31T15:00:00.000Z"],
  ["2026-02-28", "UTC", 1, "2026-03-01T00:00:00.000Z"],
])("%s in %s, %i days on, begins at %s", (day, zone, plus, moment) => {
  expect(startOfDay(day, zone, plus)).toBe(moment);
});

it("a day is its own when no days are added", () => {
  expect(startOfDay("2026-05-01", "UTC")).toBe("2026-05-01T00:00:00.000Z");
});
