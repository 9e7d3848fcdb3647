import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  balancedShares,
  evenShares,
  HUNDREDTHS,
  sharesTo100,
  sharesWithOneMore,
  WHOLE_PERCENTS,
} from "./shares.ts";

describe("one share is set", () => {
  it.each([
    ["the other of two follows", [50, 50], 0, 70, [70, 30]],
    ["those below share what is left", [34, 33, 33], 0, 50, [50, 25, 25]],
    ["those above stay", [50, 25, 25], 1, 30, [50, 30, 20]],
    ["above the last one, all give in proportion", [50, 30, 20], 2, 60, [25, 15, 60]],
    ["those above give where those below have too little", [50, 30, 20], 1, 80, [20, 80, 0]],
    ["those below that have nothing get the same", [100, 0, 0], 0, 10, [10, 45, 45]],
    ["a sum that was wrong is right again", [50, 20, 10], 1, 20, [50, 20, 30]],
    ["a single one stays as it is typed", [100], 0, 40, [40]],
  ])("%s", (_, shares, place, share, expected) => {
    expect(balancedShares(shares.with(place, share), place)).toEqual(expected);
  });
});

/** Shares in whole percents or hundredths, the sum of which may be anything. */
const split = fc.constantFrom(WHOLE_PERCENTS, HUNDREDTHS).chain((parts) =>
  fc.record({
    parts: fc.constant(parts),
    shares: fc
      .array(fc.integer({ min: 0, max: 100 * parts }), { minLength: 2, maxLength: 8 })
      .map((counts) => counts.map((count) => count / parts)),
  }),
);

const total = (shares: readonly number[], parts: number) =>
  shares.reduce((sum, share) => sum + Math.round(share * parts), 0);

/** Whether nobody who was ahead, or level and above, has fallen behind. */
const keepsOrder = (before: readonly number[], after: readonly number[]) =>
  before.every((a, i) => before.every((b, j) => i >= j || a < b || (after[i] ?? 0) >= (after[j] ?? 0)));

describe("shares", () => {
  it("always add up to exactly 100 in their steps, none of them below 0", () => {
    fc.assert(
      fc.property(split, fc.nat(7), ({ parts, shares }, at) => {
        for (const next of [
          balancedShares(shares, at % shares.length, parts),
          sharesTo100(shares, parts),
          sharesWithOneMore(shares, parts),
          evenShares(shares.length, parts),
        ]) {
          expect(total(next, parts)).toBe(100 * parts);
          expect(
            next.every((share) => share >= 0 && Number.isInteger(Number((share * parts).toFixed(6)))),
          ).toBe(true);
        }
      }),
    );
  });

  it("stay as they were set, and those above them stay where the others can follow", () => {
    fc.assert(
      fc.property(split, fc.nat(7), ({ parts, shares }, at) => {
        const place = at % shares.length;
        const next = balancedShares(shares, place, parts);
        expect(next[place]).toBe(shares[place]);
        const typed = total(shares.slice(0, place + 1), parts);
        if (place < shares.length - 1 && typed <= 100 * parts)
          expect(next.slice(0, place)).toEqual(shares.slice(0, place));
      }),
    );
  });

  it("keep their order", () => {
    fc.assert(
      fc.property(split, fc.nat(7), ({ parts, shares }, at) => {
        const place = at % shares.length;
        const balanced = balancedShares(shares, place, parts);
        expect(keepsOrder(shares.slice(0, place), balanced.slice(0, place))).toBe(true);
        expect(keepsOrder(shares.slice(place + 1), balanced.slice(place + 1))).toBe(true);
        expect(keepsOrder(shares, sharesTo100(shares, parts))).toBe(true);
        expect(keepsOrder(shares, sharesWithOneMore(shares, parts).slice(0, -1))).toBe(true);
      }),
    );
  });

  it("are as even as their steps allow", () => {
    expect(evenShares(3, WHOLE_PERCENTS)).toEqual([34, 33, 33]);
    expect(evenShares(3)).toEqual([33.34, 33.33, 33.33]);
    expect(evenShares(4)).toEqual([25, 25, 25, 25]);
  });
});
