import { describe, expect, it } from "vitest";
import { type RunningTimeInput, runningTime } from "./running-time.ts";

/** 1,000 people with a sum of 200; the lift sought is 10%, in two variants of 50 people a day. */
const ask = (
  metric_type: RunningTimeInput["metric_type"],
  baseline: Partial<RunningTimeInput["baseline"]> = {},
  more: Partial<RunningTimeInput> = {},
) =>
  runningTime({
    metric_type,
    baseline: { number_of_samples: 1000, sum: 200, sum_squares: 500, ...baseline },
    minimum_detectable_effect: 10,
    number_of_variants: 2,
    exposure_rate_per_day: 100,
    ...more,
  });

const nothing = { sample_size_before_rounding: null, sample_size_total: null, running_time_days: null };

describe("the calculator", () => {
  it("plans with 16 variances over the squared lift, for every variant", () => {
    // A value of 0.2 and a lift of 0.02. Counts: variance 0.4. Amounts: 0.01. Shares: 0.16.
    for (const [type, variance, spread] of [
      ["mean_count", 0.4, 0.4],
      ["mean_sum_or_avg", 0.01, 0.01],
      ["funnel", null, 0.16],
    ] as const) {
      const size = (2 * 16 * spread) / 0.02 ** 2;
      const got = ask(type);
      expect(got.baseline_value).toBe(0.2);
      if (variance === null) expect(got.variance).toBeNull();
      else expect(got.variance).toBeCloseTo(variance, 12);
      expect(got.sample_size_before_rounding).toBeCloseTo(size, 6);
      expect(got.sample_size_total).toBe(Math.ceil(got.sample_size_before_rounding ?? 0));
      expect(got.running_time_days).toBe(Math.ceil((got.sample_size_total ?? 0) / 100));
    }
  });

  it("takes a funnel's last step where steps were counted, else the sum", () => {
    expect(ask("funnel", { step_counts: [900, 500, 100] }).baseline_value).toBe(0.1);
    expect(ask("funnel", { step_counts: [] }).baseline_value).toBe(0.2);
    expect(ask("funnel", { step_counts: null }).baseline_value).toBe(0.2);
    expect(ask("mean_count", { step_counts: [900, 500, 100] }).baseline_value).toBe(0.2);
  });

  it.each(["ratio", "retention"] as const)(
    "divides a %s by its denominator, with the delta method",
    (type) => {
      const baseline = {
        number_of_samples: 100,
        sum: 200,
        sum_squares: 500,
        denominator_sum: 100,
        denominator_sum_squares: 150,
        numerator_denominator_sum_product: 230,
      };
      // Means 2 and 1, variances 1 and 0.5, covariance 0.3: 1 + 4 * 0.5 - 4 * 0.3.
      expect(ask(type, baseline)).toMatchObject({ baseline_value: 2 });
      expect(ask(type, baseline).variance).toBeCloseTo(1.8, 12);
      // Missing squares and products count as 0: 1 - 4 + 8.
      const sums = { number_of_samples: 100, sum: 200, sum_squares: 500, denominator_sum: 100 };
      expect(ask(type, sums).variance).toBeCloseTo(5, 12);
      expect(ask(type)).toEqual({ baseline_value: null, variance: null, ...nothing });
      expect(ask(type, { denominator_sum: 0 })).toEqual({ baseline_value: null, variance: null, ...nothing });
    },
  );

  it("has no value of nobody", () => {
    for (const number_of_samples of [0, -1])
      expect(ask("mean_count", { number_of_samples })).toEqual({
        baseline_value: null,
        variance: null,
        ...nothing,
      });
  });

  it("plans no lift of nothing, over nothing, or without any spread", () => {
    expect(ask("mean_count", {}, { minimum_detectable_effect: 0 })).toEqual({
      baseline_value: 0.2,
      variance: null,
      ...nothing,
    });
    expect(ask("funnel", {}, { minimum_detectable_effect: 0 })).toMatchObject(nothing);
    expect(ask("mean_count", {}, { minimum_detectable_effect: Number.NaN })).toMatchObject(nothing);
    expect(ask("mean_count", { sum: 0 })).toEqual({ baseline_value: 0, variance: 0, ...nothing });
    expect(ask("funnel", { sum: 1000 })).toEqual({ baseline_value: 1, variance: null, ...nothing });
    expect(ask("mean_count", { sum: -200 })).toMatchObject({ baseline_value: -0.2, ...nothing });
  });

  it("needs no variance for a funnel, whatever else is known of it", () => {
    const sums = {
      denominator_sum: 100,
      denominator_sum_squares: 150,
      numerator_denominator_sum_product: 30,
    };
    expect(ask("funnel", sums)).toEqual(ask("funnel"));
  });

  it("plans a fall like a rise", () => {
    expect(ask("funnel", {}, { minimum_detectable_effect: -10 })).toEqual(ask("funnel"));
  });

  it("is null for the days if nobody is exposed", () => {
    for (const exposure_rate_per_day of [0, -1]) {
      const got = ask("funnel", {}, { exposure_rate_per_day });
      expect(got.running_time_days).toBeNull();
      expect(got.sample_size_total).toBe(ask("funnel").sample_size_total);
    }
  });
});
