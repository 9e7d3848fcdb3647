import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clamp, winsorBounds } from "#lib/engines/statistics/winsorise.ts";
import { computeBounds, toColumns, winsorise } from "./outliers.ts";
import { winsorSettings } from "./sums.ts";

/** The same quantiles as the engine's, which is handed every zero, and the sums that follow from them. */

const share = fc.option(fc.constantFrom(0, 0.05, 0.25, 0.5, 0.9, 0.99, 1));
const unit = fc.record({
  variant: fc.constantFrom("control", "test"),
  value: fc.integer({ min: -5, max: 20 }),
});

it("caps values outside quantiles of all units, including those without a value", () => {
  fc.assert(
    fc.property(
      fc.array(unit, { minLength: 1, maxLength: 40 }),
      share,
      share,
      fc.boolean(),
      (units, lower, upper, ignore_zeros) => {
        const winsor = { lower, upper, ignore_zeros };
        const all = units.map(({ value }) => value);
        const bounds = winsorBounds(all, winsorSettings(winsor));
        if (!bounds) return;
        const found = computeBounds(Float64Array.from(all), all.length, winsor);
        const nonZero = units.filter(({ value }) => value !== 0).map((row) => ({ ...row, covariate: 1 }));
        const counts = new Map<string, number>();
        for (const { variant } of units) counts.set(variant, (counts.get(variant) ?? 0) + 1);
        for (const total of winsorise(toColumns(nonZero), counts, winsor)) {
          const mine = units.filter(({ variant }) => variant === total.variant);
          const values = mine.map(({ value }) => clamp(value, bounds));
          expect(values.map((value) => Math.min(found.high, Math.max(found.low, value)))).toEqual(values);
          expect(total.value).toBe(values.reduce((a, b) => a + b, 0));
          expect(total.value_squares).toBe(values.reduce((a, b) => a + b * b, 0));
        }
      },
    ),
  );
});

const values = (...list: number[]) => Float64Array.from(list);

describe("the bounds of outliers", () => {
  it.each([
    { name: "are quantiles of all values", of: [1, 2, 3, 4], units: 4, lower: 0.25, upper: 0.75, is: [1, 3] },
    { name: "count units without a value as 0", of: [1, 2], units: 4, lower: 0.25, upper: 0.75, is: [0, 1] },
    { name: "put zeros above negative values", of: [-5, 7], units: 4, lower: 0.25, upper: 0.5, is: [-5, 0] },
    { name: "reach from the least", of: [3, -2, 9], units: 3, lower: 0, upper: 1, is: [-2, 9] },
    { name: "are open below", of: [1, 2], units: 2, lower: null, upper: 0.5, is: [-Infinity, 1] },
    { name: "are open above", of: [1, 2], units: 2, lower: 1, upper: null, is: [2, Infinity] },
    { name: "are 0 where nobody has a value", of: [], units: 4, lower: 0.5, upper: 0.5, is: [0, 0] },
    { name: "never cross", of: [1, 5, 9], units: 3, lower: 0.9, upper: 0.1, is: [9, 9] },
    { name: "round a rank up", of: [1, 2, 3], units: 3, lower: 0.34, upper: 0.67, is: [2, 3] },
    { name: "count zeros that are listed once", of: [0, 0, 4], units: 3, lower: 0.5, upper: 1, is: [0, 4] },
  ])("$name", ({ of, units, lower, upper, is: [low, high] }) => {
    expect(computeBounds(values(...of), units, { lower, upper, ignore_zeros: false })).toEqual({ low, high });
  });

  it("leave zeros out above where asked to, not below", () => {
    const winsor = { lower: 0.5, upper: 0.5, ignore_zeros: true };
    expect(computeBounds(values(2, 4), 10, winsor)).toEqual({ low: 0, high: 2 });
    expect(computeBounds(values(), 10, winsor)).toEqual({ low: 0, high: 0 });
  });
});

describe("the sums of a metric whose outliers are pulled in", () => {
  const rows = [
    { variant: "control", value: 10, covariate: 2 },
    { variant: "test", value: 1, covariate: 3 },
    { variant: "test", value: 4, covariate: 0 },
    { variant: "test", value: 0, covariate: 5 },
  ];
  const units = new Map([
    ["control", 1],
    ["test", 4],
  ]);

  it("are of values within the bounds, and tell which part was not pulled in", () => {
    // 0, 0, 1, 4 and 10: the upper bound is 4.
    const [control, test] = winsorise(toColumns(rows), units, {
      lower: null,
      upper: 0.8,
      ignore_zeros: false,
    });
    expect(control).toMatchObject({
      variant: "control",
      step: 0,
      units: 1,
      value: 4,
      value_squares: 16,
      covariate: 2,
      covariate_squares: 4,
      value_covariate: 8,
      uncapped: 0,
      other: 0,
      other_squares: 0,
      value_other: 0,
    });
    expect(test).toMatchObject({
      variant: "test",
      units: 4,
      value: 5,
      value_squares: 17,
      covariate: 8,
      covariate_squares: 34,
      value_covariate: 3,
      uncapped: 5,
    });
  });

  it("raise units without a value where 0 is below the bounds", () => {
    const listed = [1, 2, 3].map((value) => ({ variant: "test", value, covariate: 0 }));
    const [test] = winsorise(toColumns(listed), new Map([["test", 4]]), {
      lower: 0.5,
      upper: null,
      ignore_zeros: false,
    });
    expect(test).toMatchObject({ units: 4, value: 1 + 2 + 3 + 1, value_squares: 1 + 4 + 9 + 1, uncapped: 6 });
  });

  it("are there for variants in which nobody has a value", () => {
    const listed = [{ variant: "test", value: 6, covariate: 1 }];
    const counts = new Map([
      ["gone", 2],
      ["test", 1],
    ]);
    const winsor = { lower: null, upper: 1, ignore_zeros: false };
    expect(winsorise(toColumns(listed), counts, winsor)).toMatchObject([
      { variant: "gone", units: 2, value: 0, value_squares: 0, uncapped: 0 },
      { variant: "test", units: 1, value: 6, value_squares: 36, uncapped: 6 },
    ]);
  });

  it("leave out units that are in no variant", () => {
    const columns = toColumns([
      { variant: "test", value: 6, covariate: 1 },
      { variant: "test", value: 7, covariate: 1 },
    ]);
    columns.variant[1] = -1;
    const winsor = { lower: null, upper: 1, ignore_zeros: false };
    expect(winsorise(columns, new Map([["test", 1]]), winsor)).toMatchObject([
      { variant: "test", units: 1, value: 6, covariate: 1 },
    ]);
  });

  it("are free of the noise of binary fractions", () => {
    const listed = [0.1, 0.2].map((value) => ({ variant: "test", value, covariate: 0 }));
    const winsor = { lower: null, upper: 1, ignore_zeros: false };
    const [test] = winsorise(toColumns(listed), new Map([["test", 2]]), winsor);
    expect(test).toMatchObject({ value: 0.3, value_squares: 0.05, uncapped: 0.3 });
  });
});

it("columns number variants in the order in which they come", () => {
  const columns = toColumns([
    { variant: "test", value: 1, covariate: 4 },
    { variant: "control", value: 2, covariate: 5 },
    { variant: "test", value: 3, covariate: 6 },
  ]);
  expect(columns.variants).toEqual(["test", "control"]);
  expect([...columns.variant]).toEqual([0, 1, 0]);
  expect([...columns.value]).toEqual([1, 2, 3]);
  expect([...columns.covariate]).toEqual([4, 5, 6]);
});
