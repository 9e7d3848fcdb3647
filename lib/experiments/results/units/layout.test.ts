import { describe, expect, it } from "vitest";
import type { PlannedMetric } from "#lib/experiments/metric_kinds/kind.ts";
import { plannedMetric, unitValue } from "#testing/experiment-plans.ts";
import { isSameValue, layOutSlots, readValue, slotAt, writeValue } from "./layout.ts";

const kinds: { name: string; fields: Partial<PlannedMetric>; width: number; value: object }[] = [
  { name: "a mean", fields: {}, width: 1, value: { value: 7 } },
  { name: "a mean in a window", fields: { window: 5 }, width: 1, value: { value: 7 } },
  {
    name: "a mean with earlier values",
    fields: { lookback: 5 },
    width: 2,
    value: { value: 7, covariate: 3 },
  },
  { name: "a ratio", fields: { type: "ratio", sources: [0, 1] }, width: 2, value: { value: 7, other: 2 } },
  {
    name: "a retention",
    fields: { type: "retention", sources: [0, 1] },
    width: 3,
    value: { value: 1, other: 1, mark: 500 },
  },
  { name: "a funnel", fields: { type: "funnel", sources: [0, 1] }, width: 1, value: { value: 1, other: 2 } },
  { name: "a half of a funnel", fields: { type: "funnel", sources: [0, 1] }, width: 1, value: { other: 1 } },
  {
    name: "a funnel with earlier values",
    fields: { type: "funnel", sources: [0], lookback: 5 },
    width: 2,
    value: { value: 1, other: 1, covariate: 1 },
  },
  {
    name: "a funnel in windows",
    fields: { type: "funnel", sources: [0, 1], window: 5 },
    width: 2,
    value: { other: 1, mark: 1 },
  },
  {
    name: "a funnel in windows with earlier values",
    fields: { type: "funnel", sources: [0, 1], window: 5, lookback: 5 },
    width: 3,
    value: { other: 1, covariate: 1, mark: 1 },
  },
];

describe("the numbers of a unit", () => {
  it.each(kinds)("say all of $name, in $width of them", ({ fields, width, value }) => {
    const numbers = [91, 92];
    const slot = slotAt(plannedMetric(fields), 2);
    writeValue(numbers, slot, unitValue(value));
    numbers.push(93);
    expect(slot.width).toBe(width);
    expect(numbers).toHaveLength(2 + width + 1);
    expect([numbers[0], numbers[1], numbers.at(-1)]).toEqual([91, 92, 93]);
    expect(readValue(numbers, slot)).toEqual(unitValue(value));
    writeValue(numbers, slot, null);
    expect(numbers).toEqual([91, 92, ...Array(width).fill(0), 93]);
    expect(readValue(numbers, slot)).toEqual(unitValue());
  });

  it("are 0 where they are not there yet", () => {
    expect(readValue([], slotAt(plannedMetric({ lookback: 5 }), 3))).toEqual(unitValue());
    const numbers = [1];
    writeValue(numbers, slotAt(plannedMetric(), 3), unitValue({ value: 7 }));
    expect(numbers).toEqual([1, 0, 0, 7]);
  });

  it("follow one metric after the other", () => {
    const metrics = kinds.map(({ fields }) => plannedMetric(fields));
    const slots = layOutSlots(4, metrics);
    expect(slots.map(({ offset }) => offset)).toEqual([4, 5, 6, 8, 10, 13, 14, 15, 17, 19]);
    const numbers: number[] = [];
    for (const [i, slot] of slots.entries()) writeValue(numbers, slot, unitValue(kinds[i]?.value));
    expect(slots.map((slot) => readValue(numbers, slot))).toEqual(kinds.map(({ value }) => unitValue(value)));
  });
});

describe("two values are the same", () => {
  const some = unitValue({ value: 1, other: 2, covariate: 3, mark: 4 });

  it.each([
    [null, null, true],
    [null, unitValue(), true],
    [unitValue(), null, true],
    [unitValue(), unitValue(), true],
    [some, { ...some }, true],
    [null, some, false],
    [some, null, false],
    ...(["value", "other", "covariate", "mark"] as const).flatMap((name) => [
      [some, { ...some, [name]: 9 }, false] as const,
      [null, unitValue({ [name]: 1 }), false] as const,
      [unitValue({ [name]: 1 }), null, false] as const,
    ]),
  ] as const)("%j and %j: %s", (a, b, same) => {
    expect(isSameValue(a, b)).toBe(same);
  });
});
