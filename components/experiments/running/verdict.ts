import { unitOf } from "#components/experiments/results/model.ts";
import type { Conclusion } from "#components/experiments/status.ts";
import { differenceText } from "#lib/engines/statistics/numbers.ts";
import { type Verdict as Judgement, verdictOf } from "#lib/engines/statistics/planning/goal.ts";
import { evidenceText } from "#lib/engines/statistics/words.ts";
import type { ExperimentResults, ResultMetric, ResultRow } from "#lib/experiments/results/result-schema.ts";
import { formatCount, formatShortPercent } from "#lib/platform/format.ts";

/** What the primary metrics suggest, for the conclusion. */
export type Verdict = {
  suggestion: Conclusion;
  /** The variant to ship: the best one, or the baseline. */
  ship: string;
  /** One sentence on the whole. */
  summary: string;
  lines: {
    metric: string;
    variant: string;
    text: string;
    /** null: there is nothing to compare. */
    verdict: Judgement | null;
  }[];
  /** Reasons not to conclude yet. */
  doubts: string[];
};

type Settings = ExperimentResults["settings"];

/** The same figures as in the table of results, to the same decimal. */
function lineOf(metric: ResultMetric, row: ResultRow, settings: Settings): Verdict["lines"][number] {
  const { estimate } = row;
  if (!estimate) {
    const why = row.refusal?.reason ?? row.failures[0] ?? "There is nothing to compare yet.";
    return { metric: metric.name, variant: row.key, text: why, verdict: null };
  }
  const [low = 0, high = 0] = estimate.interval;
  const level = formatShortPercent(settings.level, 1);
  const kind = estimate.method === "bayesian" ? "credible" : "confidence";
  const effect = (value: number) => differenceText(value, settings.difference_type, 1, unitOf(metric));
  const evidence = `${estimate.chance_to_win === null ? "p" : "chance to be better"} ${evidenceText(estimate, metric.goal)}`;
  return {
    metric: metric.name,
    variant: row.key,
    text: `${effect(estimate.effect)}, ${level} ${kind} interval ${effect(low)} to ${effect(high)}; ${evidence}`,
    verdict: verdictOf(estimate, metric.goal),
  };
}

const judge = (row: ResultRow, { goal }: ResultMetric): Judgement | null =>
  row.estimate && verdictOf(row.estimate, goal);

function bestOf(metric: ResultMetric): ResultRow | null {
  const gain = (row: ResultRow) => (row.estimate?.effect ?? 0) * (metric.goal === "decrease" ? -1 : 1);
  const winners = metric.variants.filter((row) => judge(row, metric) === "better");
  return winners.sort((a, b) => gain(b) - gain(a))[0] ?? null;
}

function doubtsOf(results: ExperimentResults, primary: readonly ResultMetric[]): string[] {
  const { health, planned } = results;
  return [
    ...health.findings.filter(({ severity }) => severity === "error").map(({ title }) => title),
    ...(planned.reached === false && planned.sample !== null
      ? [
          `${formatCount(health.total - health.multiple)} of ${formatCount(planned.sample)} planned people took part.`,
        ]
      : []),
    ...primary.flatMap((metric) =>
      metric.variants
        .filter((row) => judge(row, metric) === "leaning_better")
        .map(
          ({ key }) =>
            `${key} leans better on ${metric.name}, but that is not certain: its interval includes zero, or it does not hold once corrected for all comparisons.`,
        ),
    ),
  ];
}

function suggest(results: ExperimentResults, primary: ResultMetric[], winner: ResultRow | null): Conclusion {
  if (results.health.findings.some(({ code }) => code === "sample_ratio_mismatch")) return "invalid";
  if (winner) return "won";
  const verdicts = primary.flatMap((metric) => metric.variants.map((row) => judge(row, metric)));
  if (verdicts.length > 0 && verdicts.every((verdict) => verdict === "worse")) return "lost";
  return results.planned.reached === false ? "stopped_early" : "inconclusive";
}

const SUMMARIES: Record<Conclusion, (winner: string) => string> = {
  won: (winner) => `The primary metrics favour ${winner}.`,
  lost: () => "The primary metrics are worse for every variant.",
  inconclusive: () => "The primary metrics show no clear difference.",
  stopped_early: () =>
    "The primary metrics show no clear difference yet, and the planned sample is not reached.",
  invalid: () => "People were not split as planned, so the results cannot be trusted.",
};

/** Reads the primary metrics: the suggested conclusion, the variant to ship, and reasons not to conclude. */
export function readVerdict(results: ExperimentResults): Verdict {
  const primary = results.metrics.filter(({ role }) => role === "primary");
  const winner = primary.map(bestOf).find((row) => row !== null) ?? null;
  const suggestion = suggest(results, primary, winner);
  const losing =
    winner !== null &&
    primary.some((metric) =>
      metric.variants.some((row) => row.key === winner.key && judge(row, metric) === "worse"),
    );
  return {
    suggestion,
    ship: suggestion === "won" && winner ? winner.key : results.settings.baseline_key,
    summary: SUMMARIES[suggestion](winner?.key ?? ""),
    lines: primary.flatMap((metric) => metric.variants.map((row) => lineOf(metric, row, results.settings))),
    doubts: [
      ...doubtsOf(results, primary),
      ...(losing ? [`${winner.key} is better on one primary metric and worse on another.`] : []),
      ...(primary.length === 0 ? ["There is no primary metric to decide by."] : []),
    ],
  };
}
