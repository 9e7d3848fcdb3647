import { z } from "zod";
import type { Runtime, SavingContext } from "#lib/flags/context.ts";
import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import { changeIn, FlagMoved } from "#lib/flags/feature_flags/service.ts";
import { selectFlags } from "#lib/flags/feature_flags/store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { ApiError, invalid } from "#lib/platform/http/errors.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import { enqueue } from "#lib/platform/jobs/queue.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import { findObstacle } from "./guard.ts";
import { nextMoment } from "./moments.ts";
import { updateOf } from "./operations.ts";
import { lockSchedule, type ScheduledRow, selectDue, selectSchedule, updateSchedule } from "./store.ts";

/** The flag keeps being changed by others: the job tries again later. */
const TRIES_MAX = 10;
const REASON_MAX = 400;
const HOUR_MS = 3_600_000;

const payload = z.object({ id: z.number().int() });

/** Runs a scheduled change when it is due. */
export const scheduledChangeDue = defineJob({
  name: "scheduled_changes.due",
  payload,
  run: (context: JobContext<z.output<typeof payload>, Runtime>) => runDue(context, context.payload.id),
});

/** Runs what is due and not in line: after a restore, or when a job was given up. */
export const scheduledChangeSweep = defineJob({
  name: "scheduled_changes.sweep",
  every: HOUR_MS,
  run: async (context: JobContext<unknown, Runtime>) =>
    context.each(
      await selectDue(context.db, context.now),
      ({ id }) => String(id),
      ({ id }) => runDue(context, id),
    ),
});

export const recurs = (row: Pick<ScheduledRow, "recurrence_interval" | "cron_expression">): boolean =>
  row.recurrence_interval !== null || row.cron_expression !== null;

/** Whether it runs when its moment comes: it is neither finished nor paused. */
const isPending = (row: ScheduledRow): boolean =>
  row.executed_at === null && !row.deleted && row.is_recurring === recurs(row);

/** Puts a schedule in line for its moment. */
export async function putInLine(tx: Db, row: ScheduledRow): Promise<void> {
  if (isPending(row))
    await enqueue(tx, scheduledChangeDue, String(row.id), { id: row.id }, { runAt: row.scheduled_at });
}

/** The next moment of a recurring schedule after another; null where that is after its end. */
export function nextRun(row: ScheduledRow, after: Date): Date | null {
  const next = nextMoment({ ...row, first: row.first_at }, after);
  return next && row.end_date && next > row.end_date ? null : next;
}

const latest = (a: Date, b: Date) => (a > b ? a : b);

/** What became of a run: why it changed nothing, or the version of the flag that it made. */
type Outcome = { failure: string } | { seen_version: number };

/** Notes what became of a run, and puts the next one in line. */
async function finish(tx: Db, row: ScheduledRow, now: Date, outcome: Outcome): Promise<void> {
  const failed = "failure" in outcome;
  const next = recurs(row) ? nextRun(row, latest(now, row.scheduled_at)) : null;
  const after = await updateSchedule(tx, row.id, {
    ...(next ? { scheduled_at: next } : { executed_at: now }),
    ...(recurs(row) && !failed && { last_executed_at: now }),
    ...(failed
      ? { failure_reason: outcome.failure.slice(0, REASON_MAX) }
      : { failure_reason: null, seen_version: outcome.seen_version }),
    updated_at: now,
  });
  await putInLine(tx, after);
}

/** Ends a recurring schedule whose end has passed. */
const end = (tx: Db, row: ScheduledRow, now: Date) =>
  updateSchedule(tx, row.id, { executed_at: now, updated_at: now });

/**
 * Makes the change, in the transaction that also notes it on the schedule.
 *
 * @param version the version of the flag that was looked at before
 * @returns the flags that have changed, and the version of the schedule's own
 * @throws FlagMoved where the flag has another version by now
 */
