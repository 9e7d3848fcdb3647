import { Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import { HOUR_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import { advance, advanceMany } from "#lib/experiments/results/days/advance.ts";
import { dayAt, dayEnds } from "#lib/experiments/results/days/series.ts";
import {
  selectRunning,
  selectSeries,
  selectState,
  writeFailure,
} from "#lib/experiments/results/days/store.ts";
import { latestOf } from "#lib/experiments/results/plan/plan.ts";
import type { Runtime } from "#lib/flags/context.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import { type JobContext as Context, messageOf } from "#lib/platform/jobs/work.ts";
import { log } from "#lib/platform/log.ts";
import { type ExperimentRow, type Prepared, prepare } from "./prepare.ts";
import { findTimezone } from "./recalculate.ts";

type JobContext = Context<unknown, Runtime>;

/** How long after a day's end it is closed: clients' events of its last minutes are in by then. */
const CLOSE_AFTER_MS = 2 * HOUR_MS;

/** Records for each metric why the day has no result. */
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

/** The moment to which an experiment is due to be advanced; null if it is not. */
async function dueOf(
  { runtime, db, now }: Pick<JobContext, "runtime" | "db" | "now">,
  experiment: ExperimentRow,
): Promise<{ prepared: Prepared; due: number } | null> {
  const timezone = await findTimezone(runtime, experiment.project_id);
  const prepared = await prepare(runtime, db, experiment, timezone).catch((error: unknown) => {
    // Shown in the results; a retry would change nothing.
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

/** Experiments updated in one transaction, which locks them. */
const BATCH_SIZE = 25;

/** Closes the days of experiments that can share one read of new events. Failures leave them unchanged. */
async function closeInBatches(context: JobContext, experiments: ExperimentRow[]): Promise<void> {
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
    for (let i = 0; i < list.length; i += BATCH_SIZE) {
      context.signal.throwIfAborted();
      const some = list.slice(i, i + BATCH_SIZE);
      // Each of them is retried on its own, and its error is recorded then.
      if (some.length > 1)
        await advanceMany(context.db, some).catch((error) =>
          log().warn({ error }, `${some.length} experiments are brought up to date one by one.`),
        );
    }
}

async function closeAll(context: JobContext): Promise<void> {
  const experiments = await selectRunning(context.db, context.now);
  await closeInBatches(context, experiments);
  await context.each(
    experiments,
    ({ id }) => String(id),
    (experiment) => closeDays(context, experiment),
  );
}

/**
 * Closes each day of every running experiment, two hours after it ended where the project is. Asked every hour,
 * because projects are in many time zones; missed days are caught up.
 */
export const closeExperimentDays = defineJob({ name: "experiments.days", every: HOUR_MS, run: closeAll });
