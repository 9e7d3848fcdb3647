import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import type { PlannedMetric } from "#lib/experiments/metric_kinds/kind.ts";
import type { ExperimentMetric } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { plannedMetric, planWith } from "#testing/experiment-plans.ts";
import { addMetric, earliestOf, latestOf } from "./plan.ts";
import { compileSource, numberOf } from "./sources.ts";

const node = (event: string, fields: Record<string, unknown> = {}) => ({
  kind: "EventsNode" as const,
  event,
  ...fields,
});
const group_types = new Map([
  [0, "company"],
  [1, "team"],
]);

/** A metric as the plan has it. */
function planned(metric: Partial<ExperimentMetric>, stats_config: Record<string, unknown> | null = null) {
  const plan = planWith();
  const added = addMetric(plan, { kind: "ExperimentMetric", ...metric } as ExperimentMetric, {
    stats_config,
    group_types,
  });
  expect(plan.metrics).toEqual([added]);
  return { events: plan.sources.map(({ event }) => event), metric: added };
}

const mean = { metric_type: "mean", source: node("paid") } as const;
const funnel = { metric_type: "funnel" as const, series: [node("viewed"), node("paid")] };
const ratio = { metric_type: "ratio", numerator: node("paid"), denominator: node("viewed") } as const;
const retention = {
  metric_type: "retention",
  start_event: node("viewed"),
  completion_event: node("paid"),
  retention_window_start: 1,
  retention_window_end: 7,
  retention_window_unit: "day",
  start_handling: "first_seen",
} as const;

