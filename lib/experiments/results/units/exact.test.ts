import fc from "fast-check";
import { expect, it } from "vitest";
import { createExactSum, decimalOf } from "./exact.ts";

/** Sums against whole numbers of the smallest unit, which cannot go wrong. */

const SCALE = 6;
const micros = fc.integer({ min: -1e9, max: 1e9 });
const signs = fc.constantFrom(1 as const, -1 as const);

const pointed = (digits: bigint, scale: number) => Number(digits) / 10 ** scale;

it("adds decimals and their products without losing anything, in any order", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(micros, micros, signs), { maxLength: 50 }), (terms) => {
      const [sum, products] = [createExactSum(), createExactSum()];
      const [backwards, expected] = [createExactSum(), { sum: 0n, products: 0n }];
      for (const [a, b, sign] of terms) {
        const [x, y] = [decimalOf(a / 10 ** SCALE), decimalOf(b / 10 ** SCALE)];
        sum.add(x, sign);
        products.addProduct(x, y, sign);
        expected.sum += BigInt(a * sign);
        expected.products += BigInt(a) * BigInt(b) * BigInt(sign);
      }
      for (const [a, , sign] of terms.toReversed()) backwards.add(decimalOf(a / 10 ** SCALE), sign);
      expect(Number(sum.text())).toBe(pointed(expected.sum, SCALE));
      expect(Number(products.text())).toBeCloseTo(pointed(expected.products, 2 * SCALE), 3);
      expect(Number(backwards.text())).toBe(Number(sum.text()));
    }),
  );
});

it.each([
  [[0.1, 0.2], "0.3"],
  [[9_007_199_254_740_991, 9_007_199_254_740_991], "18014398509481980"],
  [[1e100, 1, -1e100], "1"],
  [[1e-20, 1], "1.00000000000000000001"],
  [[-0.05], "-0.05"],
  [[], "0"],
])("%j is %s", (terms, text) => {
  const sum = createExactSum();
  for (const term of terms) sum.add(decimalOf(term), 1);
  const trimmed = sum.text().includes(".") ? sum.text().replace(/\.?0+$/, "") : sum.text();
  expect(trimmed).toBe(text);
});
