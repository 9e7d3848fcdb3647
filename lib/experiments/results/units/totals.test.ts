import { describe, expect, it } from "vitest";
import { plannedMetric, unitValue } from "#testing/experiment-plans.ts";
import { createExactSum, decimalOf } from "./exact.ts";
import { addUpSums, type Totals, winsorSettings } from "./sums.ts";
import { createTotalsBuilder } from "./totals.ts";

const mean = plannedMetric();
const funnel = plannedMetric({ type: "funnel", sources: [0, 1] });
const numbersOf = ({
  sums,
  ...cell
}: ReturnType<ReturnType<typeof createTotalsBuilder>["list"]>[number]) => ({
  ...cell,
  sums: sums.map(Number),
});

describe("changes of sums", () => {
  it("have the squares and products of what units add", () => {
    const totals = createTotalsBuilder();
    totals.add(5, mean, "test", unitValue({ value: 2, other: 3, covariate: 0.5 }), 1);
    totals.add(5, mean, "test", unitValue({ value: -1.5, covariate: 2 }), 1);
    expect(totals.list().map(numbersOf)).toEqual([
      {
        series_id: 5,
        variant: "test",
        step: 0,
        units: 2,
        sums: [0.5, 4 + 2.25, 3, 9, 6, 2.5, 0.25 + 4, 1 - 3],
      },
    ]);
  });

  it("take away what units added before", () => {
    const totals = createTotalsBuilder();
    totals.add(5, mean, "test", unitValue({ value: 2, covariate: 3 }), 1);
    totals.add(5, mean, "test", unitValue({ value: 7, other: 1 }), -1);
    expect(totals.list().map(numbersOf)).toEqual([
      { series_id: 5, variant: "test", step: 0, units: 0, sums: [-5, 4 - 49, -1, -1, -7, 3, 9, 6] },
    ]);
  });

  it("are kept apart by series, variant and step of a funnel", () => {
    const totals = createTotalsBuilder();
    totals.add(1, mean, "test", unitValue({ value: 1, other: 2 }), 1);
    totals.add(2, mean, "test", unitValue({ value: 1 }), 1);
    totals.add(2, mean, "control", unitValue({ value: 1 }), 1);
    totals.add(3, funnel, "test", unitValue({ other: 1 }), 1);
    totals.add(3, funnel, "test", unitValue({ value: 1, other: 2 }), 1);
    totals.add(3, funnel, "test", unitValue({ other: 1 }), 1);
    expect(
      totals.list().map(({ series_id, variant, step, units }) => [series_id, variant, step, units]),
    ).toEqual([
      [1, "test", 0, 1],
      [2, "test", 0, 1],
      [2, "control", 0, 1],
      [3, "test", 1, 2],
      [3, "test", 2, 1],
    ]);
  });

  it("are none where units add nothing", () => {
    const totals = createTotalsBuilder();
    totals.add(1, mean, "test", unitValue({ mark: 4 }), 1);
    expect(totals.list()).toEqual([]);
  });

  it("are written as decimals, with nothing lost", () => {
    const totals = createTotalsBuilder();
    totals.add(1, mean, "test", unitValue({ value: 0.000001 }), 1);
    totals.add(1, mean, "test", unitValue({ value: 90_000_000 }), 1);
    const [value, squares, other] = totals.list()[0]?.sums ?? [];
    expect(value).toBe("90000000.000001");
    expect(squares).toBe("8100000000000000.000000000001");
    expect(other).toBe("0");
  });
});

