import { type FilterDraft, readFilters, writeFilters } from "#components/conditions/events/event-draft.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import type {
  ExperimentChange,
  ExperimentCreation,
  ExperimentRecord,
} from "#lib/experiments/experiments/schema.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { type PlanSource, readSource } from "./planning.ts";
import { readUses, type SavedUse, writeUses } from "./saved-uses.ts";
import { readStats, type StatsDraft, writeStats } from "./stats-draft.ts";
import { evenShares, splitOfExperiment, type Variant } from "./variants.ts";

export type ExposureDraft = {
  kind: "flag" | "event";
  event: string;
  filters: FilterDraft[];
  filterTestAccounts: boolean;
  handling: "exclude" | "first_seen";
};

/** An experiment as the steps of the form edit it. */
export type Draft = {
  name: string;
  description: string;
  flag: "new" | "existing";
  key: string;
  variants: Variant[];
  holdout_id: number | null;
  exposure: ExposureDraft;
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

export const createDraft = (): Draft => ({
  name: "",
  description: "",
  flag: "new",
  key: "",
  variants: evenShares(2).map((rollout_percentage, index) => ({
    key: index === 0 ? "control" : "test",
    name: "",
    rollout_percentage,
  })),
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

function readExposure(criteria: Json | null): ExposureDraft {
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

export function readDraft(experiment: ExperimentRecord): Draft {
  const { parameters } = experiment;
  return {
    name: experiment.name,
    description: experiment.description ?? "",
    flag: "existing",
    key: experiment.feature_flag_key,
    variants: splitOfExperiment(experiment),
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

function writeExposure(before: Json | null, draft: ExposureDraft): Json {
  const { exposure_config, ...rest } = before ?? {};
  const actionConfig =
    isObject(exposure_config) && exposure_config.kind === "ActionsNode" ? { exposure_config } : {};
  return {
    ...rest,
    filterTestAccounts: draft.filterTestAccounts,
    multiple_variant_handling: draft.handling,
    ...(draft.kind === "event" && draft.event
      ? {
          exposure_config: {
            kind: "ExperimentEventExposureConfig",
            event: draft.event,
            properties: writeFilters(draft.filters),
          },
        }
      : actionConfig),
  };
}

function writeParameters(before: Json | null, draft: Draft, variants: Variant[] | null): Json {
  const { feature_flag_variants: _, ...rest } = before ?? {};
  const planned = {
    minimum_detectable_effect: draft.effect,
    recommended_sample_size: draft.sample,
    recommended_running_time: draft.days,
    ...(draft.source && { recommended_sample_size_source: draft.source }),
  };
  return {
    ...rest,
    ...planned,
    ...(variants && { feature_flag_variants: variants }),
  };
}

const named = (variants: readonly Variant[]) =>
  variants.map(({ name, ...variant }) => ({ ...variant, ...(name ? { name } : {}) }));

/** The request that creates a new experiment. */
export const buildCreation = (draft: Draft): ExperimentCreation => ({
  name: draft.name.trim(),
  description: draft.description.trim(),
  feature_flag_key: draft.key.trim(),
  holdout_id: draft.holdout_id,
  parameters: writeParameters(null, draft, draft.flag === "new" ? named(draft.variants) : null),
  exposure_criteria: writeExposure(null, draft.exposure),
  metrics: draft.metrics,
  metrics_secondary: draft.metrics_secondary,
  ...(draft.saved.length > 0 && { saved_metrics_ids: writeUses(draft.saved) }),
  stats_config: writeStats(null, draft.stats),
});

const withoutPrints = (metrics: readonly Json[]): Json[] =>
  metrics.map(({ fingerprint: _, ...metric }) => metric);

function fieldsOf(draft: Draft, stored: ExperimentRecord): ExperimentChange {
  const own = stored.parameters?.feature_flag_variants as Variant[] | undefined;
  // Only a draft can be split here: a launched experiment keeps its split.
  const variants = (stored.status === "draft" && own ? named(draft.variants) : own) ?? null;
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    holdout_id: draft.holdout_id,
    parameters: writeParameters(stored.parameters, draft, variants),
    exposure_criteria: writeExposure(stored.exposure_criteria, draft.exposure),
    metrics: withoutPrints(draft.metrics),
    metrics_secondary: withoutPrints(draft.metrics_secondary),
    saved_metrics_ids: writeUses(draft.saved),
    stats_config: writeStats(stored.stats_config, draft.stats),
  };
}

/** The fields in which a draft differs from the stored experiment. */
export function listChanges(draft: Draft, stored: ExperimentRecord): ExperimentChange {
  const before = fieldsOf(readDraft(stored), stored);
  const after = fieldsOf(draft, stored);
  return Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => canonical(value) !== canonical(before[name as keyof ExperimentChange]),
    ),
  );
}

/** A draft on top of a newer version: edits are kept, everything else is taken from the newer version. */
export function rebaseDraft(draft: Draft, base: ExperimentRecord, current: ExperimentRecord): Draft {
  const before = readDraft(base);
  const edited = Object.entries(draft).filter(
    ([name, value]) => canonical(value) !== canonical(before[name as keyof Draft]),
  );
  return { ...readDraft(current), ...Object.fromEntries(edited) };
}
