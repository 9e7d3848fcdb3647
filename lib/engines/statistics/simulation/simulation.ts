import { compare } from "#lib/engines/statistics/compare.ts";
import { falsePositiveRate } from "#lib/engines/statistics/peeking.ts";
import { excludesZero } from "#lib/engines/statistics/planning/goal.ts";
import { powerMeans, powerProportions } from "#lib/engines/statistics/planning/power.ts";
import { wilsonInterval } from "#lib/engines/statistics/proportions.ts";
import type { Interval, Sample, SampleType, Settings } from "#lib/engines/statistics/types.ts";
import { addPerson, emptySums, type Person } from "./people.ts";
import { type Random, randomFrom } from "./random.ts";

/** How people behave in a simulated experiment, and how long it runs. */
export interface World {
  readonly metric: "conversion" | "revenue" | "revenue_per_order";
  /** True lift of the variant, as a fraction; 0 is an A/A test. */
  readonly lift: number;
  readonly days: number;
  /** New people per variant and day. */
  readonly people_per_day: number;
}

/** How often intervals excluded zero, by one way of reading results. */
interface Rate {
  readonly experiments: number;
  readonly significant: number;
  readonly rate: number;
  /** Where the true rate lies, with 99.9%, given what was seen. */
  readonly bounds: Interval;
}

/** What a scenario showed. */
export interface Simulated {
  /** Read once, at the end. */
  readonly at_the_end: Rate;
  /** Read every day, stopped at the first significant day. */
  readonly daily: Rate;
  /** What the formulas foretell for both; null where they say nothing (power under peeking). */
  readonly expected: { readonly at_the_end: number | null; readonly daily: number | null };
}

const CONVERSION = 0.12;
const REVENUE_MEAN = 20;
const REVENUE_SD = 12;

const sampleTypeOf = ({ metric }: World): SampleType =>
  (({ conversion: "funnel", revenue: "mean", revenue_per_order: "ratio" }) as const)[metric];

/** One person's value and, of ratios, how many orders it comes from. */
function personOf(world: World, lift: number, random: Random): Person {
  if (world.metric === "conversion") return { value: random.uniform() < CONVERSION * (1 + lift) ? 1 : 0 };
  const mean = REVENUE_MEAN * (1 + lift);
  if (world.metric === "revenue") return { value: mean + REVENUE_SD * random.normal() };
  // A person's orders share their taste, so that numerator and denominator go together.
  const orders = 1 + Math.floor(3 * random.uniform());
  return { value: orders * mean + REVENUE_SD * random.normal(), denominator: orders };
}

const isFound = (type: SampleType, control: Sample, variant: Sample, settings: Settings): boolean => {
  const outcome = compare(type, control, variant, settings);
  return outcome.status === "ok" && excludesZero(outcome.interval);
};

/** One experiment: significant on the last day, and on any day. */
function runOnce(
  world: World,
  settings: readonly Settings[],
  random: Random,
): { last: boolean; any: boolean }[] {
  const [control, variant] = [emptySums(), emptySums()];
  const type = sampleTypeOf(world);
  const seen = settings.map(() => ({ last: false, any: false }));
  for (let day = 0; day < world.days; day++) {
    for (let i = 0; i < world.people_per_day; i++) addPerson(control, personOf(world, 0, random));
    for (let i = 0; i < world.people_per_day; i++) addPerson(variant, personOf(world, world.lift, random));
    settings.forEach((setting, i) => {
      const last = isFound(type, control, variant, setting);
      seen[i] = { last, any: last || (seen[i]?.any ?? false) };
    });
  }
  return seen;
}

const rateOf = (significant: number, experiments: number): Rate => ({
  experiments,
  significant,
  rate: significant / experiments,
  bounds: wilsonInterval(significant, experiments, 0.999),
});

/** What the formulas say of an A/A test read at these looks. */
function expectedFalsePositives(world: World, settings: Settings): Simulated["expected"] {
  const looks = Array.from({ length: world.days }, (_, day) => 2 * (day + 1) * world.people_per_day);
  return {
    at_the_end: falsePositiveRate(looks.slice(-1), settings),
    daily: falsePositiveRate(looks, settings),
  };
}

/** Power of the fixed two-sided test of an absolute difference, by the closed forms. */
function expectedPower(world: World, settings: Settings): Simulated["expected"] {
  if (settings.method !== "frequentist" || settings.sequential || settings.difference_type !== "absolute")
    return { at_the_end: null, daily: null };
  const plan = {
    alpha: settings.alpha,
    allocation_ratio: 1,
    control_n: world.days * world.people_per_day,
  };
  if (world.metric === "conversion") {
    const rates = { control_rate: CONVERSION, variant_rate: CONVERSION * (1 + world.lift) };
    return { at_the_end: powerProportions({ ...plan, ...rates }), daily: null };
  }
  if (world.metric !== "revenue") return { at_the_end: null, daily: null };
  const spread = { control_sd: REVENUE_SD, variant_sd: REVENUE_SD, difference: REVENUE_MEAN * world.lift };
  return { at_the_end: powerMeans({ ...plan, ...spread }), daily: null };
}

/**
 * Runs a scenario many times with invented people and counts how often each way of reading it finds something.
 *
 * @param experiments how many; 10,000 distinguish rates to about half a point
 * @param seed fixes every number
 * @returns one entry per setting, all of them having read the very same experiments
 */
export function simulate(
  world: World,
  settings: readonly Settings[],
  experiments: number,
  seed: number,
): Simulated[] {
  const random = randomFrom(seed);
  const counts = settings.map(() => ({ last: 0, any: 0 }));
  for (let i = 0; i < experiments; i++)
    runOnce(world, settings, random).forEach(({ last, any }, s) => {
      const count = counts[s] ?? { last: 0, any: 0 };
      count.last += Number(last);
      count.any += Number(any);
    });
  return settings.map((setting, s) => ({
    at_the_end: rateOf(counts[s]?.last ?? 0, experiments),
    daily: rateOf(counts[s]?.any ?? 0, experiments),
    expected: world.lift === 0 ? expectedFalsePositives(world, setting) : expectedPower(world, setting),
  }));
}
