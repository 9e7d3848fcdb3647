import { expect, it } from "vitest";
import { findMetricProblem } from "./metric-draft.ts";
import { metricText, stepNames } from "./metric-words.ts";

const paid = { kind: "EventsNode", event: "paid" };
const mean = { kind: "ExperimentMetric", metric_type: "mean" };
const funnel = {
  kind: "ExperimentMetric",
  metric_type: "funnel",
  series: [{ ...paid, event: "seen" }, paid],
};

it.each([
  [{ ...mean, source: paid }, "Number of “paid”, per person."],
  [{ ...mean, source: { kind: "EventsNode", event: null } }, "Number of any event, per person."],
  [
    { ...mean, source: { ...paid, math: "unique_group", math_group_type_index: 0 } },
    "Number of groups with “paid”, per person.",
  ],
  [
    {
      ...mean,
      source: { ...paid, math: "sum", math_property: "amount" },
      lower_bound_percentile: 0.005,
      upper_bound_percentile: 0.95,
      conversion_window: 12,
      conversion_window_unit: "hour",
    },
    "Sum of amount of “paid”, per person, raised to percentile 0.5, capped at percentile 95, within 12 hours of the first exposure.",
  ],
  [funnel, "People who did “seen”, then “paid”."],
  [{ ...funnel, funnel_order_type: "unordered" }, "People who did “seen” and “paid”, in any order."],
])("%j reads as it is counted", (metric, text) => {
  expect(metricText(metric)).toBe(text);
  expect(findMetricProblem(metric)).toBeNull();
});

it("names the steps of a funnel by their events, where their order matters", () => {
  expect(stepNames(funnel)).toEqual(["1. seen", "2. paid"]);
  const named = { ...funnel, series: [{ ...paid, custom_name: "Bought" }] };
  expect(stepNames(named)).toEqual(["1. Bought"]);
  expect(stepNames({ ...funnel, funnel_order_type: "unordered" })).toEqual(["Any step", "Any 2 steps"]);
  expect(stepNames(mean)).toEqual([]);
});

it("asks for an event where none is chosen, but takes every event", () => {
  expect(findMetricProblem({ ...mean, source: { kind: "EventsNode", event: "" } })).toContain(
    "event to count",
  );
});
