import fc from "fast-check";
import { expect, it } from "vitest";
import { nextDigest } from "./digest-moment.ts";

it.each([
  ["2026-01-15T06:59:00Z", "Europe/Berlin", "2026-01-15T07:00:00.000Z"],
  ["2026-01-15T07:00:00Z", "Europe/Berlin", "2026-01-16T07:00:00.000Z"],
  ["2026-01-15T12:00:00Z", "UTC", "2026-01-16T08:00:00.000Z"],
  // Clocks go forward in the night to Sunday, March 29, 2026: that night has 23 hours.
  ["2026-03-28T07:00:00Z", "Europe/Berlin", "2026-03-29T06:00:00.000Z"],
  ["2026-03-29T06:00:00Z", "Europe/Berlin", "2026-03-30T06:00:00.000Z"],
  // They go back on October 25: it has 25 hours.
  ["2026-10-24T06:00:00Z", "Europe/Berlin", "2026-10-25T07:00:00.000Z"],
  ["2026-10-25T06:59:59Z", "Europe/Berlin", "2026-10-25T07:00:00.000Z"],
  ["2026-03-08T07:00:00Z", "America/Los_Angeles", "2026-03-08T15:00:00.000Z"],
  ["2026-06-01T02:14:59Z", "Asia/Kathmandu", "2026-06-01T02:15:00.000Z"],
])("after %s in %s: %s", (now, zone, expected) => {
  expect(nextDigest(new Date(now), zone).toISOString()).toBe(expected);
});

it("is at eight by the clock, within 25 hours, whatever the day", () => {
  const zones = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Tokyo",
    "America/Santiago",
  ];
  const start = Date.UTC(2026, 0, 1);
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: start, max: start + 366 * 86_400_000 }),
      (zone, at) => {
        const next = nextDigest(new Date(at), zone);
        const hour = new Intl.DateTimeFormat("en-GB", {
          timeZone: zone,
          hour: "2-digit",
          minute: "2-digit",
        }).format(next);
        expect(hour).toBe("08:00");
        expect(next.getTime()).toBeGreaterThan(at);
        expect(next.getTime() - at).toBeLessThanOrEqual(25 * 3_600_000);
      },
    ),
  );
});
