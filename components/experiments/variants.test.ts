import fc from "fast-check";
import { expect, it } from "vitest";
import { evenShares, findEligibilityProblem, rebalance } from "./variants.ts";

it.each([
  [[50, 50], 0, 70, [70, 30]],
  [[34, 33, 33], 0, 50, [50, 25, 25]],
  [[20, 40, 40], 1, 0, [33, 0, 67]],
  [[100, 0, 0], 0, 40, [40, 30, 30]],
  [[25, 25, 50], 2, 100, [0, 0, 100]],
  [[50, 50], 1, 133, [0, 100]],
])("%j with place %i set to %i becomes %j", (shares, place, value, expected) => {
  expect(rebalance(shares, place, value)).toEqual(expected);
});

it("shares always sum to 100, none below 0, and the edited one keeps its value", () => {
  const split = fc.integer({ min: 2, max: 20 }).map(evenShares);
  const steps = fc.array(fc.tuple(fc.nat(19), fc.integer({ min: 0, max: 100 })), { maxLength: 12 });
  fc.assert(
    fc.property(split, steps, (start, moves) => {
      let shares: number[] = start;
      for (const [at, value] of moves) {
        const place = at % shares.length;
        shares = rebalance(shares, place, value);
        expect(shares.reduce((a, b) => a + b, 0)).toBe(100);
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
        expect(shares[place]).toBe(value);
      }
    }),
  );
});

it.each([
  [{}, "no variants"],
  [{ multivariate: { variants: [{ key: "control" }] } }, "one variant"],
  [{ multivariate: { variants: [{ key: "a" }, { key: "b" }] } }, "control"],
  [{ multivariate: { variants: [{ key: "a" }, { key: "control" }] } }, "first"],
  [{ multivariate: { variants: [{ key: "control" }, { key: "a" }] } }, null],
])("%j: %s", (filters, said) => {
  const problem = findEligibilityProblem(filters);
  if (said === null) expect(problem).toBeNull();
  else expect(problem).toContain(said);
});
