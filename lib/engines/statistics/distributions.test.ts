import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chiSquareUpper,
  normalCdf,
  normalCritical,
  normalQuantile,
  normalUpper,
  studentCritical,
  studentTwoSided,
} from "./distributions.ts";

const near = (got: number, expected: number, relative: number) =>
  expect(Math.abs(got - expected)).toBeLessThanOrEqual(relative * Math.abs(expected));

describe("the normal", () => {
  it.each([
    [1, 0.15865525393145705],
    [5, 2.866515718791939e-7],
    [10, 7.61985302416053e-24],
    [20, 2.7536241186062337e-89],
    [37, 5.725571222524577e-300],
  ])("leaves the known tail above %d", (z, tail) => {
    near(normalUpper(z), tail, 2e-13);
    near(normalCdf(-z), tail, 2e-13);
  });

  it.each([
    [0.025, -1.9599639845400543],
    [1e-10, -6.361340902404056],
    [1e-300, -37.0470962993637],
    [0.5, 0],
  ])("has the known quantile of %d", (p, z) => near(normalQuantile(p), z, 1e-12));

  it("has quantiles that its distribution undoes", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-300, max: 0.5, noNaN: true }), (p) => {
        near(normalCdf(normalQuantile(p)), p, 1e-10);
        near(2 * normalUpper(normalCritical(p)), p, 1e-10);
      }),
    );
  });
});

describe("Student's t", () => {
  it.each([
    [2.235583608811109, 1999999962.4565902, 0.02537905938575724],
    [2, 8, 0.08051623795726258],
    [12.706204736174698, 1, 0.05],
    [1e5, 60, 2.2677354768709e-248],
  ])("leaves the known tails beyond %d with %d degrees", (t, df, p) =>
    near(studentTwoSided(t, df), p, 1e-11),
  );

  it.each([
    [0.05, 8, 2.306004135204166],
    [0.01, 100_000, 2.5758784699083],
    [0.05, 1, 12.706204736174694],
    [1e-12, 2, 999_999.99999925],
  ])("has the known limits for %d outside with %d degrees", (outside, df, t) =>
    near(studentCritical(outside, df), t, 1e-11),
  );

  it("has limits that its tails undo, and tends to the normal", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-12, max: 0.999, noNaN: true }),
        fc.double({ min: 1, max: 1e7, noNaN: true }),
        (outside, df) => {
          near(studentTwoSided(studentCritical(outside, df), df), outside, 1e-9);
        },
      ),
    );
    near(studentTwoSided(2, 1e12), 2 * normalUpper(2), 1e-9);
  });
});

describe("chi-square", () => {
  it.each([
    [200, 1, 2.0884875837625688e-45],
    [16.354475286447112, 1, 0.0000525319688530935],
    [3.841458820694124, 1, 0.05],
    [9.487729036781154, 4, 0.05],
    [0, 3, 1],
  ])("leaves the known tail above %d with %d degrees", (x, df, p) => near(chiSquareUpper(x, df), p, 1e-12));
});

it("takes no chi-square below 0, and the middle of the normal is plainly 0", () => {
  expect([chiSquareUpper(-1, 3), chiSquareUpper(0, 3), chiSquareUpper(0, 1)]).toEqual([1, 1, 1]);
  expect(Object.is(normalQuantile(0.5), 0)).toBe(true);
});
