import { describe, expect, it } from "vitest";
import { hitAt, plannedMetric } from "#testing/experiment-plans.ts";
import { DAY_MS } from "./calendar.ts";
import { spanOf, within } from "./counting.ts";
import type { Hit, PlannedMetric } from "./kind.ts";
import { comesBack } from "./retention.ts";

const END = 1_000_000;

const hit = (at: number, position = at) => hitAt(at, { position });

describe("the events that count for a metric", () => {
  const counted = (metric: PlannedMetric, end: number | null, cut: number, moments: number[]) =>
    within(
      moments.map((at) => hit(at)),
      spanOf({ end }, metric, 100, cut),
    ).map(({ at }) => at);

  it.each([
    { name: "up to the experiment's end, which counts", window: null, end: END, last: END },
    { name: "up to the window's end, which does not", window: 50, end: END, last: 149 },
    { name: "in a window after the experiment's end", window: END, end: END, last: END + 99 },
    { name: "up to the present while it runs", window: null, end: null, last: END * 3 - 1 },
  ])("come from the exposure on, $name", ({ window, end, last }) => {
    expect(counted(plannedMetric({ window }), end, END * 3, [99, 100, last, last + 1])).toEqual([100, last]);
  });

  it("come before the present", () => {
    expect(counted(plannedMetric(), END, 200, [199, 200])).toEqual([199]);
  });
});

describe("a return", () => {
  const rule = { from: 0, to: 1, unit: "day" as const, last: false };
  const back = (start: Hit, end: Hit) => comesBack({ timezone: "UTC" }, rule, start, end);

  it("is never the start itself, but may come at the same moment", () => {
    expect(back(hit(5, 1), hit(5, 1))).toBe(false);
    expect(back(hit(5, 1), hit(5, 2))).toBe(true);
  });

  it("comes after the start, and within the window", () => {
    expect(back(hit(5, 1), hit(4, 2))).toBe(false);
    expect(back(hit(5, 1), hit(2 * DAY_MS - 1, 2))).toBe(true);
    expect(back(hit(5, 1), hit(2 * DAY_MS, 2))).toBe(false);
  });
});