describe("a decimal number", () => {
  it.each([
    [0, { digits: 0, scale: 0 }],
    [7, { digits: 7, scale: 0 }],
    [-2.5, { digits: -25, scale: 1 }],
    [0.000001, { digits: 1, scale: 6 }],
    [123.456, { digits: 123_456, scale: 3 }],
    [999_999_999_999_999, { digits: 999_999_999_999_999, scale: 0 }],
    [1e15, { digits: 10n ** 15n, scale: 0 }],
    [1e20, { digits: 10n ** 20n, scale: 0 }],
    [-3e-9, { digits: -300_000_000_000_000n, scale: 23 }],
    [1e-7, { digits: 100_000_000_000_000n, scale: 21 }],
    // float8 to numeric keeps fifteen digits.
    [1_234_567_890_123_456, { digits: 1_234_567_890_123_460n, scale: 0 }],
  ])("%d stands for %o", (value, decimal) => {
    expect(decimalOf(value)).toEqual(decimal);
  });

  it.each([
    { terms: [1_000_000.000001, -1_000_000], text: "0.000001" },
    { terms: [9_007_199_254_740_000, 900, 91, 1, 1], text: "9007199254740992" },
    { terms: [-7, 7], text: "0" },
    { terms: [-0.25, 0.125], text: "-0.125" },
  ])("added up from $terms is $text", ({ terms, text }) => {
    const sum = createExactSum();
    for (const term of terms) sum.add(decimalOf(term), 1);
    expect(Number(sum.text())).toBe(Number(text));
  });

  it("is exact in products that no float holds", () => {
    const sum = createExactSum();
    const large = decimalOf(999_999_999_999_999);
    sum.addProduct(large, large, 1);
    sum.addProduct(decimalOf(1e-7), decimalOf(1e-7), 1);
    sum.addProduct(large, large, -1);
    expect(Number(sum.text())).toBeCloseTo(1e-14, 28);
  });
});

describe("the sums of a variant", () => {
  const row = (fields: Partial<Totals>): Totals => ({
    variant: "test",
    step: 0,
    units: 1,
    value: 0,
    value_squares: 0,
    other: 0,
    other_squares: 0,
    value_other: 0,
    covariate: 0,
    covariate_squares: 0,
    value_covariate: 0,
    ...fields,
  });
  const full = row({
    value: 0.1,
    value_squares: 12,
    other: 13,
    other_squares: 14,
    value_other: 15,
    covariate: 16,
    covariate_squares: 17,
    value_covariate: 18,
  });
  const none = {
    step_counts: null,
    denominator_sum: null,
    denominator_sum_squares: null,
    numerator_denominator_sum_product: null,
    covariate_sum: null,
    covariate_sum_squares: null,
    covariate_sum_product: null,
  };
  const rows = [full, row({ value: 0.2, value_squares: 1 }), { ...full, variant: "control" }];
  const head = { key: "test", number_of_samples: 40, sum: 0.3, sum_squares: 13 };

  it("of a mean are over all exposed units", () => {
    expect(addUpSums(mean, "test", 40, rows)).toEqual({ ...none, ...head });
  });

  it("have those of earlier values where there are any", () => {
    expect(addUpSums(plannedMetric({ lookback: 1 }), "test", 40, rows)).toEqual({
      ...none,
      ...head,
      covariate_sum: 16,
      covariate_sum_squares: 17,
      covariate_sum_product: 18,
    });
  });

  const below = {
    denominator_sum: 13,
    denominator_sum_squares: 14,
    numerator_denominator_sum_product: 15,
  };

  it("of a ratio have what is below the line", () => {
    expect(addUpSums(plannedMetric({ type: "ratio" }), "test", 40, rows)).toEqual({
      ...none,
      ...head,
      ...below,
    });
  });

  it("of a retention are over those who started", () => {
    expect(addUpSums(plannedMetric({ type: "retention" }), "test", 40, rows)).toEqual({
      ...none,
      ...head,
      ...below,
      number_of_samples: 13,
    });
  });

  it("of a funnel say how many reached each step", () => {
    const steps = [row({ step: 1, units: 5, other: 5 }), row({ step: 2, units: 3, value: 3, other: 6 })];
    expect(addUpSums(funnel, "test", 40, steps)).toEqual({
      ...none,
      key: "test",
      number_of_samples: 40,
      sum: 3,
      sum_squares: 0,
      step_counts: [8, 3],
    });
  });

  it("of nobody are 0", () => {
    expect(addUpSums(funnel, "gone", 0, rows)).toEqual({
      ...none,
      key: "gone",
      number_of_samples: 0,
      sum: 0,
      sum_squares: 0,
      step_counts: [0, 0],
    });
  });
});

it("outliers' bounds have the engine's names", () => {
  expect(winsorSettings({ lower: 0.1, upper: null, ignore_zeros: true })).toEqual({
    lower_bound_percentile: 0.1,
    upper_bound_percentile: null,
    ignore_zeros: true,
  });
});