export async function apply(
  tx: Db,
  context: SavingContext,
  row: ScheduledRow,
  version?: number,
): Promise<{ ids: number[]; seen_version: number }> {
  const { runtime, project } = context;
  const [stored] = await selectFlags(tx, project.id, [row.flag_id]);
  if (!stored || stored.deleted) throw invalid("The feature flag was deleted.");
  if (version !== undefined && stored.version !== version) throw new FlagMoved();
  const body = updateOf(row.payload, readFlag(stored, runtime.settings.encryption_key));
  const { operation } = row.payload;
  const { saved, also } = await changeIn(tx, context, row.flag_id, body, {
    version: stored.version,
    trigger: { job_type: "scheduled_change", job_id: String(row.id), payload: { operation } },
  });
  return { ids: [row.flag_id, ...also], seen_version: saved.version };
}

/** The context in which a schedule runs: its author's, as far as they may still write. */
async function contextOf(
  { runtime, db, now }: JobContext<unknown, Runtime>,
  row: ScheduledRow,
): Promise<SavingContext> {
  const { projects, users } = await runtime.directory.current();
  const project = projects.get(row.project_id);
  if (!project) throw new Error(`Project ${row.project_id} of schedule ${row.id} is not known yet.`);
  const user = users.get(row.created_by_id ?? 0);
  if (!user) throw invalid("The person who scheduled it no longer has an account.");
  if (!user.is_active) throw invalid(`The account of ${user.email}, who scheduled it, is deactivated.`);
  if ((await runtime.directory.level(project.organization_id, user.id)) === 0)
    throw invalid(`${user.email}, who scheduled it, no longer has access to this project.`);
  return { db, runtime, project, user, now };
}

/** What the API would answer with as the fault of the request stays wrong however often it is tried. */
export const isPermanent = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && error.status !== 429;

/** The schedule as it was read, locked; null where it has run or was changed since. */
async function lockSame(tx: Db, row: ScheduledRow): Promise<ScheduledRow | null> {
  const locked = await lockSchedule(tx, row.id);
  const isSame =
    locked &&
    isPending(locked) &&
    locked.updated_at.getTime() === row.updated_at.getTime() &&
    locked.scheduled_at.getTime() === row.scheduled_at.getTime();
  return isSame ? locked : null;
}

/** Looks at the flag of a guarded schedule; the version that was looked at. */
async function checkGuard(
  context: SavingContext,
  row: ScheduledRow,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (!row.guard) return undefined;
  const flag = (await context.runtime.flags.project(row.project_id)).byId.get(row.flag_id);
  if (!flag) throw new FlagMoved();
  if (flag.deleted) return undefined;
  const { obstacle, version } = await findObstacle(
    context,
    row,
    { flag, body: updateOf(row.payload, flag) },
    signal,
  );
  if (obstacle) throw invalid(obstacle);
  return version;
}

/** Runs a schedule as it was read. People are counted before the transaction: it holds locks. */
async function runOnce(job: JobContext<unknown, Runtime>, row: ScheduledRow): Promise<void> {
  const { runtime, db, now, signal } = job;
  const within = <T>(work: (tx: Db, locked: ScheduledRow) => Promise<T>) =>
    inTransaction(db, async (tx) => {
      const locked = await lockSame(tx, row);
      return locked ? work(tx, locked) : null;
    });
  if (row.end_date && now > row.end_date) return void (await within((tx, locked) => end(tx, locked, now)));
  try {
    const context = await contextOf(job, row);
    const version = await checkGuard(context, row, signal);
    const changed = await runtime.asGranted(context, row.granted, () =>
      within(async (tx, locked) => {
        const { ids, seen_version } = await apply(tx, context, locked, version);
        await finish(tx, locked, now, { seen_version });
        return ids;
      }),
    );
    if (changed) runtime.flags.changed(row.project_id, changed);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    await within((tx, locked) => finish(tx, locked, now, { failure: error.message }));
  }
}

async function runDue(job: JobContext<unknown, Runtime>, id: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const row = await selectSchedule(job.db, id);
    if (!row || !isPending(row)) return;
    if (row.scheduled_at > job.now) return putInLine(job.db, row);
    try {
      return await runOnce(job, row);
    } catch (error) {
      if (!(error instanceof FlagMoved) || tries >= TRIES_MAX) throw error;
      // What is held in memory may be what is behind.
      job.runtime.flags.changed(row.project_id, [row.flag_id]);
    }
  }
}
