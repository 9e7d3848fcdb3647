import { describe, expect, it } from "vitest";
import { compare } from "#lib/engines/statistics/compare.ts";
import { wilsonInterval } from "#lib/engines/statistics/proportions.ts";
import type { FrequentistEstimate, Sample, Settings } from "#lib/engines/statistics/types.ts";
import type { Population } from "./people.ts";
import { runTrials, storedOf } from "./trials.ts";

const absolute: Settings = { method: "frequentist", difference_type: "absolute", alpha: 0.05 };
const relative: Settings = { ...absolute, difference_type: "relative" };

/** People with these values in turn, whatever chance says: the lift is added. */
const cycle = (values: readonly number[]): Population => {
  let at = 0;
  return {
    name: "cycle",
    type: "mean",
    isCount: true,
    person: (lift) => ({ value: (values[at++ % values.length] ?? 0) + lift }),
  };
};

describe("what is stored of a population", () => {
  it("are its sums without an effect, over as many people as asked for", () => {
    const stored = storedOf({ population: cycle([1, 2, 3, 10]), winsor: null }, 8, 1);
    expect(stored).toMatchObject({
      type: "mean",
      isCount: true,
      uncapped_share: 1,
      counted_share: 1,
      baseline: { n: 8, sum: 32, sum_squares: 2 * 114 },
    });
  });

  it("are those of pulled-in values, with the share that is not pulled in", () => {
    const winsor = { upper_bound_percentile: 0.75 };
    const stored = storedOf({ population: cycle([1, 2, 3, 10]), winsor }, 8, 1);
    // 10 is pulled in to 3: of a sum of 9, 6 are untouched.
    expect(stored.baseline).toMatchObject({ n: 8, sum: 18, sum_squares: 2 * (1 + 4 + 9 + 9) });
    expect(stored.uncapped_share).toBeCloseTo(6 / 9, 12);
  });

  it("are fixed by the seed", () => {
    const chance: Population = {
      ...cycle([]),
      person: (_, random) => ({ value: random.uniform() }),
    };
    const of = (seed: number) => storedOf({ population: chance }, 50, seed).baseline.sum;
    expect(of(1)).toBe(of(1));
    expect(of(1)).not.toBe(of(2));
  });
});

describe("many experiments", () => {
  const sampleOf = (values: readonly number[], repeated: number): Sample => ({
    n: values.length * repeated,
    sum: repeated * values.reduce((a, b) => a + b, 0),
    sum_squares: repeated * values.reduce((a, b) => a + b * b, 0),
  });
  const [control, variant] = [sampleOf([1, 2, 3, 4], 5), sampleOf([1.5, 2.5, 3.5, 4.5], 10)];
  const once = compare("mean", control, variant, absolute) as FrequentistEstimate;
  const trial = { population: cycle([1, 2, 3, 4]), lift: 0.5, sizes: [20, 40] as const };

  it("are each read as one is: here all of them alike", () => {
    const [got] = runTrials(trial, [absolute], () => 0.5, 7, 1);
    expect(once.significant).toBe(false);
    expect(got?.significant).toEqual({ rate: 0, bounds: wilsonInterval(0, 7, 0.999) });
    expect(got?.covered).toEqual({ rate: 1, bounds: wilsonInterval(7, 7, 0.999) });
    expect(got?.variance).toBeCloseTo(once.variance, 12);
  });

  it("are significant where the effect is large", () => {
    const [got] = runTrials({ ...trial, lift: 5 }, [absolute], () => 0, 7, 1);
    expect(got).toMatchObject({ significant: { rate: 1 }, covered: { rate: 0 } });
  });

  it.each([
    ["at the lower bound", once.interval[0], 1],
    ["at the upper bound", once.interval[1], 1],
    ["below both", once.interval[0] - 1e-9, 0],
    ["above both", once.interval[1] + 1e-9, 0],
  ])("contain a truth that lies %s as an interval does", (_, truth, rate) => {
    expect(runTrials(trial, [absolute], () => truth, 3, 1)[0]?.covered.rate).toBe(rate);
  });

  it("are held against the truth on the scale of each reading", () => {
    const truth = ({ difference_type }: Settings) => (difference_type === "absolute" ? 0.5 : 100);
    const got = runTrials(trial, [absolute, relative], truth, 3, 1);
    expect(got.map(({ covered }) => covered.rate)).toEqual([1, 0]);
  });

  it("say nothing where the arithmetic has no answer", () => {
    const [got] = runTrials({ ...trial, population: cycle([2]) }, [absolute], () => 0.5, 3, 1);
    expect(got).toMatchObject({ significant: { rate: 0 }, covered: { rate: 0 }, variance: 0 });
  });

  it("pull outliers in to bounds of both variants together", () => {
    const winsor = { lower_bound_percentile: 0.25, upper_bound_percentile: 0.75 };
    const [got] = runTrials({ ...trial, sizes: [20, 20], winsor }, [absolute], () => 0.5, 2, 1);
    // Of 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5 the second and the sixth are the bounds.
    const expected = compare(
      "mean",
      sampleOf([1.5, 2, 3, 3.5], 5),
      sampleOf([1.5, 2.5, 3.5, 3.5], 5),
      absolute,
    ) as FrequentistEstimate;
    expect(got?.variance).toBeCloseTo(expected.variance, 12);
  });
});
