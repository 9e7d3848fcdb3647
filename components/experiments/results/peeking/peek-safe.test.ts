import { describe, expect, it } from "vitest";
import type { MetricResult, Results, Row } from "#components/experiments/results/model.ts";
import { compare } from "#lib/engines/statistics/compare.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import { peekSafeSettings, readPeekSafe } from "./peek-safe.ts";

const row = (key: string, n: number, sum: number): Row => ({
  key,
  number_of_samples: n,
  sum,
  sum_squares: sum,
  value: sum / n,
  step_counts: [sum],
  validation_failures: [],
  denominator_sum: null,
  denominator_sum_squares: null,
  numerator_denominator_sum_product: null,
  covariate_sum: null,
  covariate_sum_squares: null,
  covariate_sum_product: null,
  failures: [],
  refusal: null,
  estimate: null,
});

const funnel = (uuid: string, role: MetricResult["role"], test: number): MetricResult => ({
  role,
  uuid,
  fingerprint: uuid,
  name: uuid,
  metric_type: "funnel",
  goal: "decrease",
  metric: {},
  problem: null,
  saved_metric_id: null,
  baseline: row("control", 2000, 400),
  variants: [row("test", 2000, test)],
});

describe("results with always-valid intervals", () => {
  const settings = peekSafeSettings(
    readSettings({ bayesian: { ci_level: 0.9, difference_type: "ABSOLUTE" } }),
  );
  const metrics = [funnel("a", "primary", 300), funnel("b", "primary", 390), funnel("c", "secondary", 390)];
  const read = readPeekSafe({ metrics } as unknown as Results, settings);
  const estimates = read.metrics.map(({ variants }) => variants[0]?.estimate);

  it("keeps the level and the kind of difference", () => {
    expect(settings.alpha).toBeCloseTo(0.1, 12);
    expect(settings.difference_type).toBe("absolute");
  });

  it("gives the engine's sequential answer", () => {
    const sums = (n: number, sum: number) => ({ n, sum, sum_squares: sum });
    const expected = compare("funnel", sums(2000, 400), sums(2000, 300), settings);
    expect(expected.status).toBe("ok");
    expect(estimates[0]).toMatchObject({
      effect: expected.status === "ok" ? expected.effect : null,
      interval: expected.status === "ok" ? [...expected.interval] : null,
      chance_to_win: null,
      direction: "better",
    });
  });

  it("corrects within each role", () => {
    expect(estimates[0]?.p_holm).toBeCloseTo(2 * (estimates[0]?.p_two_sided ?? 0), 12);
    expect(estimates[2]?.p_holm).toBe(estimates[2]?.p_two_sided);
  });
});
