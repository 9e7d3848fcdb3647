import { analyseMetric, type MetricAnalysis } from "#lib/engines/statistics/analyse.ts";
import { compare } from "#lib/engines/statistics/compare.ts";
import {
  detectableMeans,
  detectableProportions,
  powerMeans,
  powerProportions,
  sampleSizeMeans,
  sampleSizeProportions,
} from "#lib/engines/statistics/planning/power.ts";
import { type RunningTimeInput, runningTime } from "#lib/engines/statistics/planning/running-time.ts";
import { isRefusalCode } from "#lib/engines/statistics/refusals.ts";
import { sampleRatioMismatch } from "#lib/engines/statistics/sample-ratio.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import type {
  BayesianSettings,
  CupedReport,
  DifferenceType,
  FrequentistSettings,
  Outcome,
  Sample,
  SampleType,
  Settings,
} from "#lib/engines/statistics/types.ts";

/** How a result differs from the expected one, in words; null if it does not. */
type Grade = string | null;

type Check = readonly [what: string, got: unknown, expected: unknown, tolerance: number];

/** The first of some checks that fails. Tolerances are absolute; 0 asks for equality. */
function firstDifference(checks: readonly Check[]): Grade {
  for (const [what, got, expected, tolerance] of checks) {
    const near =
      typeof got === "number" && typeof expected === "number"
        ? Math.abs(got - expected) <= tolerance || got === expected
        : JSON.stringify(got) === JSON.stringify(expected);
    if (!near) return `${what}: got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`;
  }
  return null;
}

const relative = (what: string, got: unknown, expected: unknown, tolerance: number): Check => [
  what,
  got,
  expected,
  typeof expected === "number" ? Math.abs(expected) * tolerance : 0,
];

interface EngineAnswer {
  status: "ok" | "error";
  error?: string;
  effect: number;
  interval: [number, number];
  significant: boolean;
  chance_to_win?: number;
  posterior_variance?: number;
  risk_control?: number;
  risk_variant?: number;
  p_value?: number;
  t_statistic?: number | null;
  degrees_of_freedom?: number | null;
  test_type?: string;
  cuped?: CupedReport;
}

interface ServiceAnswer {
  baseline_validation_failures: string[];
  variant_validation_failures: string[];
  config_error: string | null;
  applied: { level: number; difference_type: DifferenceType };
  result: {
    chance_to_win?: number;
    p_value?: number;
    credible_interval?: [number, number];
    confidence_interval?: [number, number];
    significant: boolean;
  } | null;
  skipped_because: string | null;
  also_acceptable?: unknown;
}

/** The recorded answers are the public service's, so its estimator is what they are compared with. */
const asRecorded = <S extends Settings>(settings: S): S =>
  settings.cuped ? { ...settings, cuped: "public_service" } : settings;

export type StatsCase = {
  id: string;
  method: "bayesian" | "frequentist";
  metric_type: SampleType;
  difference_type: DifferenceType;
  settings: Omit<BayesianSettings & FrequentistSettings, "method" | "cuped"> & { cuped?: boolean };
  stats_config: unknown;
  control: Sample;
  variant: Sample;
  fragile?: boolean;
  expected: { engine: EngineAnswer; service: ServiceAnswer | null };
  suggested_tolerance?: number;
};

/** Equal codes; where the recorded one is not in our vocabulary, that there is a refusal is the fact. */
const sameCode = (got: string, expected: string) => got === expected || !isRefusalCode(expected);

function gradeRefusal(outcome: Outcome, expected: EngineAnswer): Grade {
  if (outcome.status === "ok") return `got an estimate of ${outcome.effect}, expected ${expected.error}`;
  if (sameCode(outcome.code, expected.error ?? "")) return null;
  return `refused as ${outcome.code}, expected ${expected.error}`;
}

