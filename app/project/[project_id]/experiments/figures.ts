import type { RowFigures } from "#components/experiments/list-figures.tsx";
import { permitted } from "#lib/app/session/permitted.ts";
import type { ValueUnit } from "#lib/engines/statistics/numbers.ts";
import { verdictOf } from "#lib/engines/statistics/planning/goal.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import { evidenceText } from "#lib/engines/statistics/words.ts";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { valueUnitOf } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { experimentResultContract } from "#lib/experiments/results/contract.ts";
import type { Summary } from "#lib/experiments/results/result-schema.ts";
import type { Client } from "#lib/platform/http/client.ts";

type Listed = Pick<ExperimentRecord, "id" | "status" | "stats_config" | "metrics" | "saved_metrics">;

/** What the values of one of an experiment's metrics, its own or a saved one, are. */
function unitIn(listed: Listed | undefined, uuid: string | undefined): ValueUnit {
  const saved = listed?.saved_metrics.map(({ query }) => query) ?? [];
  const metric = [...(listed?.metrics ?? []), ...saved].find((each) => each.uuid === uuid);
  return metric ? valueUnitOf(metric) : "number";
}

const figuresIn = (
  { exposures, metric, best: found, refusal, findings, hidden }: Summary,
  listed: Listed | undefined,
): RowFigures => {
  const best = hidden ? null : found;
  return {
    exposures: exposures && Object.values(exposures).reduce((sum, each) => sum + each, 0),
    metric: metric?.name ?? null,
    best: best && {
      ...best,
      evidence: `${best.chance_to_win === null ? "p" : "chance"} ${evidenceText(best, metric?.goal ?? "increase")}`,
      verdict: verdictOf(best, metric?.goal ?? "increase"),
    },
    refusal: hidden ? "Hidden until the planned sample" : refusal,
    findings,
    difference: readSettings(listed?.stats_config).difference_type,
    unit: unitIn(listed, metric?.uuid),
  };
};

/** What was computed last of the experiments of a page. */
export async function readFigures(
  api: Client,
  project_id: string,
  experiments: readonly Listed[],
): Promise<Record<number, RowFigures>> {
  const launched = experiments.filter(({ status }) => status !== "draft").map(({ id }) => id);
  if (launched.length === 0) return {};
  const found = await permitted(
    api.call(experimentResultContract.results_summaries, {
      params: { project_id },
      query: { ids: launched.join(",") },
    }),
  );
  const byId = new Map(experiments.map((each) => [each.id, each]));
  return Object.fromEntries(
    (found?.results ?? []).map((each) => [each.experiment_id, figuresIn(each, byId.get(each.experiment_id))]),
  );
}
