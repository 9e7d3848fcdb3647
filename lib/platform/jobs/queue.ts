import type { Db } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import type { Job } from "./define.ts";
import {
  deleteJobs,
  type JobRow,
  type JobSummary,
  retryFailed,
  selectJobs,
  selectSummaries,
  upsertJob,
} from "./store.ts";

/** Told when a job was put in line, so that nobody has to look for it. */
export const JOBS_TOPIC = "jobs";

const KEYS_MAX = 1_000;

/** The state of a job, for people who wait for it. */
export type JobState = Pick<
  JobRow,
  | "key"
  | "state"
  | "run_at"
  | "attempts"
  | "done"
  | "total"
  | "failures"
  | "last_error"
  | "started_at"
  | "finished_at"
>;

/**
 * Puts a job in line; in a transaction, if and when that commits. One key is never worked on twice at once: where
 * it waits already, payload and time are replaced; where it runs, it runs once more afterwards.
 *
 * @param options.runAt the earliest moment; at once unless given
 */
export async function enqueue<P>(
  db: Db,
  job: Job<P, never>,
  key: string,
  payload: P,
  options: { runAt?: Date } = {},
): Promise<void> {
  await upsertJob(db, { name: job.name, key, payload, run_at: options.runAt ?? null });
  await publish(db, JOBS_TOPIC, null);
}

/** Forgets a scheduled job that no longer runs. */
export async function unschedule(db: Db, name: string): Promise<void> {
  await deleteJobs(db, name);
}

/**
 * Runs the jobs of a name at once that have failed and wait for their next try, or failed for good.
 *
 * @returns how many
 */
export async function retryJobs(db: Db, name: string): Promise<number> {
  const count = await retryFailed(db, name);
  if (count > 0) await publish(db, JOBS_TOPIC, null);
  return count;
}

const stateOf = (row: JobRow): JobState => ({
  key: row.key,
  state: row.state,
  run_at: row.run_at,
  attempts: row.attempts,
  done: row.done,
  total: row.total,
  failures: row.failures,
  last_error: row.last_error,
  started_at: row.started_at,
  finished_at: row.finished_at,
});

/** The state of a job by name and key; null if it was never requested, or succeeded more than a week ago. */
export async function readJobState(db: Db, name: string, key = ""): Promise<JobState | null> {
  const [row] = await selectJobs(db, name, [key], 1);
  return row ? stateOf(row) : null;
}

/** The jobs of a name, by key; the first thousand. */
export async function readJobStates(db: Db, name: string): Promise<JobState[]> {
  return (await selectJobs(db, name, [], KEYS_MAX)).map(stateOf);
}

/** How all jobs are doing, by name. */
export const readJobSummaries = (db: Db): Promise<JobSummary[]> => selectSummaries(db);
