import { isObject, type Json } from "#lib/engines/json.ts";
import { cupedWords } from "#lib/engines/statistics/cuped-words.ts";
import { CUPED_ESTIMATORS, type CupedEstimator } from "#lib/engines/statistics/types.ts";
import { formatShortPercent } from "#lib/platform/format.ts";

/** Settings of the statistics, as the form holds them. */
export type StatsDraft = {
  method: "bayesian" | "frequentist";
  /** Confidence or credibility, a fraction. */
  level: number;
  difference: "RELATIVE" | "ABSOLUTE";
  /** Frequentist only: intervals that stay valid however often one looks. */
  sequential: boolean;
  cuped: boolean;
  /** Days before the first exposure that CUPED looks at. */
  lookback: number;
  estimator: CupedEstimator;
  baseline: string;
};

const part = (config: Json | null, name: string): Json => {
  const value = config?.[name];
  return isObject(value) ? value : {};
};
const within = (value: unknown, otherwise: number): number =>
  typeof value === "number" && value > 0 && value < 1 ? value : otherwise;

export const LEVELS = [0.9, 0.95, 0.99] as const;
const LOOKBACK_DAYS = 14;

export function readStats(config: Json | null): StatsDraft {
  const method = config?.method === "frequentist" ? "frequentist" : "bayesian";
  const [bayesian, frequentist, cuped] = [
    part(config, "bayesian"),
    part(config, "frequentist"),
    part(config, "cuped"),
  ];
  const own = method === "bayesian" ? bayesian : frequentist;
  return {
    method,
    level:
      method === "bayesian"
        ? within(bayesian.ci_level, 0.95)
        : Number((1 - within(frequentist.alpha, 0.05)).toFixed(6)),
    difference: own.difference_type === "ABSOLUTE" ? "ABSOLUTE" : "RELATIVE",
    sequential: frequentist.sequential_testing_enabled === true,
    cuped: cuped.enabled === true,
    lookback: typeof cuped.lookback_days === "number" ? cuped.lookback_days : LOOKBACK_DAYS,
    estimator: CUPED_ESTIMATORS.find((known) => known === cuped.estimator) ?? CUPED_ESTIMATORS[0],
    baseline: typeof config?.baseline_variant_key === "string" ? config.baseline_variant_key : "control",
  };
}

/** The API's settings; members that the form does not know are kept. */
export function writeStats(config: Json | null, draft: StatsDraft): Json {
  const { baseline_variant_key: _, ...rest } = config ?? {};
  const both = { difference_type: draft.difference };
  return {
    ...rest,
    method: draft.method,
    bayesian: { ...part(config, "bayesian"), ...both, ci_level: draft.level },
    frequentist: {
      ...part(config, "frequentist"),
      ...both,
      alpha: Number((1 - draft.level).toFixed(6)),
      sequential_testing_enabled: draft.sequential,
    },
    cuped: writeCuped(config, draft),
    timeseries: config?.timeseries ?? true,
    ...(draft.baseline !== "control" && { baseline_variant_key: draft.baseline }),
  };
}

/** The default estimator is not written, so that stored settings stay as sent. */
function writeCuped(config: Json | null, { cuped, lookback, estimator }: StatsDraft): Json {
  const { estimator: _, ...rest } = part(config, "cuped");
  return {
    ...rest,
    enabled: cuped,
    lookback_days: lookback,
    ...(estimator !== CUPED_ESTIMATORS[0] && { estimator }),
  };
}

/** The settings in words. */
export function statsFacts(config: Json | null): { term: string; value: string }[] {
  const draft = readStats(config);
  const bayesian = draft.method === "bayesian";
  return [
    { term: "Method", value: bayesian ? "Bayesian" : "Frequentist" },
    { term: bayesian ? "Credible interval" : "Confidence level", value: formatShortPercent(draft.level) },
    {
      term: "Differences",
      value: draft.difference === "RELATIVE" ? "Relative to the baseline" : "Absolute, in the metric's unit",
    },
    { term: "Baseline", value: draft.baseline },
    ...(bayesian
      ? []
      : [
          {
            term: "Sequential testing",
            value: draft.sequential ? "On" : "Off: read at the planned end",
          },
        ]),
    {
      term: "CUPED",
      value: draft.cuped ? `${cupedWords(draft.estimator).name}, ${draft.lookback}-day look-back` : "Off",
    },
  ];
}
