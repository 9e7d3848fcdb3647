import { note } from "#lib/audit/notes.ts";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { loadExperiment } from "#lib/experiments/experiments/lookup.ts";
import type { experimentResultContract } from "#lib/experiments/results/contract.ts";
import {
  type LookRow,
  lockStates,
  selectLooks,
  selectLooksOf,
  writeLook,
} from "#lib/experiments/results/days/store.ts";
import type { Look } from "#lib/experiments/results/result-schema.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { loadStartedExperiment, prepareExperiment, updateFigures } from "./current.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;

/** Looks of one person at one experiment that are stored at most. */
const LOOKS_OF_ONE_MAX = 1_000;

const lookOf = ({ id, at, user, total, exposures }: LookRow): Look => ({
  id,
  at: instant(at),
  user,
  total,
  exposures,
});

export async function looks(context: MemberContext, { params }: Of<"looks">) {
  const experiment = await loadExperiment(context, params.id);
  const { rows, count } = await selectLooks(context.db, experiment.id);
  return { count, results: rows.map(lookOf) };
}

/**
 * Records that somebody has seen results. Seeing the same figures again is the same look. For somebody who has looked
 * very often, the newest look replaces the one before.
 */
export async function recordLook(
  context: Pick<MemberContext, "db" | "user" | "now" | "project">,
  experimentId: number,
  units: ReadonlyMap<string, number>,
): Promise<Look> {
  const exposures = Object.fromEntries([...units].filter(([key]) => key !== MULTIPLE).sort());
  const total = Object.values(exposures).reduce((a, b) => a + b, 0);
  const { id: user_id, first_name, email } = context.user;
  const user = { id: user_id, first_name, email };
  const values = { experiment_id: experimentId, user_id, at: context.now, total, exposures };
  const known = await selectLooksOf(context.db, experimentId, user_id, exposures);
  if (known.same) return lookOf({ ...known.same, user });
  return inTransaction(context.db, async (tx) => {
    await lockStates(tx, [experimentId]);
    const { same, last, count } = await selectLooksOf(tx, experimentId, user_id, exposures);
    if (same) return lookOf({ ...same, user });
    const row = await writeLook(tx, values, count < LOOKS_OF_ONE_MAX ? null : last);
    await note(tx, {
      project_id: context.project.id,
      user_id,
      scope: "Experiment",
      item_id: String(experimentId),
      activity: "looked",
      detail: { total, exposures },
    });
    return lookOf({ ...row, user });
  });
}

export async function record_look(context: MemberContext, { params }: Of<"record_look">): Promise<Look> {
  const experiment = await loadStartedExperiment(context, params.id);
  const { units } = await updateFigures(context, await prepareExperiment(context, experiment));
  return recordLook(context, experiment.id, units);
}
