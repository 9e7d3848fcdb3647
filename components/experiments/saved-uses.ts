import { metricName } from "#components/metrics/metric-words.ts";
import type { Json } from "#lib/engines/json.ts";
import type { ExperimentRecord, SavedMetricRecord } from "#lib/experiments/experiments/schema.ts";

/** The lists of metrics. */
export type List = "metrics" | "metrics_secondary";

/** A saved metric as a draft uses it. */
export type SavedUse = { id: number; metadata: Json; name: string; query: Json };

/** The parts of a draft that hold metrics. */
export type Listed = { metrics: Json[]; metrics_secondary: Json[]; saved: SavedUse[] };

const listOf = ({ metadata }: Pick<SavedUse, "metadata">): List =>
  metadata.type === "secondary" ? "metrics_secondary" : "metrics";

const typeOf = (list: List) => (list === "metrics" ? "primary" : "secondary");

export const readUses = (experiment: Pick<ExperimentRecord, "saved_metrics">): SavedUse[] =>
  experiment.saved_metrics.map(({ saved_metric, metadata, name, query }) => ({
    id: saved_metric,
    metadata,
    name,
    query,
  }));

/** The same as the API takes it. */
export const writeUses = (uses: readonly SavedUse[]) => uses.map(({ id, metadata }) => ({ id, metadata }));

/** A saved metric, used in a list. */
export const asUse = ({ id, name, query }: SavedMetricRecord, list: List): SavedUse => ({
  id,
  metadata: { type: typeOf(list) },
  name,
  query,
});

export const moveUse = (use: SavedUse, list: List): SavedUse => ({
  ...use,
  metadata: { ...use.metadata, type: typeOf(list) },
});

export const usesIn = (values: Pick<Listed, "saved">, list: List): SavedUse[] =>
  values.saved.filter((use) => listOf(use) === list);

/** Every metric of a list, the experiment's own before the saved ones, each under the name it goes by. */
export const metricsIn = (values: Listed, list: List): Json[] => [
  ...values[list],
  ...usesIn(values, list).map(({ query, name }) => ({ ...query, name })),
];

/** Why a saved metric cannot be added to a values; null where it can. */
export function findClash(
  values: Listed,
  { id, query }: Pick<SavedMetricRecord, "id" | "query">,
): string | null {
  if (values.saved.some((use) => use.id === id)) return "Already used";
  const own = [...values.metrics, ...values.metrics_secondary];
  const twin = own.find(({ uuid }) => uuid !== undefined && uuid === query.uuid);
  return twin ? `Same as ${metricName(twin)}, which is already here` : null;
}
