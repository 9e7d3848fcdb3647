import { compare } from "#lib/engines/statistics/compare.ts";
import { excludesZero } from "#lib/engines/statistics/planning/goal.ts";
import type { PlanInput } from "#lib/engines/statistics/planning/planning.ts";
import { wilsonInterval } from "#lib/engines/statistics/proportions.ts";
import type { Interval, Sample, Settings } from "#lib/engines/statistics/types.ts";
import { clamp, type WinsorSettings, winsorBounds } from "#lib/engines/statistics/winsorise.ts";
import { addPerson, emptySums, type Population } from "./people.ts";
import { type Random, randomFrom } from "./random.ts";

/** A simulated experiment that is read once. */
export interface Trial {
  readonly population: Population;
  /** True relative effect. */
  readonly lift: number;
  /** Units of control and of the variant. */
  readonly sizes: readonly [number, number];
  readonly winsor?: WinsorSettings | null;
}

/** A crowd's sums, and which share of its value comes from values that are not capped. */
interface Crowd {
  readonly sample: Sample;
  readonly uncapped_share: number;
}

/** Crowds of one population with their outliers pulled in to bounds of all of them together. */
function crowdsOf(
  population: Population,
  lifts: readonly number[],
  sizes: readonly number[],
  winsor: WinsorSettings | null | undefined,
  random: Random,
): Crowd[] {
  if (!winsor)
    return lifts.map((lift, arm) => {
      const sums = emptySums();
      for (let i = 0; i < (sizes[arm] ?? 0); i++) addPerson(sums, population.person(lift, random));
      return { sample: sums, uncapped_share: 1 };
    });
  const crowds = lifts.map((lift, arm) =>
    Array.from({ length: sizes[arm] ?? 0 }, () => population.person(lift, random)),
  );
  const values = crowds.flatMap((people) => people.map(({ value }) => value));
  const bounds = winsorBounds(values, winsor) ?? { low: 0, high: 0 };
  return crowds.map((people) => {
    const sums = emptySums();
    let uncapped = 0;
    for (const person of people) {
      const value = clamp(person.value, bounds);
      addPerson(sums, { ...person, value });
      if (value === person.value) uncapped += value;
    }
    return { sample: sums, uncapped_share: uncapped / sums.sum };
  });
}

/**
 * What is stored of a population before an experiment, for its plan.
 *
 * @param people how many are looked at
 */
export function storedOf(
  { population, winsor }: Pick<Trial, "population" | "winsor">,
  people: number,
  seed: number,
): Pick<PlanInput, "type" | "isCount" | "baseline" | "uncapped_share" | "counted_share"> {
  const [crowd] = crowdsOf(population, [0], [people], winsor, randomFrom(seed));
  if (!crowd) throw new RangeError("nobody is stored");
  const { type, isCount } = population;
  return { type, isCount, baseline: crowd.sample, uncapped_share: crowd.uncapped_share, counted_share: 1 };
}

/** Control and variant of one experiment. */
function samplesOf({ population, lift, sizes, winsor }: Trial, random: Random): [Sample, Sample] {
  const [control, variant] = crowdsOf(population, [0, lift], sizes, winsor, random);
  if (!control || !variant) throw new RangeError("an experiment has two variants");
  return [control.sample, variant.sample];
}

/** How often something happened, and where its true rate lies with 99.9%. */
export interface Frequency {
  readonly rate: number;
  readonly bounds: Interval;
}

/** What many experiments of one kind showed, by one way of reading them. */
export interface TrialResult {
  readonly significant: Frequency;
  /** Intervals that contain the true effect. */
  readonly covered: Frequency;
  /** Mean variance of the estimate. */
  readonly variance: number;
}

const frequency = (count: number, experiments: number): Frequency => ({
  rate: count / experiments,
  bounds: wilsonInterval(count, experiments, 0.999),
});

/**
 * Runs an experiment many times and reads it once each time.
 *
 * @param truth the true effect on the scale of a setting's differences; intervals are held against it
 * @param seed fixes every number
 * @returns one entry per setting, all of them having read the very same experiments
 */
export function runTrials(
  trial: Trial,
  settings: readonly Settings[],
  truth: (setting: Settings) => number,
  experiments: number,
  seed: number,
): TrialResult[] {
  const random = randomFrom(seed);
  const counts = settings.map(() => ({ significant: 0, covered: 0, variance: 0 }));
  for (let i = 0; i < experiments; i++) {
    const [control, variant] = samplesOf(trial, random);
    for (const [s, setting] of settings.entries()) {
      const outcome = compare(trial.population.type, control, variant, setting);
      const count = counts[s];
      if (outcome.status !== "ok" || !count) continue;
      const [low, high] = outcome.interval;
      count.significant += Number(excludesZero(outcome.interval));
      count.covered += Number(low <= truth(setting) && truth(setting) <= high);
      count.variance += outcome.variance / experiments;
    }
  }
  return counts.map(({ significant, covered, variance }) => ({
    significant: frequency(significant, experiments),
    covered: frequency(covered, experiments),
    variance,
  }));
}
