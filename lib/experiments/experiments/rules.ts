import { isObject, type Json } from "#lib/engines/json.ts";
import { CUPED_ESTIMATORS } from "#lib/engines/statistics/types.ts";
import { type ExperimentMetric, experimentMetric } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { invalid } from "#lib/platform/http/errors.ts";

/** A variant as parameters name it. */
export type Variant = { key: string; name?: string | null; rollout_percentage: number };

export const CONTROL = "control";
const VARIANTS_MAX = 20;
const VARIANTS_MIN = 2;

const absent = (value: unknown) => value === undefined || value === null;
const isShare = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 100;

const NUMBERS = ["minimum_detectable_effect", "recommended_sample_size", "recommended_running_time"] as const;

/** The variants in parameters, in the form that flags store; null if there are none. */
export function parseVariants(parameters: Json | null | undefined): Variant[] | null {
  const given = parameters?.feature_flag_variants;
  if (!Array.isArray(given) || given.length === 0) return null;
  return given.map((variant: Json) => {
    const { split_percent, ...rest } = variant;
    return { ...rest, rollout_percentage: rest.rollout_percentage ?? split_percent } as Variant;
  });
}

/** Throws the API's error for parameters that no experiment can have. */
export function checkParameters(parameters: Json | null | undefined): void {
  if (!parameters) return;
  const refuse = (detail: string) => invalid(detail, "parameters");
  for (const name of NUMBERS)
    if (!absent(parameters[name]) && typeof parameters[name] !== "number")
      throw refuse(`${name} must be a number.`);
  const group = parameters.aggregation_group_type_index;
  if (!absent(group) && !(Number.isInteger(group) && (group as number) >= 0 && (group as number) <= 4))
    throw refuse("aggregation_group_type_index must be a whole number from 0 to 4.");
  const continuity = parameters.ensure_experience_continuity;
  if (!absent(continuity) && typeof continuity !== "boolean")
    throw refuse("ensure_experience_continuity must be true or false.");
  if (!absent(parameters.rollout_percentage) && !isShare(parameters.rollout_percentage))
    throw refuse("rollout_percentage must be a number from 0 to 100.");
  const problem = variantsProblem(parameters.feature_flag_variants);
  if (problem) throw refuse(problem);
}

function variantsProblem(given: unknown): string | null {
  if (absent(given)) return null;
  if (!Array.isArray(given) || !given.every(isObject))
    return "feature_flag_variants must be a list of objects.";
  if (given.length === 0) return null;
  if (given.length > VARIANTS_MAX) return `An experiment has ${VARIANTS_MAX} variants at most.`;
  if (given.some(({ key }) => typeof key !== "string" || key === "")) return "Each variant needs a key.";
  const keys = given.map(({ key }) => key as string);
  if (!keys.includes(CONTROL)) return `One of the variants must have the key ${CONTROL}.`;
  if (given.length < VARIANTS_MIN) return `Beside ${CONTROL} there must be at least one other variant.`;
  if (new Set(keys).size < keys.length) return "The keys of the variants must differ.";
  if (given.some(({ name }) => !absent(name) && typeof name !== "string"))
    return "The name of a variant must be a text.";
  const shares = given.map((variant) => variant.rollout_percentage ?? variant.split_percent);
  return shares.every(isShare) ? null : "Each variant needs a rollout_percentage from 0 to 100.";
}

const CRITERIA = new Set(["filterTestAccounts", "exposure_config", "multiple_variant_handling"]);

/** Exposure criteria as stored: without nulls, which mean nothing and break clients with a schema. */
export const withoutNulls = (criteria: Json | null): Json | null =>
  criteria &&
  Object.fromEntries(Object.entries(criteria).filter(([key, value]) => !CRITERIA.has(key) || !absent(value)));

/** Throws the API's error for exposure criteria of the wrong form. */
export function checkExposureCriteria(criteria: Json | null | undefined): void {
  if (!criteria) return;
  const refuse = (detail: string) => invalid(detail, "exposure_criteria");
  const { filterTestAccounts, exposure_config: config, multiple_variant_handling: handling } = criteria;
  if (!absent(filterTestAccounts) && typeof filterTestAccounts !== "boolean")
    throw refuse("filterTestAccounts must be true or false.");
  if (!absent(handling) && handling !== "exclude" && handling !== "first_seen")
    throw refuse("multiple_variant_handling must be exclude or first_seen.");
  if (absent(config)) return;
  if (!isObject(config)) throw refuse("exposure_config must be an object.");
  if (!absent(config.properties) && !(Array.isArray(config.properties) && config.properties.every(isObject)))
    throw refuse("The properties of exposure_config must be a list of objects.");
  if (config.kind === "ActionsNode") {
    if (!Number.isInteger(config.id)) throw refuse("An exposure_config of kind ActionsNode needs an id.");
    return;
  }
  if (config.kind !== "ExperimentEventExposureConfig")
    throw refuse("exposure_config must be of kind ExperimentEventExposureConfig or ActionsNode.");
  if (typeof config.event !== "string" || config.event === "")
    throw refuse("exposure_config must name its event.");
  if (!Array.isArray(config.properties)) throw refuse("exposure_config needs its properties, a list.");
}

