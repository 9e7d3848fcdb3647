import { describe, expect, it } from "vitest";
import { readMetric } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { filtersOf } from "#lib/experiments/metric_kinds/metric-schema.ts";
import { meanOf } from "#testing/experiments.ts";
import { computeFingerprint } from "./fingerprint.ts";
import { listMetrics } from "./metrics.ts";

const EVENT = (event: string | null) => ({ kind: "EventsNode", event });
const ACTION = { kind: "ActionsNode", id: 3 };
const METRIC = { kind: "ExperimentMetric" };
const circumstances = { start_date: null, stats_config: { method: "bayesian" }, exposure_criteria: {} };
const experiment = {
  ...circumstances,
  metrics: [],
  metrics_secondary: [],
  primary_metrics_ordered_uuids: null,
  secondary_metrics_ordered_uuids: null,
};
const shared = (saved_metric_id: number, type: string, query: Record<string, unknown>) => ({
  saved_metric_id,
  name: `Shared ${saved_metric_id}`,
  query,
  metadata: { type },
});

describe("a metric that nobody has named is called by what it counts", () => {
  const retention = {
    ...METRIC,
    metric_type: "retention",
    start_event: EVENT("signed up"),
    completion_event: EVENT("paid"),
    retention_window_start: 1,
    retention_window_end: 7,
    retention_window_unit: "day",
  };

  it.each([
    [meanOf("paid"), "paid"],
    [{ ...METRIC, metric_type: "mean", source: EVENT(null) }, "any event"],
    [{ ...METRIC, metric_type: "mean", source: ACTION }, "an action"],
    [
      { ...METRIC, metric_type: "funnel", series: [EVENT("seen"), ACTION, EVENT("paid")] },
      "seen → an action → paid",
    ],
    [
      { ...METRIC, metric_type: "ratio", numerator: EVENT("paid"), denominator: EVENT("seen") },
      "paid / seen",
    ],
    [retention, "back for paid"],
    [meanOf("paid", { name: "Orders" }), "Orders"],
    [meanOf("paid", { name: "" }), "paid"],
    [meanOf("paid", { name: null }), "paid"],
    [{ ...METRIC, metric_type: "median" }, "Metric"],
    [{ kind: "ExperimentTrendsQuery", name: "Old" }, "Old"],
  ])("%j", (raw, name) => {
    expect(listMetrics({ ...experiment, metrics: [raw] }, [])[0]?.name).toBe(name);
  });
});

describe("the metrics of an experiment", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((uuid) => meanOf(`event ${uuid}`, { uuid }));

  it("are its own and the shared ones, each in its role, primary ones first", () => {
    const all = listMetrics({ ...experiment, metrics: [a], metrics_secondary: [b] } as typeof experiment, [
      shared(1, "secondary", c ?? {}),
      shared(2, "primary", d ?? {}),
    ]);
    expect(all.map(({ uuid, role, name, saved_metric_id }) => [uuid, role, name, saved_metric_id])).toEqual([
      ["a", "primary", "event a", null],
      ["d", "primary", "Shared 2", 2],
      ["b", "secondary", "event b", null],
      ["c", "secondary", "Shared 1", 1],
    ]);
  });

  it("of an unknown role among the shared ones are primary", () => {
    expect(listMetrics(experiment, [shared(1, "guardrail", meanOf("x"))])[0]?.role).toBe("primary");
  });

  it.each([
    [null, ["a", "b", "c"]],
    [[], ["a", "b", "c"]],
    [
      ["c", "a", "b"],
      ["c", "a", "b"],
    ],
    [["c"], ["c", "a", "b"]],
    [
      ["gone", "b", "a"],
      ["b", "a", "c"],
    ],
  ])("stand in the order %j, what it leaves out last", (order, uuids) => {
    const primary = listMetrics(
      { ...experiment, metrics: [a, b, c] as never[], primary_metrics_ordered_uuids: order },
      [],
    );
    expect(primary.map(({ uuid }) => uuid)).toEqual(uuids);
    const secondary = listMetrics(
      { ...experiment, metrics_secondary: [a, b, c] as never[], secondary_metrics_ordered_uuids: order },
      [],
    );
    expect(secondary.map(({ uuid }) => uuid)).toEqual(uuids);
  });

  it("carry what is stored, what it reads as, and the fingerprint in this experiment", () => {
    const raw = meanOf("paid");
    expect(listMetrics({ ...experiment, metrics: [raw] as never[] }, [])).toEqual([
      {
        role: "primary",
        uuid: "",
        fingerprint: computeFingerprint(raw, circumstances),
        name: "paid",
        saved_metric_id: null,
        metric: raw,
        problem: null,
        raw,
      },
    ]);
  });
});

describe("a stored metric that cannot be computed says why", () => {
  it.each([
    [{ kind: "ExperimentTrendsQuery" }, "This is a legacy metric, which is not computed."],
    [{ kind: "ExperimentFunnelsQuery" }, "This is a legacy metric, which is not computed."],
    [meanOf("paid", { goal: "sideways" }), "goal: "],
    [meanOf("paid", { source: { kind: "EventsNode", math: "median" } }), "source.math: "],
  ])("%j", (raw, problem) => {
    const read = readMetric(raw);
    expect(read.metric).toBeNull();
    expect(read.problem?.slice(0, problem.length)).toBe(problem);
  });

  it("and one that can has no problem", () => {
    expect(readMetric(meanOf("paid"))).toEqual({ metric: meanOf("paid"), problem: null });
  });
});

describe("the conditions of a source", () => {
  it.each([
    [undefined, []],
    [null, []],
    [[{ key: "plan", value: "pro" }], [{ key: "plan", value: "pro" }]],
    [{}, []],
    [
      { plan: "pro", seats: 5, trial: false, country: ["DE", "AT"] },
      [
        { key: "plan", value: "pro", operator: "exact", type: "event" },
        { key: "seats", value: 5, operator: "exact", type: "event" },
        { key: "trial", value: false, operator: "exact", type: "event" },
        { key: "country", value: ["DE", "AT"], operator: "exact", type: "event" },
      ],
    ],
    [{ denominator_event: "seen", nothing: null, nested: { a: 1 }, mixed: ["a", {}] }, []],
  ])("%j are a list", (properties, list) => {
    expect(filtersOf({ properties })).toEqual(list);
  });
});
