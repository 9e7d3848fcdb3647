import { chanceToBeBetter, type Verdict, verdictOf } from "#lib/engines/statistics/planning/goal.ts";
import { amountText, differenceText, plainNumber, pValueText, type ValueUnit } from "./numbers.ts";
import { distinctLooks, falsePositiveRate } from "./peeking.ts";
import { errorRateOf } from "./settings.ts";
import type { Goal, Settings } from "./types.ts";

/** What the figures of a method are called: the two schools mean different things by similar numbers. */
export interface MethodWords {
  readonly method: string;
  /** The column of evidence. */
  readonly evidence: string;
  readonly interval: string;
  /** What an interval says, in a sentence. */
  readonly interval_means: string;
  readonly evidence_means: string;
  readonly significant: string;
}

const percentOf = (share: number): string => `${Number((100 * share).toPrecision(6))}%`;

/** The words for the settings of an experiment. */
export function methodWords(settings: Settings): MethodWords {
  if (settings.method === "bayesian") {
    const level = percentOf(settings.ci_level);
    return {
      method: "Bayesian",
      evidence: "Chance to be better",
      interval: `${level} credible interval`,
      interval_means: `Given this data and no prior opinion, the true difference lies in this interval with a probability of ${level}.`,
      evidence_means:
        "The probability that the variant is better than the baseline: above it, or below it where lower is better.",
      significant: `Called significant where the ${level} credible interval excludes zero.`,
    };
  }
  const level = percentOf(1 - settings.alpha);
  const common = {
    significant: `Called significant with a p-value below ${Number(settings.alpha.toPrecision(6))}.`,
    evidence: "p-value",
  };
  if (settings.sequential)
    return {
      ...common,
      method: "Frequentist, sequential",
      interval: `${level} confidence sequence`,
      interval_means: `In at least ${level} of experiments the intervals of all days contain the true difference, so you can read them at any time.`,
      evidence_means:
        "How surprising the data would be if there were no difference, at any look: it stays valid however often you read it.",
    };
  return {
    ...common,
    method: "Frequentist",
    interval: `${level} confidence interval`,
    interval_means: `In ${level} of experiments such an interval contains the true difference, if read once, at the planned end.`,
    evidence_means:
      "How often a difference at least this large would appear by chance if there were none, if read once, at the planned end.",
  };
}

/** What CUPED did to an interval: "3.7% narrower". */
export function cupedGainText(variance_reduction: number): string {
  const narrower = 1 - Math.sqrt(1 - variance_reduction);
  const percent = `${(100 * Math.abs(narrower)).toFixed(1)}%`;
  return `${percent} ${narrower < 0 ? "wider" : "narrower"}`;
}

/**
 * A number with as many decimals as the others of its column: those that the smallest of them needs for three
 * digits, at most four; none where all are in the thousands.
 */
export function columnText(value: number, column: readonly number[], unit: ValueUnit = "number"): string {
  if (typeof unit === "object") return amountText(value, unit, column);
  const sizes = column.map(Math.abs).filter((size) => size > 0);
  if (column.every((each) => Number.isInteger(each))) return value.toLocaleString("en");
  const smallest = sizes.length > 0 ? Math.min(...sizes) : 1;
  if (smallest < 1e-4) return plainNumber(value);
  const digits = Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(smallest))));
  const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString("en", fixed).replace("-", "−");
}

/** A probability that never reads 0 or 100 while it is neither. */
export function chanceText(chance: number): string {
  if (chance > 0.999 && chance < 1) return "> 99.9%";
  if (chance < 0.001 && chance > 0) return "< 0.1%";
  return `${(100 * chance).toFixed(1)}%`;
}

/** The parts of a result that sentences need. */
export interface ReportedResult {
  readonly effect: number;
  /** Two bounds, lower first. */
  readonly interval: readonly number[];
  readonly significant: boolean;
  /** Whether it is, corrected for all comparisons of its role; absent where it is the only one. */
  readonly significant_holm?: boolean | undefined;
  readonly chance_to_win?: number | null;
  readonly p_value?: number | null;
}

/** The evidence of a result as shown: the chance with the goal in mind, or the p value. */
export function evidenceText(result: ReportedResult, goal: Goal): string {
  if (result.chance_to_win != null) return chanceText(chanceToBeBetter(result.chance_to_win, goal));
  return result.p_value == null ? "–" : pValueText(result.p_value);
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  better: "which is better",
  worse: "which is worse",
  leaning_better: "which leans better but is not certain",
  leaning_worse: "which leans worse but is not certain",
  unclear: "which chance alone may explain",
};

/** A result in a sentence: who, where, how far, how sure. */
export function describeResult(
  who: string,
  baseline: string,
  result: ReportedResult,
  goal: Goal,
  settings: Settings,
  unit: ValueUnit = "number",
): string {
  const words = methodWords(settings);
  const text = (value: number) => differenceText(value, settings.difference_type, 1, unit);
  const [low, high] = result.interval.map(text);
  const range = `${words.interval} ${low} to ${high}`;
  const evidence = `${words.evidence === "p-value" ? "p" : "chance to be better"} ${evidenceText(result, goal)}`;
  const by = text(result.effect).replace(/^[+−]/, "");
  const where = result.effect === 0 ? "level with" : result.effect > 0 ? "above" : "below";
  const verdict = VERDICTS[verdictOf(result, goal)];
  const amount = result.effect === 0 ? "" : `${by} `;
  return `${who} is ${amount}${where} ${baseline} (${range}, ${evidence}), ${verdict}.`;
}

/** The error rate after several looks. */
export interface Peeking {
  /** Looks at data that differed by at least a hundredth. */
  readonly distinct_looks: number;
  /** Chance of a false positive at the first look of an experiment without an effect. */
  readonly stated: number;
  /** Chance of at least one over all looks so far. */
  readonly actual: number;
  readonly sentence: string;
}

/**
 * The error rate that the looks so far imply.
 *
 * @param looks units of all variants at each look
 */
export function describePeeking(looks: readonly number[], settings: Settings): Peeking {
  const distinct_looks = distinctLooks(looks).length;
  const once = errorRateOf(settings);
  const actual = falsePositiveRate(looks, settings);
  return {
    distinct_looks,
    stated: once,
    actual,
    sentence: peekingSentence(distinct_looks, once, actual, settings),
  };
}

function peekingSentence(looks: number, stated: number, actual: number, settings: Settings): string {
  const times = looks === 1 ? "Read once" : `Read at ${looks} different amounts of data`;
  if (looks === 0) return "No earlier looks are recorded, so the stated error rate holds.";
  if (settings.method === "frequentist" && settings.sequential)
    return `${times}. You can read sequential results at any time: without any effect, at most ${percentOf(settings.alpha)} of experiments would be called significant at any look (by now ${percentOf(Number(actual.toPrecision(2)))}).`;
  const once = percentOf(Number(stated.toPrecision(6)));
  if (looks === 1)
    return `${times}: if there were no effect at all, the chance of calling it significant would be ${once}.`;
  const consequence = `${times}: if there were no effect at all, the chance that at least one look called it significant would be ${(100 * actual).toFixed(1)}%, compared with ${once} for a single look.`;
  if (settings.method === "bayesian")
    return `${consequence} The chance to be better stays valid, but stopping at the first good result biases the conclusion.`;
  return `${consequence} Decide at the planned sample, or switch to sequential testing.`;
}