function gradeEngine(c: StatsCase): Grade {
  const e = c.expected.engine;
  const { difference_type } = c;
  const cuped = c.settings.cuped ? "public_service" : null;
  const settings = { ...c.settings, cuped, method: c.method, difference_type } as Settings;
  const got = compare(c.metric_type, c.control, c.variant, settings);
  if (c.fragile && (got.status === "ok" ? Number.isFinite(got.effect) : got.code === "zero-variance"))
    return null;
  if (e.status === "error") return gradeRefusal(got, e);
  if (got.status !== "ok") return `refused as ${got.code}, expected an effect of ${e.effect}`;
  const tolerance = c.suggested_tolerance ?? 1e-8;
  const width = (e.interval[1] - e.interval[0]) * tolerance;
  const common: Check[] = [
    ["effect", got.effect, e.effect, width],
    ["lower bound", got.interval[0], e.interval[0], width],
    ["upper bound", got.interval[1], e.interval[1], width],
    ["significant", got.significant, e.significant, 0],
    ...(e.cuped ? Object.entries(e.cuped) : []).map(([name, value]) =>
      relative(name, got.cuped?.[name as keyof CupedReport], value, tolerance),
    ),
  ];
  if (got.method === "bayesian")
    return firstDifference([
      ...common,
      ["chance to win", got.chance_to_win, e.chance_to_win, tolerance],
      relative("posterior variance", got.variance, e.posterior_variance, tolerance),
      ["risk of control", got.risk_control, e.risk_control, width],
      ["risk of variant", got.risk_variant, e.risk_variant, width],
    ]);
  return firstDifference([
    ...common,
    ["p value", got.p_value, e.p_value, tolerance],
    relative("t", got.t_statistic, e.t_statistic, tolerance),
    relative("degrees of freedom", got.degrees_of_freedom, e.degrees_of_freedom, tolerance),
    ["test", got.test_type, e.test_type, 0],
  ]);
}

function skippedBecause(analysis: MetricAnalysis): string | null {
  const [variant] = analysis.variants;
  if (analysis.config_refusal || !variant) return null;
  if (analysis.baseline.validation_failures.length > 0) return "baseline-validation-failure";
  if (variant.validation_failures.length > 0) return "variant-validation-failure";
  return variant.refusal ? `engine:${variant.refusal.code}` : null;
}

function gradeResult(analysis: MetricAnalysis, e: ServiceAnswer, tolerance: number): Grade {
  const estimate = analysis.variants[0]?.estimate ?? null;
  if (!e.result || !estimate)
    return firstDifference([["result shown", estimate !== null, e.result !== null, 0]]);
  const interval = e.result.credible_interval ?? e.result.confidence_interval ?? [0, 0];
  const width = (interval[1] - interval[0]) * tolerance;
  const evidence = estimate.method === "bayesian" ? estimate.chance_to_win : estimate.p_value;
  return firstDifference([
    ["evidence", evidence, e.result.chance_to_win ?? e.result.p_value, tolerance],
    ["lower bound", estimate.interval[0], interval[0], width],
    ["upper bound", estimate.interval[1], interval[1], width],
    ["significant", estimate.significant, e.result.significant, 0],
  ]);
}

function gradeService(c: StatsCase, e: ServiceAnswer): Grade {
  const settings = asRecorded(readSettings(c.stats_config));
  const analysis = analyseMetric(c.metric_type, c.control, [c.variant], settings);
  const level = settings.method === "bayesian" ? settings.ci_level : settings.alpha;
  const checks: Check[] = [
    ["applied level", level, e.applied.level, 0],
    ["applied difference", settings.difference_type, e.applied.difference_type, 0],
    ["settings refused", analysis.config_refusal !== null, e.config_error !== null, 0],
  ];
  if (analysis.config_refusal) return firstDifference([...checks, ["result", null, e.result, 0]]);
  const fragile =
    c.fragile && e.skipped_because?.startsWith("engine:") !== (skippedBecause(analysis) !== null);
  const failures: Check[] = [
    ["baseline's failures", analysis.baseline.validation_failures, e.baseline_validation_failures, 0],
    ["variant's failures", analysis.variants[0]?.validation_failures, e.variant_validation_failures, 0],
  ];
  if (fragile) return firstDifference([...checks, ...failures]);
  const [got, wanted] = [skippedBecause(analysis), e.skipped_because];
  const isWording = got?.startsWith("engine:") && wanted?.startsWith("engine:");
  const same = isWording
    ? sameCode((got ?? "").slice("engine:".length), wanted?.slice("engine:".length) ?? "")
    : got === wanted;
  const skipped: Check = ["skipped because", same ? wanted : got, wanted, 0];
  return (
    firstDifference([...checks, ...failures, skipped]) ??
    gradeResult(analysis, e, c.suggested_tolerance ?? 1e-8)
  );
}

