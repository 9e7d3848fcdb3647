import { sameJson } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import type { Json } from "#lib/engines/json.ts";
import {
  type ExperimentRow,
  hasExperiments,
  lockExperiments,
  lockExperimentsOn,
  updateExperiment,
} from "#lib/experiments/experiments/store.ts";
import { activityEntry, listChanges } from "#lib/experiments/experiments/writing.ts";
import type { FlagFollower, SavingContext } from "#lib/flags/context.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { variantsOf } from "./flags.ts";
import { recordPhases } from "./phases.ts";

/**
 * The experiments on a flag that is about to be changed, deleted ones included, locked until the transaction
 * ends. Call it before locking the flag: experiments are locked first everywhere.
 */
async function lockFollowers(tx: Db, context: SavingContext, flagId: number): Promise<ExperimentRow[]> {
  const projectId = context.project.id;
  if (!(await hasExperiments(tx, projectId, flagId))) return [];
  await lockExperiments(tx, projectId);
  return lockExperimentsOn(tx, projectId, flagId);
}

/** Parameters with the split of the flag's filters. */
export function following(parameters: Json | null, filters: Json): Json {
  const { aggregation_group_type_index: _, ...rest } = parameters ?? {};
  const { aggregation_group_type_index: index } = filters;
  return {
    ...rest,
    feature_flag_variants: variantsOf(filters),
    ...(typeof index === "number" && { aggregation_group_type_index: index }),
  };
}

/**
 * Locks the experiments on a flag and returns a function that updates them to the flag's new state: launched ones
 * record it, and the parameters of those that have not ended take its variants and group type. An ended experiment
 * keeps the split it ran with.
 */
export const followFlag: FlagFollower = async (tx, context, flagId) => {
  const rows = await lockFollowers(tx, context, flagId);
  return (flag) => updateFollowers(tx, context, rows, flag);
};

export async function updateFollowers(
  tx: Db,
  context: SavingContext,
  rows: readonly ExperimentRow[],
  flag: Pick<FlagRow, "key" | "filters">,
): Promise<void> {
  await recordPhases(tx, rows, flag, context.now);
  for (const row of rows) {
    if (row.end_date) continue;
    const parameters = following(row.parameters, flag.filters);
    if (sameJson(parameters, row.parameters)) continue;
    const after = await updateExperiment(tx, context, row.id, { parameters });
    const changes = listChanges({ row, links: [] }, { row: after, links: [] });
    await record(tx, { ...activityEntry(context, row, "updated"), changes });
  }
}
