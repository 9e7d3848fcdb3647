import { inTransaction } from "#lib/db/connect.ts";
import { experimentOf } from "#lib/experiments/lookup.ts";
import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { instant } from "#lib/http/instant.ts";
import { MULTIPLE } from "#lib/statistics/sample_ratio.ts";
import type { experimentResultContract } from "./contract.ts";
import { figuresOf, preparedOf, startedExperiment } from "./current.ts";
import type { Look } from "./result_schema.ts";
import { type LookRow, lockStates, selectLooks, selectLooksOf, writeLook } from "./store.ts";

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
  const experiment = await experimentOf(context, params.id);
  const { rows, count } = await selectLooks(context.db, experiment.id);
  return { count, results: rows.map(lookOf) };
}

/**
 * Notes that somebody has seen results. Seeing the same figures again teaches nothing new: it is the same look. Whoever
 * has looked very often keeps their number of looks, and the newest one takes the place of the one before.
 */
export async function noteLook(
  context: Pick<MemberContext, "db" | "user" | "now">,
  experimentId: number,
  units: ReadonlyMap<string, number>,
): Promise<Look> {
  const exposures = Object.fromEntries([...units].filter(([key]) => key !== MULTIPLE).sort());
  const total = Object.values(exposures).reduce((a, b) => a + b, 0);
  const { id: user_id, first_name, email } = context.user;
  const values = { experiment_id: experimentId, user_id, at: context.now, total, exposures };
  return inTransaction(context.db, async (tx) => {
    await lockStates(tx, [experimentId]);
    const { same, last, count } = await selectLooksOf(tx, experimentId, user_id, exposures);
    const row = same ?? (await writeLook(tx, values, count < LOOKS_OF_ONE_MAX ? null : last));
    return lookOf({ ...row, user: { id: user_id, first_name, email } });
  });
}

export async function record_look(context: MemberContext, { params }: Of<"record_look">): Promise<Look> {
  const experiment = await startedExperiment(context, params.id);
  const { units } = await figuresOf(context, await preparedOf(context, experiment));
  return noteLook(context, experiment.id, units);
}
