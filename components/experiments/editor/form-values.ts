import type { FieldErrors, Resolver } from "react-hook-form";
import { type FilterDraft, readFilters, writeFilters } from "#components/conditions/events/event-draft.ts";
import { evenShares, WHOLE_PERCENTS } from "#components/conditions/split/shares.ts";
import { type PlanSource, readSource } from "#components/experiments/plan-source.ts";
import { readUses, type SavedUse, writeUses } from "#components/experiments/saved-uses.ts";
import { readStats, type StatsDraft, writeStats } from "#components/experiments/stats-draft.ts";
import { splitOfExperiment, type Variant } from "#components/experiments/variants.ts";
import { mergeChanges } from "#components/kit/editor/changes.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import {
  differingParts,
  fieldsOf,
  type Parts,
  partsOf,
  withParts,
} from "#lib/experiments/experiments/lifecycle/parts.ts";
import {
  checkDistinct,
  checkExposureCriteria,
  checkParameters,
  normalizeMetrics,
  withMethod,
} from "#lib/experiments/experiments/rules.ts";
import {
  type ExperimentChange,
  type ExperimentCreation,
  type ExperimentRecord,
  experimentCreate,
  experimentUpdate,
} from "#lib/experiments/experiments/schema.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { ApiError, type ErrorBody } from "#lib/platform/http/errors.ts";
import { errorOf } from "#lib/platform/http/validation.ts";

export type ExposureForm = {
  kind: "flag" | "event";
  event: string;
  filters: FilterDraft[];
  filterTestAccounts: boolean;
  handling: "exclude" | "first_seen";
};

/** An experiment as the form edits it, on all of its pages. */
export type ExperimentForm = {
  name: string;
  description: string;
  flag: "new" | "existing";
  key: string;
  variants: Variant[];
  /** Index of the group type that is compared; null for people. */
  group: number | null;
  holdout_id: number | null;
  exposure: ExposureForm;
  metrics: Json[];
  metrics_secondary: Json[];
  /** Saved metrics, which other experiments may use too. */
  saved: SavedUse[];
  stats: StatsDraft;
  /** Percent. */
  effect: number | null;
  sample: number | null;
  days: number | null;
  /** Source of the plan's variance; null for plans without one. */
  source: PlanSource | null;
};

const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null);

export const newForm = (): ExperimentForm => ({
  name: "",
  description: "",
  flag: "new",
  key: "",
  variants: evenShares(2, WHOLE_PERCENTS).map((rollout_percentage, index) => ({
    key: index === 0 ? "control" : "test",
    name: "",
    rollout_percentage,
  })),
  group: null,
  holdout_id: null,
  exposure: { kind: "flag", event: "", filters: [], filterTestAccounts: false, handling: "exclude" },
  metrics: [],
  metrics_secondary: [],
  saved: [],
  stats: readStats(null),
  effect: null,
  sample: null,
  days: null,
  source: null,
});

function readExposure(criteria: Json | null): ExposureForm {
  const config = isObject(criteria?.exposure_config) ? criteria.exposure_config : null;
  const byEvent = config?.kind === "ExperimentEventExposureConfig";
  return {
    kind: byEvent ? "event" : "flag",
    event: byEvent ? String(config.event) : "",
    filters: byEvent ? readFilters(config.properties) : [],
    filterTestAccounts: criteria?.filterTestAccounts === true,
    handling: criteria?.multiple_variant_handling === "first_seen" ? "first_seen" : "exclude",
  };
}

export function formOf(experiment: ExperimentRecord): ExperimentForm {
  const { parameters } = experiment;
  return {
    name: experiment.name,
    description: experiment.description ?? "",
    flag: "existing",
    key: experiment.feature_flag_key,
    variants: splitOfExperiment(experiment),
    group: numberOrNull(experiment.feature_flag.filters.aggregation_group_type_index),
    holdout_id: experiment.holdout_id,
    exposure: readExposure(experiment.exposure_criteria),
    metrics: experiment.metrics,
    metrics_secondary: experiment.metrics_secondary,
    saved: readUses(experiment),
    stats: readStats(experiment.stats_config),
    effect: numberOrNull(parameters?.minimum_detectable_effect),
    sample: numberOrNull(parameters?.recommended_sample_size),
    days: numberOrNull(parameters?.recommended_running_time),
    source: readSource(parameters?.recommended_sample_size_source),
  };
}

