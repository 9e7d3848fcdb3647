import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellProbability, corrected, fisherExact, testAssociation } from "./association.ts";

describe("Fisher's exact test", () => {
  // The lady tasting tea, and tables of R's fisher.test.
  it.each([
    [[3, 1, 1, 3], 0.4857142857],
    [[8, 2, 1, 5], 0.03496503497],
    [[10, 0, 0, 10], 1.082508822e-5],
    [[0, 5, 5, 0], 0.007936507937],
    [[4, 4, 4, 4], 1],
  ] as const)("of %j is %d", ([a, b, c, d], p) => {
    expect(fisherExact(a, b, c, d)).toBeCloseTo(p, 9);
  });

  it("is the same whichever way the table is turned, and at most 1", () => {
    const n = fc.nat(30);
    fc.assert(
      fc.property(n, n, n, n, (a, b, c, d) => {
        const p = fisherExact(a, b, c, d);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
        for (const turned of [fisherExact(b, a, d, c), fisherExact(c, d, a, b), fisherExact(a, c, b, d)])
          expect(turned).toBeCloseTo(p, 9);
      }),
    );
  });
});

describe("association", () => {
  it("is Pearson's chi-square where every cell expects enough", () => {
    // 2 (60 - 50)^2 / 50 + 2 (40 - 50)^2 / 50
    expect(
      testAssociation([
        [60, 40],
        [40, 60],
      ]),
    ).toMatchObject({
      name: "chi_square",
      statistic: 8,
      degrees_of_freedom: 1,
      cramers_v: 0.2,
    });
    expect(
      testAssociation([
        [60, 40],
        [40, 60],
      ])?.p_value,
    ).toBeCloseTo(0.004677735, 8);
  });

  it("is Fisher's in small tables of two by two, without empty rows", () => {
    expect(
      testAssociation([
        [8, 2, 0],
        [1, 5, 0],
        [0, 0, 0],
      ]),
    ).toMatchObject({ name: "fisher" });
  });

  it.each([
    [[]],
    [[[]]],
    [
      [
        [0, 0],
        [0, 0],
      ],
    ],
    [
      [
        [5, 5],
        [0, 0],
      ],
    ],
    [
      [
        [5, 0],
        [5, 0],
      ],
    ],
  ])("is none of %j", (table) => {
    expect(testAssociation(table)).toBeNull();
  });

  it("of cells is corrected for their number, and none where nothing can differ", () => {
    expect(cellProbability(5, 5, 5, 5)).toBeNull();
    expect(corrected([0.01, null, 0.04])).toEqual([0.02, null, 0.04]);
  });
});
