import type { Sample, SampleType } from "#lib/engines/statistics/types.ts";
import type { Random } from "./random.ts";

/** What one invented person adds to a metric. */
export interface Person {
  readonly value: number;
  /** Of ratios and retention: what the value is divided by. */
  readonly denominator?: number;
  /** The same metric before the exposure. */
  readonly before?: number;
}

/** Invented people, for simulations. */
export interface Population {
  readonly name: string;
  readonly type: SampleType;
  /** Whether values count things that become likelier with the lift; otherwise it multiplies amounts. */
  readonly isCount: boolean;
  /** @param lift true relative effect; 0 for the control */
  person(lift: number, random: Random): Person;
}

/** Sums over people that grow. */
type Sums = { -readonly [Name in keyof Sample]-?: number };

/** The sums of nobody. */
export const emptySums = (): Sums => ({
  n: 0,
  sum: 0,
  sum_squares: 0,
  denominator_sum: 0,
  denominator_sum_squares: 0,
  numerator_denominator_sum_product: 0,
  covariate_sum: 0,
  covariate_sum_squares: 0,
  covariate_sum_product: 0,
});

/** Adds a person to sums. */
export function addPerson(sums: Sums, { value, denominator = 1, before = 0 }: Person): void {
  sums.n += 1;
  sums.sum += value;
  sums.sum_squares += value * value;
  sums.denominator_sum += denominator;
  sums.denominator_sum_squares += denominator * denominator;
  sums.numerator_denominator_sum_product += value * denominator;
  sums.covariate_sum += before;
  sums.covariate_sum_squares += before * before;
  sums.covariate_sum_product += value * before;
}

const BUYERS = 0.4;
const LOG_VARIANCE = 0.6;
/** Mean of `revenue`. */
export const REVENUE_MEAN = 7.29;
const TYPICAL_SPEND = REVENUE_MEAN / (BUYERS * Math.exp(LOG_VARIANCE / 2));

/** Spend of somebody of whom 60% buy nothing; the amounts of the others are lognormal. Mean 7.29, variance 189. */
const spend = (random: Random): number =>
  random.uniform() < BUYERS ? TYPICAL_SPEND * Math.exp(Math.sqrt(LOG_VARIANCE) * random.normal()) : 0;

/** Events of somebody who does `rate` on average (Knuth's product of uniforms). */
function poisson(rate: number, random: Random): number {
  const limit = Math.exp(-rate);
  let [count, product] = [0, random.uniform()];
  while (product > limit) {
    count += 1;
    product *= random.uniform();
  }
  return count;
}

/**
 * Revenue whose value before the exposure correlates with it as given: y is made of x and of a second spend alike.
 *
 * @param correlation of both periods, in [0, 1]
 */
export const revenue = (correlation: number): Population => ({
  name: "revenue",
  type: "mean",
  isCount: false,
  person(lift, random) {
    const [before, other] = [spend(random), spend(random)];
    const rest = Math.sqrt(1 - correlation ** 2);
    const deviation = correlation * (before - REVENUE_MEAN) + rest * (other - REVENUE_MEAN);
    return { value: (1 + lift) * (REVENUE_MEAN + deviation), before };
  },
});

/** Mean of `counts`. */
export const COUNT_MEAN = 2;

/** Events of people who differ in how active they are, alike in both periods. */
export const counts: Population = {
  name: "count",
  type: "mean",
  isCount: true,
  person(lift, random) {
    const rate = COUNT_MEAN * Math.exp(0.8 * random.normal() - 0.32);
    return { value: poisson(rate * (1 + lift), random), before: poisson(rate, random) };
  },
};

/** Share that converts in `funnel`. */
export const FUNNEL_RATE = 0.2;

/** A funnel that 20% convert in; who did before is likelier to again. */
export const funnel: Population = {
  name: "funnel",
  type: "funnel",
  isCount: true,
  person(lift, random) {
    const before = random.uniform() < FUNNEL_RATE ? 1 : 0;
    const rate = before === 1 ? 0.52 : 0.12;
    return { value: random.uniform() < rate * (1 + lift) ? 1 : 0, before };
  },
};

/** Amount per order: a person's orders share their taste, so that numerator and denominator go together. */
export const revenuePerOrder: Population = {
  name: "ratio",
  type: "ratio",
  isCount: false,
  person(lift, random) {
    const orders = 1 + Math.floor(3 * random.uniform());
    const amount = Math.exp(3 + 0.5 * random.normal());
    return { value: orders * amount * (1 + lift), denominator: orders };
  },
};

/** People who started, of whom 30% come back. */
export const retention: Population = {
  name: "retention",
  type: "retention",
  isCount: true,
  person: (lift, random) => ({ value: random.uniform() < 0.3 * (1 + lift) ? 1 : 0 }),
};