/** The form of a proposed experiment, from the request that creates it. */
export function formOfCreation(body: ExperimentCreation): ExperimentForm {
  const { parameters, holdout_id } = body;
  const variants = parameters?.feature_flag_variants as Variant[] | undefined;
  const start = newForm();
  return {
    ...start,
    name: body.name,
    description: body.description ?? "",
    flag: variants ? "new" : "existing",
    key: body.feature_flag_key,
    variants: variants?.map((variant) => ({ ...variant, name: variant.name ?? "" })) ?? start.variants,
    group: numberOrNull(parameters?.aggregation_group_type_index),
    holdout_id: holdout_id ?? null,
    exposure: readExposure(body.exposure_criteria ?? null),
    metrics: body.metrics ?? [],
    metrics_secondary: body.metrics_secondary ?? [],
    stats: readStats(body.stats_config ?? null),
    effect: numberOrNull(parameters?.minimum_detectable_effect),
    sample: numberOrNull(parameters?.recommended_sample_size),
    days: numberOrNull(parameters?.recommended_running_time),
    source: readSource(parameters?.recommended_sample_size_source),
  };
}

function writeExposure(before: Json | null, values: ExposureForm): Json {
  const { exposure_config, ...rest } = before ?? {};
  const actionConfig =
    isObject(exposure_config) && exposure_config.kind === "ActionsNode" ? { exposure_config } : {};
  return {
    ...rest,
    filterTestAccounts: values.filterTestAccounts,
    multiple_variant_handling: values.handling,
    ...(values.kind === "event" && values.event
      ? {
          exposure_config: {
            kind: "ExperimentEventExposureConfig",
            event: values.event,
            properties: writeFilters(values.filters),
          },
        }
      : actionConfig),
  };
}

function writeParameters(before: Json | null, values: ExperimentForm, variants: Variant[] | null): Json {
  const { feature_flag_variants: _, ...rest } = before ?? {};
  const planned = {
    minimum_detectable_effect: values.effect,
    recommended_sample_size: values.sample,
    recommended_running_time: values.days,
    ...(values.source && { recommended_sample_size_source: values.source }),
  };
  return {
    ...rest,
    ...planned,
    ...(variants && { feature_flag_variants: variants }),
    ...(variants &&
      values.group !== (rest.aggregation_group_type_index ?? null) && {
        aggregation_group_type_index: values.group,
      }),
  };
}

const named = (variants: readonly Variant[]) =>
  variants.map(({ name, ...variant }) => ({ ...variant, ...(name ? { name } : {}) }));

/** What the form of a new experiment does not edit: of a proposal that was made by other means. */
type Unedited = Pick<ExperimentChange, "parameters" | "exposure_criteria" | "stats_config">;

/** The request that creates a new experiment. */
export const creationOf = (values: ExperimentForm, proposed: Unedited = {}): ExperimentCreation => ({
  name: values.name.trim(),
  description: values.description.trim(),
  feature_flag_key: values.key.trim(),
  holdout_id: values.holdout_id,
  parameters: writeParameters(
    proposed.parameters ?? null,
    values,
    values.flag === "new" ? named(values.variants) : null,
  ),
  exposure_criteria: writeExposure(proposed.exposure_criteria ?? null, values.exposure),
  metrics: values.metrics,
  metrics_secondary: values.metrics_secondary,
  ...(values.saved.length > 0 && { saved_metrics_ids: writeUses(values.saved) }),
  stats_config: writeStats(proposed.stats_config ?? null, values.stats),
});

const withoutPrints = (metrics: readonly Json[]): Json[] =>
  metrics.map(({ fingerprint: _, ...metric }) => metric);

function requestOf(values: ExperimentForm, stored: ExperimentRecord): ExperimentChange {
  const own = stored.parameters?.feature_flag_variants as Variant[] | undefined;
  // Only a draft can be split here: a launched experiment keeps its split.
  const variants = (stored.status === "draft" && own ? named(values.variants) : own) ?? null;
  return {
    name: values.name.trim(),
    description: values.description.trim(),
    holdout_id: values.holdout_id,
    parameters: writeParameters(stored.parameters, values, variants),
    exposure_criteria: writeExposure(stored.exposure_criteria, values.exposure),
    metrics: withoutPrints(values.metrics),
    metrics_secondary: withoutPrints(values.metrics_secondary),
    saved_metrics_ids: writeUses(values.saved),
    stats_config: writeStats(stored.stats_config, values.stats),
  };
}

