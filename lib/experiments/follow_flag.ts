import { sameJson } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import type { Db } from "#lib/db/connect.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { isObject } from "./rules.ts";
import {
  type ExperimentRow,
  hasExperiments,
  lockExperiments,
  lockExperimentsOn,
  updateExperiment,
} from "./store.ts";
import { act, changesOf } from "./writing.ts";

type Json = Record<string, unknown>;

/**
 * The experiments on a flag that is about to be changed, deleted ones included, held still until the transaction
 * ends. To be asked before the flag is locked: experiments are locked first everywhere.
 */
export async function experimentsHeldOn(
  tx: Db,
  context: MemberContext,
  flagId: number,
): Promise<ExperimentRow[]> {
  const projectId = context.project.id;
  if (!(await hasExperiments(tx, projectId, flagId))) return [];
  await lockExperiments(tx, projectId);
  return lockExperimentsOn(tx, projectId, flagId);
}

/** Parameters that say of the split what the flag's filters say. */
function following(parameters: Json | null, filters: Json): Json {
  const { aggregation_group_type_index: _, ...rest } = parameters ?? {};
  const { multivariate, aggregation_group_type_index: index } = filters;
  const variants =
    isObject(multivariate) && Array.isArray(multivariate.variants) ? multivariate.variants : [];
  return {
    ...rest,
    feature_flag_variants: variants,
    ...(typeof index === "number" && { aggregation_group_type_index: index }),
  };
}

/** Copies the variants and the kind of group of a flag into the parameters of its experiments. */
export async function followFlag(
  tx: Db,
  context: MemberContext,
  rows: readonly ExperimentRow[],
  filters: Json,
): Promise<void> {
  for (const row of rows) {
    const parameters = following(row.parameters, filters);
    if (sameJson(parameters, row.parameters)) continue;
    const after = { ...row, parameters, updated_at: context.now };
    await updateExperiment(tx, row.id, { parameters, updated_at: context.now });
    const changes = changesOf({ row, links: [] }, { row: after, links: [] });
    await record(tx, { ...act(context, row, "updated"), changes });
  }
}
