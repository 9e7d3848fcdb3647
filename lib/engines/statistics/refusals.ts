import type { Refusal, RefusalCode, ValidationFailure } from "./types.ts";

const REASONS: Readonly<Record<RefusalCode, string>> = {
  "impossible-data":
    "These totals cannot come from real people: more successes than people, nobody at all, or sums that contradict each other. Check the events behind the metric.",
  "values-too-large":
    "The totals are too large to be added up exactly. Measure in a larger unit (thousands rather than cents, say) or cap extreme values.",
  "negative-variance":
    "The sums contradict each other: the squares are smaller than the totals allow. Recompute the metric.",
  "zero-variance":
    "Everyone has the same value, so there is nothing to estimate an uncertainty from. Wait until people differ.",
  "too-few-units": "At least 5 people are needed in each variant.",
  "control-mean-zero":
    "The baseline's value is zero, so a lift in percent of it has no meaning. Compare absolute differences instead.",
  "control-mean-not-positive":
    "The baseline's value is zero or negative, so a lift in percent of it has no meaning. Compare absolute differences instead.",
  "denominator-zero": "The ratio's denominator is zero in one of the variants, so the ratio has no value.",
  "degenerate-proportion":
    "Nobody or everybody converted in one of the variants: there is no spread to estimate from.",
  "too-few-successes":
    "Fewer than 5 people converted in one of the variants. The estimate would not be trustworthy.",
  "too-few-failures":
    "Fewer than 5 people did not convert in one of the variants. The estimate would not be trustworthy.",
  "level-out-of-range":
    "The confidence level of this experiment is exactly 0% or 100%. No finite interval has that; choose a level between.",
  "missing-covariate":
    "Variance reduction needs each person's value from before the exposure, which is not there.",
};

/** Whether a text is one of our codes. */
export const isRefusalCode = (text: string): text is RefusalCode => Object.hasOwn(REASONS, text);

/** A refusal with its reason in words. */
export const refuse = (code: RefusalCode): Refusal => ({ status: "refused", code, reason: REASONS[code] });

/** Units below which no statistic is shown. */
export const MINIMUM_UNITS = 50;

/** Conversions below which a funnel or a retention shows no statistic. */
export const MINIMUM_CONVERSIONS = 5;

/**
 * A validation failure in words.
 *
 * @param isBaseline whose failure silences every variant
 */
export function explainFailure(
  failure: ValidationFailure,
  n: number,
  sum: number,
  isBaseline: boolean,
): string {
  const who = isBaseline ? "The baseline" : "This variant";
  const effect = isBaseline ? "No variant can be compared until then." : "It is compared from then on.";
  switch (failure) {
    case "not-enough-exposures":
      return `${who} has ${n} of the ${MINIMUM_UNITS} people that a comparison needs. ${effect}`;
    case "not-enough-metric-data":
      return `${who} has ${sum} of the ${MINIMUM_CONVERSIONS} conversions that a comparison needs. ${effect}`;
    case "baseline-mean-is-zero":
      return "Nobody in the baseline has a value yet, so there is nothing to compare with. Check that the metric's event is sent, or wait.";
  }
}