/** The fields in which a form differs from the stored experiment. */
export function changesOf(values: ExperimentForm, stored: ExperimentRecord): ExperimentChange {
  const before = requestOf(formOf(stored), stored);
  const after = requestOf(values, stored);
  return Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => canonical(value) !== canonical(before[name as keyof ExperimentChange]),
    ),
  );
}

/** The lists of metrics as parts, so that those of two people can be merged one by one. */
const metricParts = ({ metrics, metrics_secondary, saved }: ExperimentForm): Parts =>
  partsOf({ metrics, metrics_secondary, saved_metrics_ids: saved });

/** A form on top of a newer version: edits are kept, everything else is taken from the newer version. */
export function mergeForms(
  values: ExperimentForm,
  base: ExperimentForm,
  current: ExperimentForm,
): ExperimentForm {
  const [old, next, mine] = [metricParts(base), metricParts(current), metricParts(values)];
  const { metrics, metrics_secondary, saved_metrics_ids } = fieldsOf(
    withParts(next, mine, differingParts(old, mine)),
  );
  const lists = { metrics, metrics_secondary, saved: saved_metrics_ids };
  return { ...mergeChanges(base, current, values), ...lists } as ExperimentForm;
}

/** Fields of the form by the field of the API whose errors they show. */
const FIELD_OF: Readonly<Record<string, keyof ExperimentForm>> = {
  name: "name",
  description: "description",
  feature_flag_key: "key",
  parameters: "variants",
  holdout_id: "holdout_id",
  exposure_criteria: "exposure",
  metrics: "metrics",
  metrics_secondary: "metrics_secondary",
  saved_metrics_ids: "saved",
  stats_config: "stats",
};

/** The field of the form that shows an error of the API; "root" where none does. */
export const fieldOfError = ({ attr }: Pick<ErrorBody, "attr">): keyof ExperimentForm | "root" =>
  FIELD_OF[attr?.split("__")[0] ?? ""] ?? "root";

/** The API's rules that its schemas do not hold. */
const RULES: readonly ((body: ExperimentChange) => void)[] = [
  ({ parameters }) => checkParameters(parameters),
  ({ exposure_criteria }) => checkExposureCriteria(exposure_criteria),
  ({ stats_config }) => void (stats_config && withMethod(stats_config)),
  ({ metrics, metrics_secondary }) => {
    normalizeMetrics(metrics ?? null, "metrics");
    normalizeMetrics(metrics_secondary ?? null, "metrics_secondary");
  },
  ({ metrics, metrics_secondary }) => checkDistinct([...(metrics ?? []), ...(metrics_secondary ?? [])], []),
];

/** What the API would refuse in a body, in order. */
function errorsIn(
  schema: typeof experimentCreate | typeof experimentUpdate,
  body: ExperimentChange,
): ErrorBody[] {
  const parsed = schema.safeParse(body, { reportInput: true });
  if (!parsed.success) return parsed.error.issues.map((issue) => errorOf({ issues: [issue] }).body);
  return RULES.flatMap((check) => {
    try {
      check(body);
      return [];
    } catch (error) {
      if (error instanceof ApiError) return [error.body];
      throw error;
    }
  });
}

/** Validates the form with the API's schemas and rules; of a stored experiment, only what was changed. */
export const resolverFor =
  (stored: ExperimentRecord | null): Resolver<ExperimentForm> =>
  (values) => {
    const found = stored
      ? errorsIn(experimentUpdate, changesOf(values, stored))
      : errorsIn(experimentCreate, creationOf(values));
    const errors: Record<string, { type: string; message: string }> = {};
    for (const error of found) errors[fieldOfError(error)] ??= { type: "api", message: error.detail };
    // Without an event, the criteria would silently be those of the flag.
    if (values.exposure.kind === "event" && values.exposure.event === "")
      errors.exposure = { type: "required", message: "Choose an event." };
    if (values.name.trim() === "") errors.name = { type: "required", message: "Give the experiment a name." };
    return Object.keys(errors).length > 0
      ? { values: {}, errors: errors as FieldErrors<ExperimentForm> }
      : { values, errors: {} };
  };
