import { describe, expect, it } from "vitest";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import type { MetricPreview } from "#lib/experiments/results/result-schema.ts";
import { readSource, sourceText } from "./plan-source.ts";
import { type Plan, planByRule, planFromEvents, type Reading } from "./planning.ts";

const even = [
  { key: "control", rollout_percentage: 50 },
  { key: "test", rollout_percentage: 50 },
];
const reading = (stats_config: unknown = { method: "frequentist" }, variants = even): Reading => ({
  variants,
  baseline: "control",
  settings: readSettings(stats_config),
});
const absolute = { method: "frequentist", frequentist: { difference_type: "ABSOLUTE" } };

const previewOf = (n: number, mean: number, variance: number, more: Partial<MetricPreview> = {}) =>
  ({
    days: 30,
    units: n,
    exposed: n,
    events: n * mean,
    mean,
    variance,
    standard_deviation: Math.sqrt(variance),
    uncapped_share: 1,
    conversion: null,
    steps: [],
    daily_units: n / 30,
    baseline: { number_of_samples: n, sum: n * mean, sum_squares: (n - 1) * variance + n * mean ** 2 },
    problem: null,
    one_in: 1,
    ...more,
  }) satisfies MetricPreview;

const revenue = { metric_type: "mean", source: { kind: "EventsNode", math: "sum", math_property: "amount" } };
const count = { metric_type: "mean", source: { kind: "EventsNode", math: "total" } };
const funnel = { metric_type: "funnel", series: [] };

function madeOf(plan: Plan | "impossible" | null): Plan {
  if (plan === null || plan === "impossible") throw new Error(`no plan: ${plan}`);
  return plan;
}

describe("a plan from stored events", () => {
  it("takes the variance of the metric, and says so", () => {
    const plan = madeOf(planFromEvents(revenue, previewOf(9349, 7.29, 188.7), 10, reading(absolute)));
    expect(plan.sample).toBeGreaterThan(11_148);
    expect(plan.sample).toBeLessThan(12_500);
    expect(plan.source).toEqual({
      kind: "stored_events",
      people: 9349,
      days: 30,
      standard_deviation: Math.sqrt(188.7),
    });
    expect(sourceText(plan.source)).toBe("9,349 people in the last 30 days");
    expect(plan.days).toBe(Math.ceil(plan.sample / (9349 / 30)));
    expect([plan.baseline, plan.target]).toEqual([7.29, 7.29 * 1.1]);
  });

  it("honours the method, the split, and the goal", () => {
    const of = (metric: object, use: Reading) =>
      madeOf(planFromEvents(metric as never, previewOf(5000, 10, 400), 10, use));
    const fixed = of(revenue, reading());
    expect(of(revenue, reading({ method: "bayesian" })).sample).toBe(fixed.sample);
    const sequential = { method: "frequentist", frequentist: { sequential_testing_enabled: true } };
    expect(of(revenue, reading(sequential)).sample).toBeGreaterThan(1.5 * fixed.sample);
    const uneven = even.map((variant, i) => ({ ...variant, rollout_percentage: i === 0 ? 90 : 10 }));
    expect(of(revenue, reading(undefined, uneven)).sample).toBeGreaterThan(2 * fixed.sample);
    const third = [...even, { key: "other", rollout_percentage: 50 }];
    expect(of(revenue, reading(undefined, third)).sample / fixed.sample).toBeCloseTo(1.5, 2);
    const less = of({ ...revenue, goal: "decrease" }, reading());
    expect(less.effect).toBe(-0.1);
    expect(less.target).toBeCloseTo(9, 12);
    expect(of(count, reading()).sample).toBeLessThan(fixed.sample);
  });

  it("plans in exposed people where only some of them count", () => {
    const retention = { metric_type: "retention" };
    const sums = { number_of_samples: 1000, sum: 300, sum_squares: 300 };
    const baseline = {
      ...sums,
      denominator_sum: 1000,
      denominator_sum_squares: 1000,
      numerator_denominator_sum_product: 300,
    };
    const of = (exposed: number) =>
      madeOf(planFromEvents(retention, previewOf(1000, 0.3, 0.21, { baseline, exposed }), 20, reading()));
    expect(of(4000).sample / of(1000).sample).toBeCloseTo(4, 2);
  });

  it("is null without variance, without a value, or for an impossible effect", () => {
    expect(planFromEvents(revenue, previewOf(0, 0, 0, { mean: null }), 10, reading())).toBeNull();
    expect(planFromEvents(revenue, previewOf(100, 0, 0), 10, reading())).toBeNull();
    expect(planFromEvents(revenue, previewOf(100, 5, 0), 10, reading())).toBeNull();
    expect(planFromEvents(funnel, previewOf(100, 0.8, 0.16), 30, reading())).toBe("impossible");
    expect(planFromEvents({ ...revenue, goal: "decrease" }, previewOf(100, 5, 4), 100, reading())).toBe(
      "impossible",
    );
  });
});

describe("a plan by rule of thumb", () => {
  it.each([
    [count, 4, 5, 6400],
    [revenue, 50, 5, 3200],
    [funnel, 0.1, 50, 1152],
    [{ metric_type: "retention" }, 0.7, 10, 1372],
  ])("is the public service's: %j of %d, %d %%", (metric, expected, percent, sample) => {
    const plan = planByRule(metric as never, expected, percent, reading());
    expect(plan).toMatchObject({ sample, days: null, source: { kind: "rule_of_thumb" } });
    expect(sourceText({ kind: "rule_of_thumb" })).toBe("Rule of thumb: no events stored yet");
  });

  it("has none for ratios and impossible values", () => {
    expect(planByRule({ metric_type: "ratio" }, 10, 10, reading())).toBeNull();
    expect(planByRule(revenue, 0, 10, reading())).toBeNull();
    expect(planByRule(funnel, 0.95, 10, reading())).toBeNull();
    expect(planByRule(funnel, 2, 10, reading())).toBeNull();
  });
});

it.each([null, "x", [], { kind: "magic" }, { kind: "stored_events", people: "many" }])(
  "stored parameters that are no source are none: %j",
  (value) => expect(readSource(value)).toBeNull(),
);
