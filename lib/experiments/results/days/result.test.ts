import { describe, expect, it } from "vitest";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import type { PlannedMetric } from "#lib/experiments/metric_kinds/kind.ts";
import { plannedMetric } from "#testing/experiment-plans.ts";
import { analyse, wireResult } from "./result.ts";

const raw = { kind: "ExperimentMetric", metric_type: "funnel" };
const units = new Map([
  ["control", 1_000],
  ["test", 900],
]);

function result(
  fields: Partial<PlannedMetric> = {},
  { method = "frequentist", test = 150, variants = ["test", "control"] } = {},
) {
  const totals = Object.entries({ control: 100, test }).map(([variant, count]) => ({
    variant,
    step: 1,
    units: count,
    value: count,
    value_squares: count,
    other: count,
    other_squares: count,
    value_other: count,
    covariate: 7,
    covariate_squares: 9,
    value_covariate: 8,
  }));
  const keys = { variants, baseline: "control" };
  const metric = plannedMetric({ type: "funnel", ...fields });
  return wireResult(raw, analyse(metric, keys, units, totals, readSettings({ method })));
}

const head = { number_of_samples: 1_000, sum: 100, sum_squares: 100, validation_failures: [] };

describe("the answer to a query", () => {
  it("compares each variant but the baseline with it", () => {
    const { kind, metric, baseline, variant_results } = result();
    expect({ kind, metric }).toEqual({ kind: "ExperimentQuery", metric: raw });
    expect(baseline).toEqual({ key: "control", ...head, step_counts: [100] });
    expect(variant_results).toEqual([
      {
        key: "test",
        number_of_samples: 900,
        sum: 150,
        sum_squares: 150,
        step_counts: [150],
        validation_failures: [],
        method: "frequentist",
        significant: true,
        p_value: expect.any(Number),
        confidence_interval: [expect.any(Number), expect.any(Number)],
      },
    ]);
  });

  it("has a credible interval and a chance to win where the method is Bayesian", () => {
    expect(result({}, { method: "bayesian" }).variant_results[0]).toEqual({
      key: "test",
      number_of_samples: 900,
      sum: 150,
      sum_squares: 150,
      step_counts: [150],
      validation_failures: [],
      method: "bayesian",
      significant: true,
      chance_to_win: expect.any(Number),
      credible_interval: [expect.any(Number), expect.any(Number)],
    });
  });

  it.each<{ name: string; fields: Partial<PlannedMetric>; is: object }>([
    { name: "of a mean", fields: { type: "mean" }, is: {} },
    {
      name: "of a mean with earlier values",
      fields: { type: "mean", lookback: 1 },
      is: { covariate_sum: 7, covariate_sum_squares: 9, covariate_sum_product: 8 },
    },
    {
      name: "of a ratio",
      fields: { type: "ratio" },
      is: { denominator_sum: 100, denominator_sum_squares: 100, numerator_denominator_sum_product: 100 },
    },
  ])("has only the sums $name", ({ fields, is }) => {
    expect(result(fields).baseline).toEqual({ key: "control", ...head, ...is });
  });

  it("says what is wrong with a variant, and has no statistics of it", () => {
    const [variant] = result({}, { test: 2 }).variant_results;
    expect(variant?.validation_failures).toHaveLength(1);
    expect(Object.keys(variant ?? {}).toSorted()).toEqual([
      "key",
      "method",
      "number_of_samples",
      "step_counts",
      "sum",
      "sum_squares",
      "validation_failures",
    ]);
  });

  it("has nobody where a variant has no units", () => {
    expect(result({}, { variants: ["control", "gone"] }).variant_results).toMatchObject([
      { key: "gone", number_of_samples: 0, sum: 0, step_counts: [0] },
    ]);
  });

  it("has the members that older clients look for, empty", () => {
    const answer = result();
    for (const name of [
      "credible_intervals",
      "expected_loss",
      "funnels_query",
      "count_query",
      "exposure_query",
      "insight",
      "p_value",
      "probability",
      "significant",
      "significance_code",
      "stats_version",
      "variants",
    ])
      expect(answer).toHaveProperty(name, null);
  });
});
