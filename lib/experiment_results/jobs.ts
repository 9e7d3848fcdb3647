import type { Db } from "#lib/db/connect.ts";
import { defineJob, type JobContext } from "#lib/jobs/define.ts";
import { messageOf } from "#lib/jobs/work.ts";
import { advance, advanceTogether } from "./advance.ts";
import { HOUR_MS, latestOf } from "./plan.ts";
import { type ExperimentRow, type Prepared, prepare } from "./prepare.ts";
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

/** What is due of an experiment: as of when it is to be brought up to date; null where nothing is. */
async function dueOf(
  { runtime, db, now }: Pick<JobContext, "runtime" | "db" | "now">,
  experiment: ExperimentRow,
): Promise<{ prepared: Prepared; due: number } | null> {
  const timezone = await timezoneOf(runtime, experiment.project_id);
  const prepared = await prepare(runtime, db, experiment, timezone).catch((error: unknown) => {
    // Said in the results; nothing that trying again would change.
    if (error instanceof Unsupported) return null;
    throw error;
  });
  if (!prepared) return null;
  const { plan } = prepared;
  const state = await selectState(db, experiment.id);
  const reached = state?.definition === prepared.definition ? state.cut_at.getTime() : plan.start;
  const until = Math.min(now.getTime() - CLOSE_AFTER_MS, latestOf(plan));
  const due = dayEnds(plan, reached, until).at(-1) ?? (plan.end !== null && reached < until ? until : null);
  return due === null ? null : { prepared, due };
}

/** No further than to the end of the last day that is closed: the next one is still to get its late events. */
const momentOf = ({ due }: { due: number }) => new Date(due - 1);

/** Closes the days of one experiment that are over, if any. */
async function closeDays(context: JobContext, experiment: ExperimentRow): Promise<void> {
  const { db, now } = context;
  const found = await dueOf(context, experiment);
  if (!found) return;
  try {
    await advance(db, found.prepared, { now: momentOf(found) });
  } catch (error) {
    await recordFailure(db, experiment, dayAt(found.prepared.plan, found.due - 1), now, error);
    throw error;
  }
}

/** Experiments that are brought up to date in one transaction, during which nobody else does. */
const TOGETHER = 25;

/** Closes the days of experiments that can share one reading of what is new. What fails is left as it was. */
async function closeTogether(context: JobContext, experiments: ExperimentRow[]): Promise<void> {
  const found: { prepared: Prepared; now: Date }[] = [];
  for (const experiment of experiments) {
    const due = await dueOf(context, experiment).catch(() => null);
    if (due) found.push({ prepared: due.prepared, now: momentOf(due) });
  }
  const kinds = Map.groupBy(
    found,
    ({ prepared: { experiment, plan } }) => `${experiment.project_id}:${plan.group_type ?? ""}`,
  );
  for (const list of kinds.values())
    for (let i = 0; i < list.length; i += TOGETHER) {
      context.signal.throwIfAborted();
      const some = list.slice(i, i + TOGETHER);
      // Each of them is tried again on its own, and what is wrong with it noted then.
      if (some.length > 1)
        await advanceTogether(context.db, some).catch((error) =>
          console.warn(`${some.length} experiments are brought up to date one by one:`, error),
        );
    }
}

async function closeAll(context: JobContext): Promise<void> {
  const experiments = await selectRunning(context.db, context.now);
  await closeTogether(context, experiments);
  await context.each(
    experiments,
    ({ id }) => String(id),
    (experiment) => closeDays(context, experiment),
  );
}

/**
 * Closes each day of every running experiment, two hours after it ended where the project is. Asked every hour,
 * because projects are in many time zones; days that were missed are made up for.
 */
export const closeExperimentDays = defineJob({ name: "experiments.days", every: HOUR_MS, run: closeAll });
