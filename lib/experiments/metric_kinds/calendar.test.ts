import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calendarOf, DAY_MS, HOUR_MS, nameOfDay } from "./calendar.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Havana",
  "America/Sao_Paulo",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Apia",
];

const numberOf = (name: string) => Date.parse(`${name}T00:00:00Z`) / DAY_MS;

describe("days by a zone's clock", () => {
  it.each(ZONES)("begin with the first moment that shows their date, and end with the last: %s", (zone) => {
    const calendar = calendarOf(zone);
    fc.assert(
      fc.property(fc.integer({ min: 10_000, max: 22_000 }), (day) => {
        const start = calendar.startOf(day);
        // Samoa left out a day.
        if (calendar.dayOf(start) !== day)
          expect([zone, nameOfDay(day)]).toEqual(["Pacific/Apia", "2011-12-30"]);
        else expect(calendar.dayOf(start - 1)).toBeLessThan(day);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    { zone: "UTC", at: "2026-03-29T23:59:59.999Z", day: "2026-03-29", hour: 23 },
    { zone: "Europe/Berlin", at: "2026-03-28T22:59:59.999Z", day: "2026-03-28", hour: 23 },
    { zone: "Europe/Berlin", at: "2026-03-28T23:00:00Z", day: "2026-03-29", hour: 0 },
    { zone: "Europe/Berlin", at: "2026-03-29T22:00:00Z", day: "2026-03-30", hour: 0 },
    { zone: "America/New_York", at: "2026-01-01T04:59:59Z", day: "2025-12-31", hour: 23 },
    { zone: "Asia/Kolkata", at: "2026-01-01T18:29:59Z", day: "2026-01-01", hour: 23 },
    { zone: "Asia/Kolkata", at: "2026-01-01T18:30:00Z", day: "2026-01-02", hour: 0 },
    { zone: "Asia/Kathmandu", at: "2026-01-01T18:14:59.999Z", day: "2026-01-01", hour: 23 },
    { zone: "Asia/Kathmandu", at: "2026-01-01T18:15:00Z", day: "2026-01-02", hour: 0 },
    { zone: "Asia/Kolkata", at: "1969-12-31T18:30:00Z", day: "1970-01-01", hour: 0 },
    { zone: "UTC", at: "1969-12-31T23:00:00Z", day: "1969-12-31", hour: 23 },
  ])("$at is $day, $hour o'clock, in $zone", ({ zone, at, day, hour }) => {
    const calendar = calendarOf(zone);
    expect(nameOfDay(calendar.dayOf(Date.parse(at)))).toBe(day);
    expect(calendar.hourOf(Date.parse(at))).toBe(numberOf(day) * 24 + hour);
  });

  it.each([
    { zone: "UTC", day: "2026-03-29", at: "2026-03-29T00:00:00Z", hours: 24 },
    { zone: "Europe/Berlin", day: "2026-03-29", at: "2026-03-28T23:00:00Z", hours: 23 },
    { zone: "Europe/Berlin", day: "2026-10-25", at: "2026-10-24T22:00:00Z", hours: 25 },
    { zone: "Australia/Lord_Howe", day: "2026-04-05", at: "2026-04-04T13:00:00Z", hours: 24.5 },
    // Clocks go forward at midnight: the day begins at one.
    { zone: "America/Sao_Paulo", day: "2018-11-04", at: "2018-11-04T03:00:00Z", hours: 23 },
    // Clocks go back at midnight: the hour before it comes twice.
    { zone: "America/Sao_Paulo", day: "2018-02-17", at: "2018-02-17T02:00:00Z", hours: 25 },
    // Clocks go back at one: midnight comes twice.
    { zone: "America/Havana", day: "2025-11-02", at: "2025-11-02T04:00:00Z", hours: 25 },
    { zone: "America/Havana", day: "2026-03-08", at: "2026-03-08T05:00:00Z", hours: 23 },
  ])("$day begins at $at in $zone and has $hours hours", ({ zone, day, at, hours }) => {
    const calendar = calendarOf(zone);
    const [start, end] = [calendar.startOf(numberOf(day)), calendar.startOf(numberOf(day) + 1)];
    expect(new Date(start).toISOString()).toBe(new Date(at).toISOString());
    expect((end - start) / HOUR_MS).toBe(hours);
  });

  it("are read once for each zone", () => {
    expect(calendarOf("Europe/Berlin")).toBe(calendarOf("Europe/Berlin"));
    expect(calendarOf("Europe/Berlin")).not.toBe(calendarOf("Europe/Paris"));
  });
});
