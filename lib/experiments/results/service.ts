import { loadExperiment } from "#lib/experiments/experiments/lookup.ts";
import { prepareExperiment, tryUpdateFigures } from "#lib/experiments/results/answer/current.ts";
import { recordLook } from "#lib/experiments/results/answer/looks.ts";
import { buildOverview } from "#lib/experiments/results/answer/overview.ts";
import type { MemberContext } from "#lib/flags/context.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import type { experimentResultContract } from "./contract.ts";
import type { ExperimentResults } from "./result-schema.ts";

export { holdout_results } from "#lib/experiments/results/answer/holdout.ts";
export { looks, record_look, recordLook } from "#lib/experiments/results/answer/looks.ts";
export { results_people } from "#lib/experiments/results/answer/people.ts";
export { preview_metric } from "#lib/experiments/results/answer/preview.ts";
export { environment_query, project_query } from "#lib/experiments/results/answer/query.ts";
export { results_summaries } from "#lib/experiments/results/answer/summaries.ts";
export { recalculate_timeseries, timeseries_results } from "#lib/experiments/results/answer/timeseries.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;

export async function results(
  context: MemberContext,
  { params, query }: Of<"results">,
): Promise<ExperimentResults> {
  const experiment = await loadExperiment(context, params.id);
  const prepared = await prepareExperiment(context, experiment);
  if (!experiment.start_date) return buildOverview(context, prepared, null, "not_started");
  const figures = await tryUpdateFigures(context, prepared);
  if (figures && query.look !== "false") await recordLook(context, experiment.id, figures.units);
  return buildOverview(context, prepared, figures, figures ? "ready" : "computing");
}
