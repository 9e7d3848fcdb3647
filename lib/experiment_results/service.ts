import { experimentOf } from "#lib/experiments/lookup.ts";
import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import type { experimentResultContract } from "./contract.ts";
import { figuresSoon, preparedOf } from "./current.ts";
import { noteLook } from "./looks.ts";
import { overviewOf } from "./overview.ts";
import type { ExperimentResults } from "./result_schema.ts";

export { looks, record_look } from "./looks.ts";
export { results_people } from "./people.ts";
export { preview_metric } from "./preview.ts";
export { environment_query, project_query } from "./query.ts";
export { results_summaries } from "./summaries.ts";
export { recalculate_timeseries, timeseries_results } from "./timeseries.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;

export async function results(
  context: MemberContext,
  { params, query }: Of<"results">,
): Promise<ExperimentResults> {
  const experiment = await experimentOf(context, params.id);
  const prepared = await preparedOf(context, experiment);
  if (!experiment.start_date) return overviewOf(context, prepared, null, "not_started");
  const figures = await figuresSoon(context, prepared);
  if (figures && query.look === "true") await noteLook(context, experiment.id, figures.units);
  return overviewOf(context, prepared, figures, figures ? "ready" : "computing");
}