describe("a metric's plan", () => {
  it.each<{ name: string; metric: Partial<ExperimentMetric>; events: string[]; is: Partial<PlannedMetric> }>([
    { name: "a mean", metric: mean, events: ["paid"], is: {} },
    { name: "a funnel", metric: funnel, events: ["viewed", "paid"], is: { type: "funnel", sources: [0, 1] } },
    {
      name: "a funnel in any order",
      metric: { ...funnel, funnel_order_type: "unordered" },
      events: ["viewed", "paid"],
      is: { type: "funnel", sources: [0, 1], ordered: false },
    },
    {
      name: "a strict funnel, which is an ordered one",
      metric: { ...funnel, funnel_order_type: "strict" },
      events: ["viewed", "paid"],
      is: { type: "funnel", sources: [0, 1] },
    },
    { name: "a ratio", metric: ratio, events: ["paid", "viewed"], is: { type: "ratio", sources: [0, 1] } },
    {
      name: "a retention",
      metric: retention,
      events: ["viewed", "paid"],
      is: {
        type: "retention",
        sources: [0, 1],
        retention: { from: 1, to: 7, unit: "day", last: false },
      },
    },
    {
      name: "a retention from the last start",
      metric: { ...retention, start_handling: "last_seen" },
      events: ["viewed", "paid"],
      is: {
        type: "retention",
        sources: [0, 1],
        retention: { from: 1, to: 7, unit: "day", last: true },
      },
    },
    {
      name: "a window in days where no unit is named",
      metric: { ...mean, conversion_window: 3 },
      events: ["paid"],
      is: { window: 3 * DAY_MS },
    },
    {
      name: "a window in its unit",
      metric: { ...mean, conversion_window: 3, conversion_window_unit: "hour" },
      events: ["paid"],
      is: { window: 3 * HOUR_MS },
    },
    {
      name: "no window of length 0",
      metric: { ...mean, conversion_window: 0, conversion_window_unit: "hour" },
      events: ["paid"],
      is: { window: null },
    },
    {
      name: "bounds of outliers",
      metric: { ...mean, upper_bound_percentile: 0.99, ignore_zeros: true },
      events: ["paid"],
      is: { winsor: { lower: null, upper: 0.99, ignore_zeros: true } },
    },
    {
      name: "a lower bound alone, zeros included",
      metric: { ...mean, lower_bound_percentile: 0.01 },
      events: ["paid"],
      is: { winsor: { lower: 0.01, upper: null, ignore_zeros: false } },
    },
    {
      name: "a bound of 0",
      metric: { ...mean, lower_bound_percentile: 0, upper_bound_percentile: null },
      events: ["paid"],
      is: { winsor: { lower: 0, upper: null, ignore_zeros: false } },
    },
  ])("has $name", ({ metric, events, is }) => {
    expect(planned(metric)).toEqual({ events, metric: plannedMetric(is) });
  });

  it.each([
    { unit: "second", ms: 1_000 },
    { unit: "minute", ms: 60_000 },
    { unit: "hour", ms: 3_600_000 },
    { unit: "day", ms: 86_400_000 },
    { unit: "week", ms: 7 * 86_400_000 },
    { unit: "month", ms: 30 * 86_400_000 },
  ] as const)("has a window of two times one $unit", ({ unit, ms }) => {
    const metric = { ...mean, conversion_window: 2, conversion_window_unit: unit };
    expect(planned(metric).metric?.window).toBe(2 * ms);
  });

  it.each([
    { metric: mean, cuped: { enabled: true }, days: 14 },
    { metric: funnel, cuped: { enabled: true }, days: 14 },
    { metric: { ...funnel, funnel_order_type: "strict" as const }, cuped: { enabled: true }, days: 14 },
    { metric: { ...funnel, funnel_order_type: "unordered" as const }, cuped: { enabled: true }, days: null },
    { metric: ratio, cuped: { enabled: true }, days: null },
    { metric: retention, cuped: { enabled: true }, days: null },
    { metric: mean, cuped: { enabled: true, lookback_days: 7 }, days: 7 },
    { metric: mean, cuped: { enabled: true, lookback_days: 6.6 }, days: 7 },
    { metric: mean, cuped: { enabled: true, lookback_days: 0 }, days: 1 },
    { metric: mean, cuped: { enabled: true, lookback_days: 31 }, days: 30 },
    { metric: mean, cuped: { enabled: true, lookback_days: "7" }, days: 14 },
    { metric: mean, cuped: { enabled: "yes" }, days: null },
    { metric: mean, cuped: { enabled: false, lookback_days: 7 }, days: null },
    { metric: mean, cuped: null, days: null },
    { metric: mean, cuped: "on", days: null },
    { metric: mean, cuped: undefined, days: null },
  ])("looks back as CUPED says: $metric.metric_type with $cuped, $days days", ({ metric, cuped, days }) => {
    expect(planned(metric, { cuped }).metric?.lookback).toBe(days === null ? null : days * DAY_MS);
  });

  it("comes after those that are there, with sources of its own", () => {
    const plan = planWith();
    const options = { stats_config: null, group_types };
    const add = (metric: Partial<ExperimentMetric>) =>
      addMetric(plan, { kind: "ExperimentMetric", ...metric } as ExperimentMetric, options);
    const added = [add(ratio), add(mean)];
    expect(plan.metrics).toEqual(added);
    expect(plan.metrics.map(({ sources }) => sources)).toEqual([[0, 1], [2]]);
    expect(plan.sources.map(({ event }) => event)).toEqual(["paid", "viewed", "paid"]);
  });

  it("is left as it was by a metric that cannot be computed", () => {
    const plan = planWith();
    const metric = {
      kind: "ExperimentMetric",
      ...funnel,
      series: [node("viewed"), { kind: "ActionsNode", id: 4 }],
    } as ExperimentMetric;
    expect(() => addMetric(plan, metric, { stats_config: null, group_types })).toThrow(
      /Actions are not supported/,
    );
    expect(plan).toMatchObject({ sources: [], metrics: [] });
  });
});

