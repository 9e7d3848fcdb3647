import { compare } from "./compare.ts";
import { addPerson, emptySums, type Person, type Population } from "./people.ts";
import { wilsonInterval } from "./proportions.ts";
import { type Random, randomFrom } from "./random.ts";
import type { Interval, Sample, Settings } from "./types.ts";
import { clamp, type WinsorSettings, winsorBounds } from "./winsorise.ts";

/** A simulated experiment that is read once. */
export interface Trial {
  readonly population: Population;
  /** True relative effect. */
  readonly lift: number;
  /** Units of control and of the variant. */
  readonly sizes: readonly [number, number];
  readonly winsor?: WinsorSettings | null;
}

const sampleOf = (people: readonly Person[]): Sample => {
  const sums = emptySums();
  for (const person of people) addPerson(sums, person);
  return sums;
};

/** Control and variant of one experiment; outliers are pulled in to bounds of both together. */
function samplesOf(trial: Trial, random: Random): [Sample, Sample] {
  const { population, lift, sizes, winsor } = trial;
  const [control, variant] = [0, lift].map((own, arm) =>
    Array.from({ length: sizes[arm] ?? 0 }, () => population.person(own, random)),
  ) as [Person[], Person[]];
  const bounds = winsor
    ? winsorBounds(
        [...control, ...variant].map(({ value }) => value),
        winsor,
      )
    : null;
  if (!bounds) return [sampleOf(control), sampleOf(variant)];
  const pulledIn = (people: Person[]) =>
    people.map((person) => ({ ...person, value: clamp(person.value, bounds) }));
  return [sampleOf(pulledIn(control)), sampleOf(pulledIn(variant))];
}

/** How often something happened, and where its true rate lies with 99.9 %. */
interface Frequency {
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
      count.significant += Number(outcome.significant);
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
