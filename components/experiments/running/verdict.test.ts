import { expect, it } from "vitest";
import type { ExperimentResults, ResultMetric, ResultRow } from "#lib/experiments/results/result-schema.ts";
import { readVerdict } from "./verdict.ts";

type Direction = "better" | "worse" | "unclear";

const row = (
  key: string,
  effect: number,
  direction: Direction,
  holm = direction !== "unclear",
): ResultRow => ({
  key,
  number_of_samples: 500,
  sum: 100,
  sum_squares: 100,
  validation_failures: [],
  value: 0.2,
  step_counts: null,
  denominator_sum: null,
  denominator_sum_squares: null,
  numerator_denominator_sum_product: null,
  covariate_sum: null,
  covariate_sum_squares: null,
  covariate_sum_product: null,
  failures: [],
  refusal: null,
  estimate: {
    method: "bayesian",
    effect,
    interval: direction === "unclear" ? [effect - 0.5, effect + 0.5] : [effect - 0.05, effect + 0.05],
    significant: direction !== "unclear",
    variance: 0.001,
    chance_to_win: effect > 0 ? 0.99 : 0.01,
    p_value: null,
    p_two_sided: 0.02,
    p_holm: 0.02,
    p_bh: 0.02,
    significant_holm: holm,
    significant_bh: holm,
    direction,
    cuped: null,
  },
});

const metric = (name: string, variants: ResultRow[], more: Partial<ResultMetric> = {}): ResultMetric => ({
  role: "primary",
  uuid: name,
  fingerprint: "f",
  name,
  metric_type: "funnel",
  goal: "increase",
  metric: {},
  problem: null,
  saved_metric_id: null,
  baseline: row("control", 0, "unclear"),
  variants,
  ...more,
});

type Case = { metrics: ResultMetric[]; reached?: boolean | null; mismatch?: boolean };

const results = ({ metrics, reached = true, mismatch = false }: Case): ExperimentResults => ({
  experiment_id: 1,
  status: "running",
  state: "ready",
  progress: null,
  as_of: null,
  variants: [],
  unit: "person",
  exposures: null,
  health: {
    total: 1000,
    multiple: 0,
    multiple_share: 0,
    mismatch: null,
    phases: [],
    findings: mismatch
      ? [{ code: "sample_ratio_mismatch", severity: "error", title: "The split is off", what_to_do: "" }]
      : [],
  },
  planned: { sample: 2000, reached, minimum_detectable_effect: 5, days_left: 3 },
  settings: {
    method: "bayesian",
    level: 0.95,
    difference_type: "relative",
    sequential: false,
    cuped: false,
    cuped_estimator: null,
    baseline_key: "control",
  },
  metrics,
});

it.each([
  ["a clear winner", { metrics: [metric("paid", [row("test", 0.2, "better")])] }, "won", "test"],
  [
    "the better of two",
    { metrics: [metric("paid", [row("a", 0.1, "better"), row("b", 0.3, "better")])] },
    "won",
    "b",
  ],
  [
    "a lead that does not hold once corrected",
    { metrics: [metric("paid", [row("test", 0.2, "better", false)])] },
    "inconclusive",
    "control",
  ],
  [
    "less being better",
    {
      metrics: [metric("errors", [row("a", -0.1, "better"), row("b", -0.3, "better")], { goal: "decrease" })],
    },
    "won",
    "b",
  ],
  ["every variant worse", { metrics: [metric("paid", [row("test", -0.2, "worse")])] }, "lost", "control"],
  ["no difference", { metrics: [metric("paid", [row("test", 0.01, "unclear")])] }, "inconclusive", "control"],
  [
    "no difference before the planned end",
    { metrics: [metric("paid", [row("test", 0.01, "unclear")])], reached: false },
    "stopped_early",
    "control",
  ],
  [
    "people who were not split as planned",
    { metrics: [metric("paid", [row("test", 0.2, "better")])], mismatch: true },
    "invalid",
    "control",
  ],
  [
    "a secondary metric only",
    { metrics: [metric("returns", [row("test", 0.2, "better")], { role: "secondary" })] },
    "inconclusive",
    "control",
  ],
] as [string, Case, string, string][])("%s", (_, given, suggestion, ship) => {
  expect(readVerdict(results(given))).toMatchObject({ suggestion, ship });
});

it.each([
  [
    "a lead that does not outlast correction",
    { metrics: [metric("paid", [row("test", 0.2, "better", false)])] },
    "once corrected",
  ],
  ["too few people", { metrics: [metric("paid", [row("test", 0.2, "better")])], reached: false }, "2,000"],
  [
    "metrics that disagree",
    { metrics: [metric("paid", [row("test", 0.2, "better")]), metric("kept", [row("test", -0.1, "worse")])] },
    "worse on another",
  ],
  ["no primary metric", { metrics: [] }, "no primary metric"],
] as [string, Case, string][])("doubts %s", (_, given, said) => {
  expect(readVerdict(results(given)).doubts.join(" ")).toContain(said);
});

it("reports the effect with its interval and chance, flipped where lower is better", () => {
  const [line] = readVerdict(
    results({ metrics: [metric("errors", [row("test", -0.2, "better")], { goal: "decrease" })] }),
  ).lines;
  expect(line?.text).toBe("−20.0%, 95% credible interval −25.0% to −15.0%; chance to be better 99.0%");
});
