import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { periodFor, periodsOf, spansOf, startOf } from "./periods.ts";
import { grouped, type TimeSeries, timeTable } from "./time-data.ts";

const at = (day: string) => Date.parse(`${day}T00:00:00Z`);
const iso = (time: number) => new Date(time).toISOString().slice(0, 10);
const later = (day: string, days: number) => at(day) + (days - 1) * 86_400_000;

describe("a range", () => {
  it.each([
    { days: 1, by: "day", choice: ["day"] },
    { days: 14, by: "day", choice: ["day"] },
    { days: 30, by: "day", choice: ["day", "week"] },
    { days: 120, by: "day", choice: ["day", "week", "month"] },
    { days: 121, by: "week", choice: ["day", "week", "month"] },
    { days: 1_092, by: "week", choice: ["day", "week", "month"] },
    { days: 1_093, by: "month", choice: ["day", "week", "month"] },
  ])("of $days days is read by $by", ({ days, by, choice }) => {
    const [first, last] = [at("2024-01-31"), later("2024-01-31", days)];
    expect(periodFor(first, last)).toBe(by);
    expect(periodsOf(first, last)).toEqual(choice);
  });

  it.each([
    // A Thursday to a Tuesday, over a leap day.
    {
      period: "week" as const,
      spans: ["2024-02-29 2024-03-03 4/7", "2024-03-04 2024-03-10 7/7", "2024-03-11 2024-03-12 2/7"],
    },
    { period: "month" as const, spans: ["2024-02-29 2024-02-29 1/29", "2024-03-01 2024-03-12 12/31"] },
  ])("falls into each $period, the first and last cut", ({ period, spans }) => {
    const found = spansOf(at("2024-02-29"), at("2024-03-12"), period);
    expect(found.map(({ from, to, days, of }) => `${iso(from)} ${iso(to)} ${days}/${of}`)).toEqual(spans);
  });

  it("is covered day by day, whatever the period", () => {
    const first = fc.integer({ min: at("1999-12-25"), max: at("2031-01-05") });
    fc.assert(
      fc.property(
        first,
        fc.integer({ min: 1, max: 900 }),
        fc.constantFrom("day", "week", "month"),
        (t, n, p) => {
          const from = startOf(t, "day");
          const to = later(iso(from), n);
          const spans = spansOf(from, to, p);
          expect(spans.reduce((sum, { days }) => sum + days, 0)).toBe(n);
          expect([spans[0]?.from, spans.at(-1)?.to]).toEqual([from, to]);
          expect(spans.slice(1, -1).every(({ days, of }) => days === of)).toBe(true);
        },
      ),
    );
  });
});

const series = (values: readonly (number | null)[], first = "2024-02-29"): TimeSeries => ({
  key: "answered",
  name: "Answered",
  openHref: "/rows?day=0000-00-00&day_to=9999-99-99",
  points: values.map((value, i) => ({
    at: iso(later(first, i + 1)),
    value,
    ...(value === null ? {} : { interval: [value - 1, value + 1] as const }),
  })),
});
const VALUES = [1, 2, null, 4, 5, 6, 7, 8, 9, 10, 11, 12, null];

describe("points", () => {
  it("of what happened are added up, none lost, and open the days that they count", () => {
    const [found] = grouped([series(VALUES)], "week", "sum");
    expect(found?.points.map(({ at, value, interval }) => [at, value, interval ?? null])).toEqual([
      ["2024-02-26", 7, null],
      ["2024-03-04", 56, null],
      ["2024-03-11", 12, null],
    ]);
    expect(found?.points[0]?.href).toBe("/rows?day=2024-02-29&day_to=2024-03-03");
  });

  it("of what has come together stand as of the last day that has one", () => {
    const [found] = grouped([series(VALUES)], "week", "last");
    expect(found?.points.map(({ at, value, interval }) => [at, value, interval])).toEqual([
      ["2024-03-03", 4, [3, 5]],
      ["2024-03-10", 11, [10, 12]],
      ["2024-03-11", 12, [11, 13]],
    ]);
  });

  it("stand for zero where nothing happened between the first day and the last", () => {
    const sparse: TimeSeries = {
      key: "a",
      name: "A",
      points: [
        { at: "2024-01-01", value: 3 },
        { at: "2024-01-20", value: 4 },
      ],
    };
    expect(grouped([sparse], "week", "sum")[0]?.points.map(({ value }) => value)).toEqual([3, 0, 4]);
  });

  it("say in the table, and so in the file, which days they cover", () => {
    const data = { series: grouped([series(VALUES)], "month", "sum"), measure: { unit: "count" } as const };
    const { columns, rows } = timeTable(data);
    expect(columns.map(({ label }) => label)).toEqual(["From", "To", "Days", "Answered"]);
    expect(
      rows.map((row) => row.map((cell) => (typeof cell === "object" && cell ? cell.value : cell))),
    ).toEqual([
      ["2024-02-29", "2024-02-29", 1, 1],
      ["2024-03-01", "2024-03-12", 12, 74],
    ]);
  });
});
