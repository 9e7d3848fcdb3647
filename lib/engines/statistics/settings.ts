import type { Json } from "#lib/engines/json.ts";
import { DEFAULT_TUNING } from "./sequential.ts";
import type { CupedEstimator, DifferenceType, Settings } from "./types.ts";

const DEFAULT_CI_LEVEL = 0.95;
const DEFAULT_ALPHA = 0.05;

const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};

/** A number, or a text that is one; null for anything else. */
function numberOf(value: unknown): number | null {
  if (typeof value === "string" && value.trim() !== "") return numberOf(Number(value));
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A level within [0, 1]; the ends are allowed, for `compare` to refuse with a reason. */
function readLevel(value: unknown, fallback: number): number {
  const level = numberOf(value);
  return level !== null && level >= 0 && level <= 1 ? level : fallback;
}

const differenceOf = (value: unknown): DifferenceType => (value === "ABSOLUTE" ? "absolute" : "relative");

function tuningOf(value: unknown): number {
  const tuning = numberOf(value);
  return tuning !== null && tuning > 0 ? tuning : DEFAULT_TUNING;
}

function cupedOf(config: Json): CupedEstimator | null {
  const { enabled, estimator } = objectOf(config.cuped);
  if (enabled !== true) return null;
  return estimator === "public_service" ? estimator : "adjusted_means";
}

/**
 * The settings in an experiment's `stats_config`. Stored settings may be of any age and shape: whatever cannot be
 * read falls back to its default (Bayesian, 95%, relative), as the API documents.
 */
export function readSettings(stats_config: unknown): Settings {
  const config = objectOf(stats_config);
  const cuped = cupedOf(config);
  if (config.method === "frequentist") {
    const frequentist = objectOf(config.frequentist);
    const tuning_parameter = tuningOf(frequentist.sequential_tuning_parameter);
    return {
      method: "frequentist",
      difference_type: differenceOf(frequentist.difference_type),
      alpha: readLevel(frequentist.alpha, DEFAULT_ALPHA),
      sequential: frequentist.sequential_testing_enabled === true ? { tuning_parameter } : null,
      cuped,
    };
  }
  const bayesian = objectOf(config.bayesian);
  return {
    method: "bayesian",
    difference_type: differenceOf(bayesian.difference_type),
    ci_level: readLevel(bayesian.ci_level, DEFAULT_CI_LEVEL),
    prior: null,
    inverse: false,
    cuped,
  };
}

/** How often intervals exclude zero without any effect, read once. */
export const errorRateOf = (settings: Settings): number =>
  settings.method === "bayesian" ? 1 - settings.ci_level : settings.alpha;

/** Confidence or credibility of the intervals that settings ask for. */
export const levelOf = (settings: Settings): number =>
  settings.method === "bayesian" ? settings.ci_level : 1 - settings.alpha;
