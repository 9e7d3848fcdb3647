import type { RowFigures } from "#components/experiments/list_figures.tsx";
import { permitted } from "#lib/dashboard/permitted.ts";
import { experimentResultContract } from "#lib/experiment_results/contract.ts";
import type { Summary } from "#lib/experiment_results/result_schema.ts";
import type { ExperimentRecord } from "#lib/experiments/schema.ts";
import type { Client } from "#lib/http/client.ts";

const figuresIn = ({ exposures, metric, best, refusal }: Summary): RowFigures => ({
  exposures: exposures && Object.values(exposures).reduce((sum, each) => sum + each, 0),
  metric: metric?.name ?? null,
  best,
  refusal,
});

/** What was computed last of the experiments of a page. */
export async function figuresOf(
  api: Client,
  project_id: string,
  experiments: readonly Pick<ExperimentRecord, "id" | "status">[],
): Promise<Record<number, RowFigures>> {
  const launched = experiments.filter(({ status }) => status !== "draft").map(({ id }) => id);
  if (launched.length === 0) return {};
  const found = await permitted(
    api.call(experimentResultContract.results_summaries, {
      params: { project_id },
      query: { ids: launched.join(",") },
    }),
  );
  return Object.fromEntries((found?.results ?? []).map((each) => [each.experiment_id, figuresIn(each)]));
}
