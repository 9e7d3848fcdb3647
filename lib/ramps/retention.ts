import { createReader } from "#lib/experiments/results/events/reader.ts";
import type { Runtime } from "#lib/flags/context.ts";
import type { EventReaders } from "#lib/people/retention/horizons.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { planOf } from "./observe.ts";
import { selectFlagKeys, selectRun, selectUnfinished } from "./store.ts";

/** Ramps, as far as deleting events concerns them: a step that runs counts people again from all they did within it. */
export const rampUses =
  (db: Db, reading: Pick<Runtime, "directory">): EventReaders["uses"] =>
  async (projectId) => {
    const running = (await selectUnfinished(db, projectId)).filter(({ status }) => status === "running");
    const keys = await selectFlagKeys(
      db,
      running.map(({ flag_id }) => flag_id),
    );
    return Promise.all(
      running.map(async (ramp) => {
        const key = keys.get(ramp.flag_id) ?? "";
        const run = await selectRun(db, ramp);
        const { names } = createReader(await planOf(reading, db, { ramp, run, flag: { key } }));
        return { name: `ramp of ${key}`, events: names, from: run.started_at };
      }),
    );
  };
