import { sameJson } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import type { Db } from "#lib/db/connect.ts";
import type { MemberContext } from "#lib/http/context.ts";
import type { FlagRow } from "./flag_store.ts";
import { variantsOf } from "./flags.ts";
import { recordPhases } from "./phases.ts";
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
 * Lets the experiments on a flag know what the flag is now: launched ones record it, and the parameters of those
 * that have not ended take its variants and its kind of group. An ended experiment keeps the split it ran with.
 */
export async function followFlag(
  tx: Db,
  context: MemberContext,
  rows: readonly ExperimentRow[],
  flag: Pick<FlagRow, "key" | "filters">,
): Promise<void> {
  await recordPhases(tx, rows, flag, context.now);
  for (const row of rows) {
    if (row.end_date) continue;
    const parameters = following(row.parameters, flag.filters);
    if (sameJson(parameters, row.parameters)) continue;
    const after = await updateExperiment(tx, context, row.id, { parameters });
    const changes = changesOf({ row, links: [] }, { row: after, links: [] });
    await record(tx, { ...act(context, row, "updated"), changes });
  }
}
