/**
 * Whether a guardrail holds, at every look at once.
 *
 * With d = treatment - r control and v its variance, r = 1 + change is rejected from below where d > c sqrt(v)
 * (Fieller's theorem: E. C. Fieller, JRSS B 16, 1954; it needs no division by a control that may be near zero). The
 * bound c is the one-sided normal mixture (Howard, Ramdas, McAuliffe, Sekhon, "Time-uniform, nonparametric,
 * nonasymptotic confidence sequences", Annals of Statistics 49, 2021, equation 3.7; as asymptotic sequence in
 * Waudby-Smith et al., see sequential.ts):
 *
 *   c = sqrt(2 (1 + 1/(I s^2)) ln(1 + sqrt(1 + I s^2) / (2 a)))
 *
 * Its clock is the information I on the relative change, m^2 / v at r = 1, rather than the number of people: values of
 * people who are already there keep growing, and the estimates of m(t)-scaled sums move like a Brownian motion in I
 * for counts whose rate stays the same, whatever rates people have, and for shares (E[Y(t) | Y(u)] = m(t)/m(u) Y(u)).
 */
import { computeMoments, impossible } from "#lib/engines/statistics/moments.ts";
import { MINIMUM_UNITS } from "#lib/engines/statistics/refusals.ts";
import type { Sample } from "#lib/engines/statistics/types.ts";
import type { Guardrail, GuardrailObservation, Stratum, Verdict } from "./types.ts";

/** Standard deviation of the mixture on the scale of relative changes: bounds are good for changes of 2% to 1000%. */
const MIXTURE = 0.5;

/** Both arms over all strata: their values, variances of these, and people. */
export interface Arms {
  readonly control: number;
  readonly treatment: number;
  readonly control_variance: number;
  readonly treatment_variance: number;
  /** Value of both arms together. */
  readonly both: number;
  readonly control_people: number;
  readonly treatment_people: number;
}

/** Sums over the people of two samples. */
const addSamples = (a: Sample, b: Sample): Sample => ({
  n: a.n + b.n,
  sum: a.sum + b.sum,
  sum_squares: a.sum_squares + b.sum_squares,
  denominator_sum: (a.denominator_sum ?? 0) + (b.denominator_sum ?? 0),
  denominator_sum_squares: (a.denominator_sum_squares ?? 0) + (b.denominator_sum_squares ?? 0),
  numerator_denominator_sum_product:
    (a.numerator_denominator_sum_product ?? 0) + (b.numerator_denominator_sum_product ?? 0),
});

/**
 * Both arms, each stratum with the weight of its smaller arm (harmonic). An arm's variance is at least that of both
 * arms together: the own one of few people is too small where they happen to lack the rare and large values.
 *
 * @returns null where no stratum has people with a value in both arms
 */
export function armsOf({ type, strata }: GuardrailObservation): Arms | null {
  const usable = strata.flatMap(({ control, treatment }: Stratum) => {
    if (impossible(type, control) || impossible(type, treatment)) return [];
    const [c, t] = [computeMoments(type, control), computeMoments(type, treatment)];
    const both = computeMoments(type, addSamples(control, treatment));
    return [{ c, t, both, weight: (c.n * t.n) / (c.n + t.n) }];
  });
  const total = usable.reduce((sum, { weight }) => sum + weight, 0);
  if (!(total > 0)) return null;
  const over = (value: (stratum: (typeof usable)[number]) => number, power = 1) =>
    usable.reduce((sum, stratum) => sum + (stratum.weight / total) ** power * value(stratum), 0);
  return {
    control: over(({ c }) => c.mean),
    treatment: over(({ t }) => t.mean),
    control_variance: over(({ c, both }) => Math.max(c.variance, both.variance) / c.n, 2),
    treatment_variance: over(({ t, both }) => Math.max(t.variance, both.variance) / t.n, 2),
    both: over(({ both }) => both.mean),
    control_people: usable.reduce((sum, { c }) => sum + c.n, 0),
    treatment_people: usable.reduce((sum, { t }) => sum + t.n, 0),
  };
}

/**
 * How many standard errors a difference must be from zero, at every look at once.
 *
 * @param information on the relative change, above 0
 * @param level one-sided, in (0, 1)
 */
export function boundAt(information: number, level: number): number {
  const growth = information * MIXTURE ** 2;
  return Math.sqrt(2 * (1 + 1 / growth) * Math.log(1 + Math.sqrt(1 + growth) / (2 * level)));
}

/** The changes that are not rejected from below and from above; an end that nothing bounds is null. */
function changesWithin(
  { control, treatment, control_variance, treatment_variance }: Arms,
  bound: number,
): Verdict["interval"] {
  const [v, w] = [bound ** 2 * treatment_variance, bound ** 2 * control_variance];
  // Roots of (treatment - r control)^2 = bound^2 (variance of the treatment + r^2 that of the control).
  const quadratic = control ** 2 - w;
  const product = treatment * control;
  const root = Math.sqrt(Math.max(0, product ** 2 - quadratic * (treatment ** 2 - v)));
  // Written so that nothing cancels where `quadratic` is near zero.
  const lowest = treatment ** 2 > v ? (treatment ** 2 - v) / (product + root) : null;
  const highest = quadratic > 0 ? (product + root) / quadratic : null;
  return [lowest === null ? null : lowest - 1, highest === null ? null : highest - 1];
}

const WAITING: Verdict = {
  status: "waiting",
  change: null,
  interval: [null, null],
  control: null,
  treatment: null,
};

/**
 * What a guardrail's sums of one step say.
 *
 * @param level chance at most, in (0, 1), that the step ever reads as breached with a change within the margin
 */
export function judge(
  { harm, margin }: Pick<Guardrail, "harm" | "margin">,
  observation: GuardrailObservation,
  level: number,
): Verdict {
  const arms = armsOf(observation);
  if (!arms) return WAITING;
  const { control, treatment, both, control_variance, treatment_variance } = arms;
  const change = control > 0 ? treatment / control - 1 : null;
  const information = both ** 2 / (control_variance + treatment_variance);
  const isEnough = Math.min(arms.control_people, arms.treatment_people) >= MINIMUM_UNITS;
  if (!isEnough || !(both > 0) || !Number.isFinite(information))
    return { ...WAITING, change, control, treatment };
  const interval = changesWithin(arms, boundAt(information, level));
  const [low, high] = interval;
  const isBreached = harm === "increase" ? low !== null && low > margin : high !== null && high < -margin;
  return { status: isBreached ? "breached" : "holding", change, interval, control, treatment };
}