describe("the moments at which events can matter", () => {
  const metrics = [
    plannedMetric({ lookback: 20, window: 300 }),
    plannedMetric(),
    plannedMetric({ lookback: 50, window: 70 }),
  ];

  it("begin with the longest look-back", () => {
    expect(earliestOf(planWith({ start: 1_000, metrics }))).toBe(950);
    expect(earliestOf(planWith({ start: 1_000 }))).toBe(1_000);
  });

  it("end with the longest window after the experiment, if that has an end", () => {
    expect(latestOf(planWith({ end: 2_000, metrics }))).toBe(2_301);
    expect(latestOf(planWith({ end: 2_000 }))).toBe(2_001);
    expect(latestOf(planWith({ metrics }))).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("a source", () => {
  const compiled = (fields: Record<string, unknown>, event: string | null = "paid") => {
    const { matches: _, ...source } = compileSource({ ...node(""), event, ...fields }, group_types);
    return source;
  };
  const plain = { event: "paid", math: "total", property: null, group_type: null, filtered: [] };

  it.each([
    { name: "counts events", fields: {}, is: plain },
    { name: "counts events, whatever property it names", fields: { math_property: "amount" }, is: plain },
    {
      name: "reads a number",
      fields: { math: "sum", math_property: "amount" },
      is: { ...plain, math: "sum", property: "amount" },
    },
    {
      name: "tells sessions apart",
      fields: { math: "unique_session" },
      is: { ...plain, math: "unique_session", property: "$session_id" },
    },
    {
      name: "tells groups of the first type apart",
      fields: { math: "unique_group" },
      is: { ...plain, math: "unique_group", group_type: "company" },
    },
    {
      name: "tells groups of another type apart",
      fields: { math: "unique_group", math_group_type_index: 1 },
      is: { ...plain, math: "unique_group", group_type: "team" },
    },
    { name: "counts persons", fields: { math: "dau" }, is: { ...plain, math: "dau" } },
    {
      name: "has conditions",
      fields: { properties: [{ key: "plan", value: "pro", type: "event" }] },
      is: { ...plain, filtered: ["plan"] },
    },
  ])("$name", ({ fields, is }) => {
    expect(compiled(fields)).toEqual(is);
  });

  it("may be any event", () => {
    expect(compiled({}, null)).toEqual({ ...plain, event: null });
  });

  it("counts events that fulfil its conditions", () => {
    const { matches } = compileSource(
      node("paid", { properties: [{ key: "plan", value: "pro", type: "event" }] }),
      group_types,
    );
    expect([matches(["pro"], 0), matches(["free"], 0), matches([undefined], 0)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    { source: { kind: "ActionsNode", id: 3 } as const, reason: /Actions are not supported/ },
    {
      source: {
        kind: "ExperimentDataWarehouseNode",
        table_name: "invoices",
        timestamp_field: "at",
        events_join_key: "a",
        data_warehouse_join_key: "b",
      } as const,
      reason: /"invoices"/,
    },
    { source: node("paid", { math: "hogql", math_hogql: "1" }), reason: /HogQL/ },
    ...["sum", "avg", "min", "max"].flatMap((math) =>
      [undefined, null, ""].map((math_property) => ({
        source: node("paid", { math, math_property }),
        reason: new RegExp(`needs a math_property for ${math}`),
      })),
    ),
    { source: node("paid", { math: "unique_group", math_group_type_index: 2 }), reason: /type 2/ },
  ])("refuses $source.kind $source.math with the reason", ({ source, reason }) => {
    expect(() => compileSource(source as Parameters<typeof compileSource>[0], group_types)).toThrow(reason);
  });
});

describe("a property as a number", () => {
  it.each([
    [5, 5],
    [-2.5, -2.5],
    [0, 0],
    [1e100, 1e100],
    [-1e100, -1e100],
    [1.1e100, null],
    [-1.1e100, null],
    [true, 1],
    [false, 0],
    ["7", 7],
    [" 7.5 ", 7.5],
    ["1e101", null],
    ["", null],
    ["  ", null],
    ["seven", null],
    [Number.NaN, null],
    [null, null],
    [undefined, null],
    [{}, null],
    [[5], null],
  ])("%j is %j", (value, number) => {
    expect(numberOf(value)).toBe(number);
  });
});
