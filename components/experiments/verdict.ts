import type { ExperimentResults, ResultMetric, ResultRow } from "#lib/experiment_results/result_schema.ts";
import type { Conclusion } from "./status.ts";

const percent = new Intl.NumberFormat("en", { maximumFractionDigits: 1, signDisplay: "exceptZero" });
const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, signDisplay: "exceptZero" });

/** What the primary metrics support, for whoever has to conclude. */
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
    direction: "better" | "worse" | "unclear" | "none";
  }[];
  /** Why it should not be concluded from yet. */
  doubts: string[];
};

type Settings = ExperimentResults["settings"];

const effectText = (value: number, settings: Settings): string =>
  settings.difference_type === "relative"
    ? `${percent.format(value * 100).replace("-", "−")} %`
    : number.format(value).replace("-", "−");

/** Chances are never quite 0 or 1. */
function chanceText(chance: number): string {
  if (chance > 0.999) return "above 99.9 %";
  return chance < 0.001 ? "below 0.1 %" : `${(100 * chance).toFixed(1)} %`;
}

function lineOf(metric: ResultMetric, row: ResultRow, settings: Settings): Verdict["lines"][number] {
  const { estimate } = row;
  if (!estimate) {
    const why = row.refusal?.reason ?? row.failures[0] ?? "There is nothing to compare yet.";
    return { metric: metric.name, variant: row.key, text: why, direction: "none" };
  }
  const [low = 0, high = 0] = estimate.interval;
  const level = `${Number((settings.level * 100).toFixed(1))} %`;
  const kind = estimate.method === "bayesian" ? "credible" : "confidence";
  const evidence =
    estimate.chance_to_win === null
      ? `p = ${estimate.p_value === null ? "–" : estimate.p_value < 0.001 ? "below 0.001" : estimate.p_value.toFixed(3)}`
      : `chance to be better ${chanceText(metric.goal === "decrease" ? 1 - estimate.chance_to_win : estimate.chance_to_win)}`;
  return {
    metric: metric.name,
    variant: row.key,
    text: `${effectText(estimate.effect, settings)}, ${level} ${kind} interval ${effectText(low, settings)} to ${effectText(high, settings)}; ${evidence}`,
    direction: estimate.direction,
  };
}

/** Which way a metric points for a variant, corrected for all comparisons of its kind. */
const heldUp = (row: ResultRow) => row.estimate?.significant_holm === true;

function bestOf(metric: ResultMetric): ResultRow | null {
  const gain = (row: ResultRow) => (row.estimate?.effect ?? 0) * (metric.goal === "decrease" ? -1 : 1);
  const winners = metric.variants.filter((row) => row.estimate?.direction === "better");
  return winners.sort((a, b) => gain(b) - gain(a))[0] ?? null;
}

function doubtsOf(results: ExperimentResults, winner: ResultRow | null): string[] {
  const { health, planned } = results;
  return [
    ...health.findings.filter(({ severity }) => severity === "error").map(({ title }) => title),
    ...(planned.reached === false && planned.sample !== null
      ? [
          `Planned were ${planned.sample.toLocaleString("en")} people, ${health.total.toLocaleString("en")} were exposed.`,
        ]
      : []),
    ...(winner && !heldUp(winner)
      ? ["Corrected for the number of comparisons, the winner's lead is not certain."]
      : []),
  ];
}

function suggest(results: ExperimentResults, primary: ResultMetric[], winner: ResultRow | null): Conclusion {
  if (results.health.findings.some(({ code }) => code === "sample_ratio_mismatch")) return "invalid";
  if (winner) return "won";
  const rows = primary.flatMap(({ variants }) => variants);
  if (rows.length > 0 && rows.every((row) => row.estimate?.direction === "worse")) return "lost";
  return results.planned.reached === false ? "stopped_early" : "inconclusive";
}

const SUMMARIES: Record<Conclusion, (winner: string) => string> = {
  won: (winner) => `The primary metrics speak for ${winner}.`,
  lost: () => "The primary metrics speak against every variant.",
  inconclusive: () => "The primary metrics show no difference either way.",
  stopped_early: () =>
    "The primary metrics show no difference yet, and the planned number of people is not reached.",
  invalid: () => "People were not split as planned: the results cannot be trusted, whatever they say.",
};

/** Reads the primary metrics: what they support, which variant to ship, and what speaks against concluding. */
export function verdictOf(results: ExperimentResults): Verdict {
  const primary = results.metrics.filter(({ role }) => role === "primary");
  const contested = primary.some(({ variants }) =>
    variants.some((row) => row.estimate?.direction === "worse"),
  );
  const winner = primary.map(bestOf).find((row) => row !== null) ?? null;
  const suggestion = suggest(results, primary, winner);
  const losing =
    winner !== null &&
    primary.some(({ variants }) =>
      variants.some((row) => row.key === winner.key && row.estimate?.direction === "worse"),
    );
  return {
    suggestion,
    ship: suggestion === "won" && winner ? winner.key : results.settings.baseline_key,
    summary: SUMMARIES[suggestion](winner?.key ?? ""),
    lines: primary.flatMap((metric) => metric.variants.map((row) => lineOf(metric, row, results.settings))),
    doubts: [
      ...doubtsOf(results, winner),
      ...(losing && contested ? [`${winner.key} is better in one primary metric and worse in another.`] : []),
      ...(primary.length === 0 ? ["There is no primary metric to conclude from."] : []),
    ],
  };
}
