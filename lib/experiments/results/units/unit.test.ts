import { describe, expect, it } from "vitest";
import { MULTIPLE, phasedSampleRatio } from "#lib/engines/statistics/sample-ratio.ts";
import { DAY_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import { spanOf, within } from "#lib/experiments/metric_kinds/counting.ts";
import {
  type Hit,
  type PlannedMetric,
  RECOMPUTE,
  type UnitHistory,
} from "#lib/experiments/metric_kinds/kind.ts";
import { comesBack } from "#lib/experiments/metric_kinds/retention.ts";
import { listFindings } from "#lib/experiments/results/answer/health.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import { createIncrement } from "./unit.ts";

const END = 1_000_000;

const metricOf = (fields: Partial<PlannedMetric>): PlannedMetric => ({
  type: "mean",
  sources: [0],
  window: null,
  ordered: true,
  retention: null,
  winsor: null,
  lookback: null,
  ...fields,
});

const planOf = (fields: Partial<Plan>): Plan => ({
  exposure: { event: "seen", flag: null, property: null, filtered: [], matches: () => true },
  variants: ["control", "test"],
  handling: "exclude",
  group_type: null,
  start: 0,
  end: END,
  timezone: "UTC",
  sources: [],
  metrics: [],
  ...fields,
});

const hit = (at: number, position = at): Hit => ({ at, position, key: null, value: null });

describe("the events that count for a metric", () => {
  const counted = (metric: PlannedMetric, end: number | null, cut: number, moments: number[]) =>
    within(
      moments.map((at) => hit(at)),
      spanOf(planOf({ end }), metric, 100, cut),
    ).map(({ at }) => at);

  it.each([
    { name: "up to the experiment's end, which counts", window: null, end: END, last: END },
    { name: "up to the window's end, which does not", window: 50, end: END, last: 149 },
    { name: "in a window after the experiment's end", window: END, end: END, last: END + 99 },
    { name: "up to the present while it runs", window: null, end: null, last: END * 3 - 1 },
  ])("come from the exposure on, $name", ({ window, end, last }) => {
    expect(counted(metricOf({ window }), end, END * 3, [99, 100, last, last + 1])).toEqual([100, last]);
  });

  it("come before the present", () => {
    expect(counted(metricOf({}), END, 200, [199, 200])).toEqual([199]);
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

describe("new steps of an ordered funnel", () => {
  const increment = createIncrement(planOf({ metrics: [metricOf({ type: "funnel", sources: [0, 1] })] }));
  const unit = { variant: "test", first_at: 100, values: [{ value: 0, other: 0, covariate: 0, mark: 0 }] };
  const folded = (first: Hit, second: Hit) => {
    const history: UnitHistory = { exposures: [], hits: [[first], [second]] };
    return increment(unit, [first, second], history, 100);
  };

  it("are added to those that are known", () => {
    expect(folded(hit(200), hit(201))).toEqual([{ value: 1, other: 2, covariate: 0, mark: 0 }]);
  });

  it("are recomputed where two happen at the same moment: their order is unknown", () => {
    expect(folded(hit(200, 1), hit(200, 2))).toBe(RECOMPUTE);
  });
});

describe("units with several variants", () => {
  const codes = (handling: "exclude" | "first_seen", multiple: number) =>
    listFindings({
      units: new Map([
        ["control", 500],
        ["test", 500 - multiple],
        [MULTIPLE, multiple],
      ]),
      split: { phases: [], check: phasedSampleRatio([]) },
      handling,
      isRunning: true,
      isFlagActive: true,
    }).map(({ code, severity }) => [code, severity]);

  it("cause a warning from one in 200 on, where they are excluded", () => {
    expect(codes("exclude", 4)).toEqual([]);
    expect(codes("exclude", 5)).toEqual([["multiple_variants", "warning"]]);
    expect(codes("exclude", 50)).toEqual([["multiple_variants", "error"]]);
  });

  it("are fine where their first variant counts", () => {
    expect(codes("first_seen", 50)).toEqual([]);
  });
});
