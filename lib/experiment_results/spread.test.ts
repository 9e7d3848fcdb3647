import fc from "fast-check";
import { expect, it } from "vitest";
import { clamp, winsorBounds } from "#lib/statistics/winsorise.ts";
import { boundsOf, spreadOf, winsorise } from "./spread.ts";
import { winsorSettings } from "./sums.ts";

/** The same quantiles as the engine's, which is handed every zero, and the sums that follow from them. */

const share = fc.option(fc.constantFrom(0, 0.05, 0.25, 0.5, 0.9, 0.99, 1));
const unit = fc.record({
  variant: fc.constantFrom("control", "test"),
  value: fc.integer({ min: -5, max: 20 }),
});

it("pulls in what lies outside quantiles of everybody, those without a value too", () => {
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
        const found = boundsOf(Float64Array.from(all), all.length, winsor);
        const kept = units.filter(({ value }) => value !== 0).map((row) => ({ ...row, covariate: 1 }));
        const counts = new Map<string, number>();
        for (const { variant } of units) counts.set(variant, (counts.get(variant) ?? 0) + 1);
        for (const total of winsorise(spreadOf(kept), counts, winsor)) {
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
