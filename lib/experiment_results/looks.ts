import { isDeepStrictEqual } from "node:util";
import { inTransaction } from "#lib/db/connect.ts";
import { experimentOf } from "#lib/experiments/lookup.ts";
import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { instant } from "#lib/http/instant.ts";
import { MULTIPLE } from "#lib/statistics/sample_ratio.ts";
import type { experimentResultContract } from "./contract.ts";
import { figuresOf, preparedOf, startedExperiment } from "./current.ts";
import type { Look } from "./result_schema.ts";
import { insertLook, type LookRow, lockStates, selectLooks } from "./store.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;

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

/** Notes that somebody has seen results. Seeing the same figures again teaches nothing new: it is the same look. */
export async function record_look(context: MemberContext, { params }: Of<"record_look">): Promise<Look> {
  const experiment = await startedExperiment(context, params.id);
  const { units } = await figuresOf(context, await preparedOf(context, experiment));
  const exposures = Object.fromEntries([...units].filter(([key]) => key !== MULTIPLE).sort());
  const total = Object.values(exposures).reduce((a, b) => a + b, 0);
  const { id: user_id, first_name, email } = context.user;
  const user = { id: user_id, first_name, email };
  return inTransaction(context.db, async (tx) => {
    await lockStates(tx, [experiment.id]);
    const { rows } = await selectLooks(tx, experiment.id);
    const same = rows.findLast(
      (row) => row.user_id === user_id && isDeepStrictEqual(row.exposures, exposures),
    );
    if (same) return lookOf(same);
    const values = { experiment_id: experiment.id, user_id, at: context.now, total, exposures };
    const id = await insertLook(tx, values);
    return lookOf({ ...values, id, user });
  });
}