/** The readings of the service's answer that are as good as the recorded one. */
function acceptable(e: ServiceAnswer): ServiceAnswer[] {
  const others = e.also_acceptable === undefined ? [] : [e.also_acceptable].flat();
  return [e, ...others.map((other) => ({ ...e, ...(other as object) }))];
}

/** A comparison of two variants: the arithmetic, and what the API shows of it. */
export function gradeStats(c: StatsCase): Grade {
  const engine = gradeEngine(c);
  if (engine || !c.expected.service) return engine;
  const grades = acceptable(c.expected.service).map((answer) => gradeService(c, answer));
  return grades.includes(null) ? null : (grades[0] ?? null);
}

export type SampleRatioCase = {
  id: string;
  variants: { key: string; rollout_percentage: number }[];
  total_exposures: Record<string, number>;
  excluded_variants: string[];
  expected: {
    chi_square: number;
    degrees_of_freedom: number;
    p_value: number;
    expected_counts: Record<string, number>;
    mismatch: boolean;
  } | null;
};

/** A split of units against its shares. */
export function gradeSampleRatio(c: SampleRatioCase): Grade {
  const got = sampleRatioMismatch(c.variants, c.total_exposures, c.excluded_variants);
  const e = c.expected;
  if (!e || !got) return firstDifference([["computed", got !== null, e !== null, 0]]);
  return firstDifference([
    relative("chi-square", got.chi_square, e.chi_square, 1e-9),
    ["degrees of freedom", got.degrees_of_freedom, e.degrees_of_freedom, 0],
    ["p value", got.p_value, e.p_value, 1e-9],
    ["mismatch", got.mismatch, e.mismatch, 0],
    ["arms", Object.keys(got.expected_counts).sort(), Object.keys(e.expected_counts).sort(), 0],
    ...Object.entries(e.expected_counts).map(([key, count]) =>
      relative(`expected ${key}`, got.expected_counts[key], count, 1e-9),
    ),
  ]);
}

export type PowerCase = {
  id: string;
  kind: "running_time" | "closed_form";
  what: string;
  expected: Record<string, number | boolean | null>;
} & RunningTimeInput &
  Record<string, unknown>;

function gradeRunningTime(c: PowerCase): Grade {
  const got = runningTime(c);
  const slack = c.expected.near_integer ? 1 : 0;
  const exact = ["baseline_value", "variance", "sample_size_before_rounding"] as const;
  return firstDifference([
    ...exact.map((name) => relative(name, got[name], c.expected[name], 1e-9)),
    ["size", got.sample_size_total, c.expected.sample_size_total, slack],
    ["days", got.running_time_days, c.expected.running_time_days, slack],
  ]);
}

/** How each closed form is called; results use the names of the recorded ones. */
const closedForms: Record<string, (c: never) => object> = {
  n_means: sampleSizeMeans,
  n_proportions: sampleSizeProportions,
  mde_means: (c) => ({ mde_absolute: detectableMeans(c) }),
  mde_proportions: (c) => {
    const { absolute, relative: share } = detectableProportions(c);
    return { mde_absolute: absolute, mde_relative: share };
  },
  power_means: (c) => ({ power: powerMeans(c) }),
  power_proportions: (c) => ({ power: powerProportions(c) }),
};

/** A plan: the calculator's, or one of the closed forms. */
export function gradePower(c: PowerCase): Grade {
  if (c.kind === "running_time") return gradeRunningTime(c);
  const form = closedForms[c.what];
  if (!form) return `${c.what} is not a known form`;
  const got = form(c as never) as Record<string, unknown>;
  return firstDifference(
    Object.entries(c.expected).map(([name, value]) => relative(name, got[name], value, 1e-9)),
  );
}
