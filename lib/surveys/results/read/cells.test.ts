import { describe, expect, it } from "vitest";
import { cellProbability, fisherExact, testAssociation } from "./association.ts";

describe("the test of a table", () => {
  it("is chi-square from an expected count of 5 on, and exact below", () => {
    const even = (n: number) => [
      [n, n],
      [n, n],
    ];
    expect(testAssociation(even(5))).toMatchObject({
      name: "chi_square",
      statistic: 0,
      p_value: 1,
      cramers_v: 0,
    });
    expect(testAssociation(even(4))).toMatchObject({ name: "fisher", degrees_of_freedom: null, p_value: 1 });
    // One cell expects 5 · 10 / 11 = 4.5 responses.
    expect(
      testAssociation([
        [4, 1],
        [6, 0],
      ])?.name,
    ).toBe("fisher");
  });

  it("is chi-square of small tables that are larger than two by two", () => {
    const table = [
      [2, 0, 0],
      [0, 2, 2],
    ];
    // 6 (4 / (2 · 2) + 4 / (4 · 2) + 4 / (4 · 2)) − 6
    expect(testAssociation(table)).toMatchObject({ name: "chi_square", degrees_of_freedom: 2 });
    expect(testAssociation(table)?.statistic).toBeCloseTo(6, 12);
    expect(testAssociation(table)?.cramers_v).toBeCloseTo(1, 12);
    // The upper tail of chi-square with two degrees of freedom is exp(−x / 2).
    expect(testAssociation(table)?.p_value).toBeCloseTo(Math.exp(-3), 12);
    const turned = [
      [2, 0],
      [0, 2],
      [0, 2],
    ];
    expect(testAssociation(turned)?.statistic).toBeCloseTo(6, 12);
    expect(testAssociation(turned)?.cramers_v).toBeCloseTo(1, 12);
  });

  it("leaves out rows and columns in which there is nothing", () => {
    expect(
      testAssociation([
        [0, 0, 0],
        [30, 0, 20],
        [20, 0, 30],
      ]),
    ).toEqual(
      testAssociation([
        [30, 20],
        [20, 30],
      ]),
    );
  });

  it("is chi-square where an exact test would take too long", () => {
    const rare = [
      [2, 1],
      [50_000, 49_999],
    ];
    expect(testAssociation(rare)?.name).toBe("chi_square");
    expect(
      testAssociation([
        [2, 1],
        [49_999, 49_998],
      ])?.name,
    ).toBe("fisher");
  });
});

describe("the p-value of a cell", () => {
  it.each([
    [0, 0, 5, 10],
    [0, 5, 0, 10],
    [5, 10, 5, 10],
    [5, 5, 10, 10],
  ])("is none where nothing can differ: %d in a row of %d and a column of %d of %d", (...cell) => {
    expect(cellProbability(...cell)).toBeNull();
  });

  it("is exact where few are expected, in the cell itself or beside it", () => {
    expect(cellProbability(3, 4, 4, 8)).toBeCloseTo(fisherExact(3, 1, 1, 3), 12);
    // Of the 100, 98 are in the row and 50 in the column: one is expected outside both.
    expect(cellProbability(48, 98, 50, 100)).toBeCloseTo(fisherExact(48, 50, 2, 0), 12);
  });

  it("is that of the normal distribution where enough are expected", () => {
    // (60 − 50) / √(50 · ½ · ½ ) = 2.828: two-sided 0.004678.
    expect(cellProbability(60, 100, 100, 200)).toBeCloseTo(0.004_677_735, 8);
    expect(cellProbability(40, 100, 100, 200)).toBeCloseTo(0.004_677_735, 8);
    expect(cellProbability(50, 100, 100, 200)).toBe(1);
    // Row 50 and column 80 of 200: 20 expected, variance 20 · ¾ · 3/5 = 9.
    expect(cellProbability(26, 50, 80, 200)).toBeCloseTo(0.045_500_26, 7);
  });
});
