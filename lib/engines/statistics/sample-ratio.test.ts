import fc from "fast-check";
import { expect, it } from "vitest";
import { randomFrom } from "#lib/engines/statistics/simulation/random.ts";
import { phasedSampleRatio, type SplitPhase, sampleRatioMismatch } from "./sample-ratio.ts";

const KEYS = ["control", "a", "b"];

/** Shares of two or three variants, none of them tiny, and how many units are exposed while they are in force. */
const phase = fc.record({
  weights: fc.array(fc.integer({ min: 5, max: 60 }), { minLength: 2, maxLength: 3 }),
  units: fc.integer({ min: 300, max: 900 }),
});
const phases = fc.array(phase, { minLength: 1, maxLength: 5 });

const sharesOf = (weights: readonly number[]) => {
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight, i) => ({ key: KEYS[i] ?? "", rollout_percentage: (100 * weight) / sum }));
};

/** Assigns each unit by chance with the shares in force. */
function assigned(weights: readonly number[], units: number, next: () => number): SplitPhase {
  const variants = sharesOf(weights);
  const exposures: Record<string, number> = {};
  for (let i = 0; i < units; i += 1) {
    let rest = next() * 100;
    const got = variants.find(({ rollout_percentage }) => {
      rest -= rollout_percentage;
      return rest < 0;
    });
    const { key } = got ?? variants[0] ?? { key: "" };
    exposures[key] = (exposures[key] ?? 0) + 1;
  }
  return { variants, exposures };
}

const RUNS = 1_000;
/** Standard deviations: both tails together are under one in 3,000, over all generated sequences of splits. */
const BOUND = 4.5;

it("flags as many correct experiments as its level states, however often their split changes", () => {
  fc.assert(
    fc.property(phases, fc.integer(), (sequence, seed) => {
      const { uniform: next } = randomFrom(seed);
      let [below05, below20] = [0, 0];
      for (let run = 0; run < RUNS; run += 1) {
        const { all } = phasedSampleRatio(
          sequence.map(({ weights, units }) => assigned(weights, units, next)),
        );
        if (all && all.p_value < 0.05) below05 += 1;
        if (all && all.p_value < 0.2) below20 += 1;
      }
      for (const [found, p] of [
        [below05, 0.05],
        [below20, 0.2],
      ] as const)
        expect(Math.abs(found - RUNS * p)).toBeLessThan(BOUND * Math.sqrt(RUNS * p * (1 - p)));
    }),
    { numRuns: 12, seed: 7 },
  );
});

const counted = fc.array(
  fc.record({
    weights: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 3 }),
    counts: fc.array(fc.nat(2_000), { minLength: 3, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 6 },
);
const readPhases = (list: { weights: number[]; counts: number[] }[]): SplitPhase[] =>
  list.map(({ weights, counts }) => ({
    variants: weights.map((weight, i) => ({ key: KEYS[i] ?? "", rollout_percentage: weight })),
    exposures: Object.fromEntries(KEYS.map((key, i) => [key, counts[i] ?? 0])),
  }));

it("does not depend on the order of phases", () => {
  fc.assert(
    fc.property(counted, fc.infiniteStream(fc.nat()), (list, order) => {
      const given = readPhases(list);
      const shuffled = given
        .map((each) => ({ each, at: order.next().value }))
        .sort((a, b) => a.at - b.at)
        .map(({ each }) => each);
      const [here, there] = [phasedSampleRatio(given).all, phasedSampleRatio(shuffled).all];
      expect(there === null).toBe(here === null);
      if (!here || !there) return;
      expect(there.degrees_of_freedom).toBe(here.degrees_of_freedom);
      expect(there.chi_square).toBeCloseTo(here.chi_square, 6);
      expect(there.p_value).toBeCloseTo(here.p_value, 9);
      for (const [key, count] of Object.entries(here.expected_counts))
        expect(there.expected_counts[key]).toBeCloseTo(count, 6);
    }),
  );
});

it("is the check of one split where there was one, and expects as many units as there are", () => {
  fc.assert(
    fc.property(counted, (list) => {
      const given = readPhases(list);
      const [first] = given;
      if (!first) return;
      expect(phasedSampleRatio([first]).all).toEqual(sampleRatioMismatch(first.variants, first.exposures));
      const { all } = phasedSampleRatio(given);
      const shared = given.flatMap(({ variants, exposures }) =>
        variants.map(({ key, rollout_percentage }) => (rollout_percentage > 0 ? (exposures[key] ?? 0) : 0)),
      );
      const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
      if (all) expect(sum(Object.values(all.expected_counts))).toBeCloseTo(sum(shared), 6);
    }),
  );
});

it("adds statistics and degrees of freedom, and sees errors that the sums hide", () => {
  const even = [
    { key: "control", rollout_percentage: 50 },
    { key: "test", rollout_percentage: 50 },
  ];
  const found = phasedSampleRatio([
    { variants: even, exposures: { control: 5_200, test: 4_800 } },
    { variants: even, exposures: { control: 4_800, test: 5_200 } },
    { variants: even, exposures: { control: 30, test: 16 } },
  ]);
  expect(found.all).toMatchObject({
    chi_square: 32,
    degrees_of_freedom: 2,
    mismatch: true,
    expected_counts: { control: 10_023, test: 10_023 },
  });
  expect(found.all?.p_value).toBeCloseTo(Math.exp(-16), 12);
  expect(found.phases[2]).toBeNull();
});
