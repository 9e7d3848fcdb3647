import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timeZone } from "#lib/engines/time-zone.ts";
import { findCronProblem, INTERVALS, nextMoment, type Recurrence } from "./moments.ts";

const BERLIN = "Europe/Berlin";
const HOUR_MS = 3_600_000;

const recurrence = (first: string, fields: Partial<Recurrence>): Recurrence => ({
  recurrence_interval: null,
  cron_expression: null,
  timezone: BERLIN,
  first: new Date(first),
  ...fields,
});

/** So many moments after the first, as ISO texts without what is always zero. */
function following(of: Recurrence, count: number): string[] {
  const found: string[] = [];
  for (let at: Date | null = of.first; at && found.length < count; ) {
    at = nextMoment(of, at);
    if (at) found.push(at.toISOString().replace(":00.000Z", "Z"));
  }
  return found;
}

describe("the next moment", () => {
  it.each<[string, string, Partial<Recurrence>, string[]]>([
    [
      "keeps its hour when clocks go forward",
      "2026-03-27T08:00:00Z",
      { recurrence_interval: "daily" },
      ["2026-03-28T08:00Z", "2026-03-29T07:00Z", "2026-03-30T07:00Z"],
    ],
    [
      "keeps its hour when clocks go back",
      "2026-10-24T07:00:00Z",
      { recurrence_interval: "daily" },
      ["2026-10-25T08:00Z", "2026-10-26T08:00Z"],
    ],
    [
      "is after the gap where clocks skip it, and back at its time on the next day",
      "2026-03-28T01:30:00Z",
      { recurrence_interval: "daily" },
      ["2026-03-29T01:00Z", "2026-03-30T00:30Z"],
    ],
    [
      "is the first of two where clocks show it twice",
      "2026-10-24T00:30:00Z",
      { recurrence_interval: "daily" },
      ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    [
      "keeps its weekday",
      "2026-03-23T08:00:00Z",
      { recurrence_interval: "weekly" },
      ["2026-03-30T07:00Z", "2026-04-06T07:00Z"],
    ],
    [
      "comes back to the 31st after shorter months",
      "2027-01-31T11:00:00Z",
      { recurrence_interval: "monthly" },
      ["2027-02-28T11:00Z", "2027-03-31T10:00Z", "2027-04-30T10:00Z", "2027-05-31T10:00Z"],
    ],
    [
      "comes back to 29 February",
      "2028-02-29T11:00:00Z",
      { recurrence_interval: "yearly" },
      ["2029-02-28T11:00Z", "2030-02-28T11:00Z", "2031-02-28T11:00Z", "2032-02-29T11:00Z"],
    ],
    [
      "of a cron expression is read by the zone's clock",
      "2026-03-27T08:00:00Z",
      { cron_expression: "0 9 * * 1-5" },
      ["2026-03-30T07:00Z", "2026-03-31T07:00Z"],
    ],
    [
      "of a cron expression is once after a gap that skips several",
      "2026-03-29T00:45:00Z",
      { cron_expression: "*/15 * * * *" },
      ["2026-03-29T01:00Z", "2026-03-29T01:15Z"],
    ],
    [
      "of a cron expression is not repeated in an hour that comes twice",
      "2026-10-25T00:30:00Z",
      { cron_expression: "*/15 * * * *" },
      ["2026-10-25T00:45Z", "2026-10-25T02:00Z"],
    ],
    [
      "skips a whole day with the clocks",
      "2011-12-28T20:00:00Z",
      { recurrence_interval: "daily", timezone: "Pacific/Apia" },
      ["2011-12-29T20:00Z", "2011-12-30T10:00Z", "2011-12-30T20:00Z"],
    ],
    [
      "knows gaps of half an hour",
      "2026-10-02T15:45:00Z",
      { recurrence_interval: "daily", timezone: "Australia/Lord_Howe" },
      ["2026-10-03T15:30Z", "2026-10-04T15:15Z"],
    ],
  ])("%s", (_, first, fields, expected) => {
    expect(following(recurrence(first, fields), expected.length)).toEqual(expected);
  });

  it("after missed ones is the next in the future", () => {
    const daily = recurrence("2026-01-01T08:00:00Z", { recurrence_interval: "daily" });
    expect(nextMoment(daily, new Date("2026-07-10T12:00:00Z"))).toEqual(new Date("2026-07-11T07:00:00Z"));
  });

  it("before the first one is the first", () => {
    const first = new Date("2026-01-31T08:00:00Z");
    const monthly = recurrence(first.toISOString(), { recurrence_interval: "monthly" });
    expect(nextMoment(monthly, new Date("2025-01-01T00:00:00Z"))).toEqual(first);
  });

  it("is none after the year 9999", () => {
    const yearly = recurrence("9999-06-01T08:00:00Z", { recurrence_interval: "yearly" });
    expect(nextMoment(yearly, yearly.first)).toBeNull();
  });

  const zones = [
    "UTC",
    BERLIN,
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Asia/Kathmandu",
  ];
  const moments = fc.date({
    min: new Date("2024-01-01T00:00:00Z"),
    max: new Date("2032-01-01T00:00:00Z"),
    noInvalidDate: true,
  });
  const rules = fc.oneof(
    fc.constantFrom(...INTERVALS).map((recurrence_interval) => ({ recurrence_interval })),
    fc
      .constantFrom("*/20 * * * *", "30 2 * * *", "0 * * * *", "15 1,2,3 * * 0", "0 9 31 * *")
      .map((cron_expression) => ({ cron_expression })),
  );

  it("is always later, at a time that the clock says unless it skips that, and never twice for one", () => {
    fc.assert(
      fc.property(moments, moments, rules, fc.constantFrom(...zones), (first, after, rule, timezone) => {
        const of = recurrence(first.toISOString(), { ...rule, timezone });
        const zone = timeZone(timezone);
        let last = after.getTime();
        const shown = new Set<number>();
        for (let n = 0; n < 12; n += 1) {
          const at = nextMoment(of, new Date(last))?.getTime() ?? Number.NaN;
          expect(at).toBeGreaterThan(last);
          const clock = zone.clockAt(at);
          expect(shown.has(clock)).toBe(false);
          shown.add(clock);
          // After a gap the clock shows when that ended: a moment before, it showed another hour.
          const isAfterGap = zone.offsetAt(at) > zone.offsetAt(at - 1);
          if (!isAfterGap && of.recurrence_interval)
            expect((clock - zone.clockAt(first.getTime())) % (HOUR_MS * 24)).toBe(0);
          if (!isAfterGap && of.cron_expression) expect(clock % (5 * 60_000)).toBe(0);
          last = at;
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("a cron expression", () => {
  it.each(["0 9 * * 1-5", "*/5 * * * *", "0 0 L * *", " 0 9 * * MON,FRI ", "0 0 29 2 *"])(
    "%s can be used",
    (text) => {
      expect(findCronProblem(text)).toBeNull();
    },
  );

  it.each([
    ["", "five fields"],
    ["@daily", "five fields"],
    ["0 0 9 * * *", "five fields"],
    ["2026-03-29T02:30:00", "five fields"],
    ["61 * * * *", "cannot be read"],
    ["a b c d e", "cannot be read"],
    ["0 0 30 2 *", "never occurs"],
  ])("%j cannot", (text, problem) => {
    expect(findCronProblem(text)).toContain(problem);
  });
});
