import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeNiceTicks, computeTimeTicks } from "./scale.ts";

describe("ticks", () => {
  it.each([
    { low: 0, high: 9, whole: true, ticks: [0, 3, 6, 9] },
    { low: 0, high: 100, whole: false, ticks: [0, 25, 50, 75, 100] },
    { low: -0.07, high: 0.12, whole: false, ticks: [-0.1, -0.05, 0, 0.05, 0.1, 0.15] },
    { low: 0, high: 0, whole: true, ticks: [0, 1] },
  ])("$low to $high", ({ low, high, whole, ticks }) => {
    expect(computeNiceTicks(low, high, 5, whole)).toEqual(ticks);
  });

  it("cover every range, ascending and not too many", () => {
    const number = fc.double({ min: -1e6, max: 1e6, noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, fc.double({ min: 1e-4, max: 1e6, noNaN: true }), (low, span) => {
        const ticks = computeNiceTicks(low, low + span);
        expect(ticks[0]).toBeLessThanOrEqual(low + span * 1e-6);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(low + span * (1 - 1e-6));
        expect(ticks.length).toBeLessThanOrEqual(8);
        expect([...ticks].sort((a, b) => a - b)).toEqual(ticks);
      }),
    );
  });

  const day = 86_400_000;
  const at = (text: string) => Date.parse(`${text}T00:00:00Z`);

  it("of days stay within what fits", () => {
    expect(computeTimeTicks(0, 60 * day, 5).map((tick) => tick.at)).toEqual(
      [0, 14, 28, 42, 56].map((n) => n * day),
    );
    expect(computeTimeTicks(day, 29 * day, 2).map((tick) => tick.at)).toEqual([1, 29].map((n) => n * day));
    expect(computeTimeTicks(0, 0, 5)).toEqual([{ at: 0, label: "1 Jan" }]);
  });

  it.each([
    { first: "2026-12-20", last: "2027-01-09", most: 4, labels: ["20 Dec 2026", "27 Dec", "3 Jan 2027"] },
    { first: "2026-08-25", last: "2026-11-21", most: 6, labels: ["Sept 2026", "Oct 2026", "Nov 2026"] },
    {
      first: "2023-10-05",
      last: "2026-11-21",
      most: 8,
      labels: ["Jan 2024", "Jul 2024", "Jan 2025", "Jul 2025", "Jan 2026", "Jul 2026"],
    },
  ])("from $first to $last name their years", ({ first, last, most, labels }) => {
    expect(computeTimeTicks(at(first), at(last), most).map(({ label }) => label)).toEqual(labels);
  });
});