/** Throws the API's error for an estimator of CUPED that does not exist. */
function checkCuped(cuped: unknown): void {
  const estimator = isObject(cuped) ? cuped.estimator : null;
  if (!absent(estimator) && !CUPED_ESTIMATORS.some((known) => known === estimator))
    throw invalid(`cuped.estimator must be ${CUPED_ESTIMATORS.join(" or ")}.`, "stats_config");
}

/** The statistics settings as stored: the method is filled in. */
export function withMethod(config: Json | null | undefined): Json {
  const { method } = config ?? {};
  if (!absent(method) && method !== "bayesian" && method !== "frequentist")
    throw invalid("method must be bayesian or frequentist.", "stats_config");
  checkCuped(config?.cuped);
  return { ...config, method: method ?? "bayesian" };
}

const LEGACY = new Set(["ExperimentTrendsQuery", "ExperimentFunnelsQuery"]);

/** Throws the API's error for a metric that can never be computed; legacy forms pass unchanged. */
export function checkMetric(metric: Json, attr: string, at: (string | number)[]): ExperimentMetric | null {
  if (absent(metric.kind) || LEGACY.has(metric.kind as string)) return null;
  if (metric.kind !== "ExperimentMetric")
    throw invalid("A metric must be of kind ExperimentMetric.", attr, "invalid_input", [...at, "kind"]);
  const parsed = experimentMetric.safeParse(metric);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = (issue?.path ?? []).filter((step) => typeof step !== "symbol");
  const where = path.length > 0 ? `${path.join(".")}: ` : "";
  throw invalid(`A metric cannot be read: ${where}${issue?.message ?? "invalid"}.`, attr, "invalid_input", [
    ...at,
    ...path,
  ]);
}

/** A metric that has a uuid. */
export const withUuid = (metric: Json): Json =>
  metric.kind === "ExperimentMetric" && !metric.uuid ? { ...metric, uuid: crypto.randomUUID() } : metric;

/** Metrics as stored: each has a uuid, and sent fingerprints are dropped. */
export function normalizeMetrics(metrics: Json[] | null, attr: string): Json[] {
  return (metrics ?? []).map((metric, i) => {
    checkMetric(metric, attr, [i]);
    const { fingerprint: _, ...rest } = metric;
    return withUuid(rest);
  });
}

/** Throws the API's error where two of an experiment's metrics, its own and saved ones, have the same uuid. */
export function checkDistinct(own: Json[], saved: Json[]): void {
  const uuidsOf = (metrics: Json[]) => metrics.flatMap(({ uuid }) => (uuid ? [uuid] : []));
  const uuids = uuidsOf(own);
  if (new Set(uuids).size < uuids.length) throw invalid("Two metrics have the same uuid.", "metrics");
  const all = [...uuids, ...uuidsOf(saved)];
  if (new Set(all).size < all.length)
    throw invalid("A saved metric has the uuid of another metric of the experiment.", "saved_metrics_ids");
}

export type LinkInput = { saved_metric_id: number; metadata: Json };

/** The links that saved_metrics_ids requests, in order. */
export function parseLinks(given: unknown): LinkInput[] {
  const refuse = (detail: string) => invalid(detail, "saved_metrics_ids");
  if (absent(given)) return [];
  if (!Array.isArray(given)) throw refuse("saved_metrics_ids must be a list.");
  const inputs = given.map((entry: unknown) => {
    if (!isObject(entry)) throw refuse("Each of saved_metrics_ids must be an object.");
    if (!Number.isSafeInteger(entry.id)) throw refuse("Each of saved_metrics_ids must have an id.");
    if (!absent(entry.metadata) && !isObject(entry.metadata)) throw refuse("metadata must be an object.");
    const metadata = isObject(entry.metadata) ? entry.metadata : null;
    if (metadata && typeof metadata.type !== "string") throw refuse("metadata must have a type.");
    return { saved_metric_id: entry.id as number, metadata: metadata ?? { type: "primary" } };
  });
  if (new Set(inputs.map((input) => input.saved_metric_id)).size < inputs.length)
    throw refuse("A saved metric is listed twice in saved_metrics_ids.");
  return inputs;
}

type Dates = { start_date?: Date | null | undefined; end_date?: Date | null | undefined };

/**
 * Throws the API's error for an experiment that would end before it begins: both dates in one request, or the sent
 * date against the stored one.
 */
export function checkDates(sent: Dates, stored: Dates = {}): void {
  const { start_date: start, end_date: end } = sent;
  if (start && end && end <= start) throw invalid("end_date must be after start_date.");
  if (end && start === undefined && stored.start_date && end <= stored.start_date)
    throw invalid("The end must come after the start of the experiment.", "end_date");
  if (start && end === undefined && stored.end_date && stored.end_date <= start)
    throw invalid("The start must come before the end of the experiment: clear the end first.", "start_date");
}
