import type { Db } from "#lib/db/connect.ts";
import { defineJob, type JobContext } from "#lib/jobs/define.ts";
import { messageOf } from "#lib/jobs/work.ts";
import type { Runtime } from "#lib/runtime.ts";
import { advance } from "./advance.ts";
import { HOUR_MS, latestOf } from "./plan.ts";
import { type ExperimentRow, prepare } from "./prepare.ts";
import { timezoneOf } from "./recalculate.ts";
import { dayAt, dayEnds } from "./series.ts";
import { Unsupported } from "./sources.ts";
import { selectRunning, selectSeries, selectState, writeFailure } from "./store.ts";

/** How long after a day's end it is closed: clients' events of its last minutes are in by then. */
const CLOSE_AFTER_MS = 2 * HOUR_MS;

/** Notes for each metric's day why it has no result. */
async function recordFailure(db: Db, experiment: ExperimentRow, day: string, at: Date, error: unknown) {
  for (const { id } of await selectSeries(db, experiment.id))
    await writeFailure(db, {
      series_id: id,
      day,
      query_to: at,
      error: messageOf(error),
      completed_at: at,
    });
}

/** Closes the days of one experiment that are over, if any. */
async function closeDays(runtime: Runtime, db: Db, experiment: ExperimentRow, now: Date): Promise<void> {
  const prepared = await prepare(
    runtime,
    db,
    experiment,
    await timezoneOf(runtime, experiment.project_id),
  ).catch((error: unknown) => {
    // Said in the results; nothing that trying again would change.
    if (error instanceof Unsupported) return null;
    throw error;
  });
  if (!prepared) return;
  const { plan } = prepared;
  const state = await selectState(db, experiment.id);
  const reached = state?.definition === prepared.definition ? state.cut_at.getTime() : plan.start;
  const until = Math.min(now.getTime() - CLOSE_AFTER_MS, latestOf(plan));
  const due = dayEnds(plan, reached, until).at(-1) ?? (plan.end !== null && reached < until ? until : null);
  if (due === null) return;
  try {
    // No further than to the end of the last day that is closed: the next one is still to get its late events.
    await advance(db, prepared, { now: new Date(due - 1) });
  } catch (error) {
    await recordFailure(db, experiment, dayAt(plan, due - 1), now, error);
    throw error;
  }
}

async function closeAll({ runtime, db, now, each }: JobContext): Promise<void> {
  const experiments = await selectRunning(db, now);
  await each(
    experiments,
    ({ id }) => String(id),
    (experiment) => closeDays(runtime, db, experiment, now),
  );
}

/**
 * Closes each day of every running experiment, two hours after it ended where the project is. Asked every hour,
 * because projects are in many time zones; days that were missed are made up for.
 */
export const closeExperimentDays = defineJob({ name: "experiments.days", every: HOUR_MS, run: closeAll });
