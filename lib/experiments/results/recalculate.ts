import { z } from "zod";
import { advance } from "#lib/experiments/results/days/advance.ts";
import { clearDays, selectExperimentRow, updateSeries } from "#lib/experiments/results/days/store.ts";
import type { Runtime } from "#lib/flags/context.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import { prepare } from "./prepare.ts";

/** The time zone of a project. */
export const findTimezone = async (runtime: Runtime, projectId: number): Promise<string> =>
  (await runtime.directory.current()).projects.get(projectId)?.timezone ?? "UTC";

const recalculation = z.object({ experiment_id: z.number(), series_id: z.number().nullable() });

/** The key of the job that computes an experiment's past days. */
export const recalculationKey = (experimentId: number, fingerprint: string) =>
  `${experimentId}:${fingerprint}`.slice(0, 200);

/** Computes past days of a metric from the first on; what was recorded of them is forgotten. */
export const recalculateDays = defineJob({
  name: "experiments.recalculate",
  payload: recalculation,
  async run({ runtime, db, now, payload, report }: JobContext<z.output<typeof recalculation>, Runtime>) {
    const experiment = await selectExperimentRow(db, payload.experiment_id);
    if (!experiment?.start_date || experiment.deleted) return;
    const timezone = await findTimezone(runtime, experiment.project_id);
    const prepared = await prepare(runtime, db, experiment, timezone);
    if (prepared.sealed_before) return;
    const { series_id } = payload;
    if (series_id !== null) {
      await clearDays(db, series_id);
      await updateSeries(db, [series_id], { place: null, updated_at: now });
    }
    await report(0, 1);
    await advance(db, prepared, { now });
    await report(1, 1);
  },
});
