import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { jobs } from "#lib/platform/db/tables/jobs.ts";

export type JobRow = typeof jobs.$inferSelect;

/** A job that this process works on. */
export type Claim = Pick<JobRow, "name" | "key" | "payload" | "attempts"> & { lease_id: string; now: Date };

const ms = (value: number) => sql`${value}::float8 * interval '1 millisecond'`;
const own = (claim: Pick<Claim, "name" | "key" | "lease_id">) =>
  and(eq(jobs.name, claim.name), eq(jobs.key, claim.key), eq(jobs.lease_id, claim.lease_id));

/** Puts a job in line. One that waits takes the new payload and time; one that runs does so once more afterwards. */
export async function upsertJob(
  db: Db,
  job: { name: string; key: string; payload: unknown; run_at: Date | null },
): Promise<void> {
  const run_at = job.run_at ?? sql`now()`;
  await db
    .insert(jobs)
    .values({ ...job, run_at })
    .onConflictDoUpdate({
      target: [jobs.name, jobs.key],
      set: {
        payload: sql`excluded.payload`,
        run_at: sql`excluded.run_at`,
        again: sql`${jobs.state} = 'running'`,
        state: sql`case when ${jobs.state} = 'running' then 'running' else 'waiting' end`,
        attempts: sql`case when ${jobs.state} = 'running' then ${jobs.attempts} else 0 end`,
      },
    });
}

/** Makes sure that a scheduled job has its row, due at once when it is new, and no later than its next slot. */
export async function ensureScheduled(db: Db, name: string, next: Date): Promise<void> {
  await db
    .insert(jobs)
    .values({ name, key: "", run_at: sql`now()` })
    .onConflictDoUpdate({
      target: [jobs.name, jobs.key],
      set: { state: "waiting", run_at: sql`least(${jobs.run_at}, ${next.toISOString()}::timestamptz)` },
      setWhere: sql`${jobs.state} <> 'running'`,
    });
}

type ClaimedRow = Omit<Claim, "now"> & { now: number };

/**
 * Takes the job that has been due longest: one that waits, or one whose process stopped renewing its lease.
 * Rows that another process is just taking are passed over.
 */
export async function claimJob(
  db: Db,
  names: string[],
  lease: { id: string; ms: number },
): Promise<Claim | null> {
  const { rows } = await db.execute<ClaimedRow>(sql`
    update jobs set state = 'running', lease_id = ${lease.id}, lease_until = now() + ${ms(lease.ms)},
      attempts = attempts + 1, started_at = now(), done = 0, total = 0, failures = '{}', again = false
    where (name, key) = (
      select name, key from jobs
      where name = any(${sql.param(names)}::text[])
        and ((state = 'waiting' and run_at <= now()) or (state = 'running' and lease_until < now()))
      order by run_at, name, key limit 1 for update skip locked
    )
    returning name, key, payload, attempts, lease_id,
      (extract(epoch from now()) * 1000)::float8 as now`);
  const row = rows[0];
  return row ? { ...row, now: new Date(row.now) } : null;
}

/** Milliseconds until something is due; null when nothing is in line. */
export async function selectDelay(db: Db, names: string[]): Promise<number | null> {
  const { rows } = await db.execute<{ delay: number | null }>(sql`
    select (extract(epoch from min(case when state = 'waiting' then run_at else lease_until end) - now())
      * 1000)::float8 as delay
    from jobs where name = any(${sql.param(names)}::text[]) and state in ('waiting', 'running')`);
  return rows[0]?.delay ?? null;
}

/** @returns false when the job is no longer this process's */
export async function renewLease(db: Db, claim: Claim, leaseMs: number): Promise<boolean> {
  const { rowCount } = await db
    .update(jobs)
    .set({ lease_until: sql`now() + ${ms(leaseMs)}` })
    .where(own(claim));
  return (rowCount ?? 0) > 0;
}

export async function storeProgress(
  db: Db,
  claim: Claim,
  progress: Pick<JobRow, "done" | "total" | "failures">,
): Promise<void> {
  await db.update(jobs).set(progress).where(own(claim));
}

/** What became of a run. `run_at`: when next; null where it is over. */
export type Verdict = { error: string | null; run_at: Date | null; failed: boolean };

/** Ends a run, unless the job is no longer this process's. What was requested meanwhile runs next. */
export async function finishJob(db: Db, claim: Claim, { error, run_at, failed }: Verdict): Promise<void> {
  const over = failed ? "failed" : "done";
  const state = run_at ? "waiting" : over;
  await db
    .update(jobs)
    .set({
      state: sql`case when ${jobs.again} then 'waiting' else ${state}::text end`,
      run_at: run_at
        ? sql`case when ${jobs.again} then ${jobs.run_at} else ${run_at.toISOString()}::timestamptz end`
        : jobs.run_at,
      attempts: sql`case when ${jobs.again} or ${error === null} then 0 else ${jobs.attempts} end`,
      again: false,
      lease_id: null,
      lease_until: null,
      last_error: error,
      finished_at: sql`now()`,
    })
    .where(own(claim));
}

/** Gives a job back that was interrupted, as if it had not been tried. */
export async function releaseJob(db: Db, claim: Claim): Promise<void> {
  await db
    .update(jobs)
    .set({
      state: "waiting",
      run_at: sql`case when ${jobs.again} then ${jobs.run_at} else now() end`,
      attempts: sql`${jobs.attempts} - 1`,
      again: false,
      lease_id: null,
      lease_until: null,
    })
    .where(own(claim));
}

export async function selectJobs(db: Db, name: string, keys: string[], limit: number): Promise<JobRow[]> {
  return db
    .select()
    .from(jobs)
    .where(and(eq(jobs.name, name), keys.length > 0 ? inArray(jobs.key, keys) : undefined))
    .orderBy(asc(jobs.key))
    .limit(limit);
}

/** How many jobs of a kind are doing what, and how long the first of them has been due. */
export type JobFigures = {
  name: string;
  waiting: number;
  running: number;
  retrying: number;
  failed: number;
  lag_seconds: number;
};

export async function selectJobFigures(db: Db): Promise<JobFigures[]> {
  const { rows } = await db.execute<JobFigures>(sql`
    select name, count(*) filter (where state = 'waiting')::int as waiting,
      count(*) filter (where state = 'running')::int as running,
      count(*) filter (where state = 'waiting' and attempts > 0)::int as retrying,
      count(*) filter (where state = 'failed')::int as failed,
      coalesce(extract(epoch from now() - min(run_at) filter (where state = 'waiting' and run_at < now())), 0)::float8
        as lag_seconds
    from jobs group by name order by name`);
  return rows;
}

/** Forgets one-off jobs that ended well before a moment. */
export async function deleteDone(db: Db, before: Date): Promise<void> {
  await db
    .delete(jobs)
    .where(and(eq(jobs.state, "done"), sql`${jobs.finished_at} < ${before.toISOString()}::timestamptz`));
}

/** Forgets the jobs of a name that have failed for good. */
export async function deleteFailed(db: Db, name: string): Promise<void> {
  await db.execute(sql`delete from jobs where name = ${name} and state = 'failed'`);
}

export async function deleteJobs(db: Db, name: string): Promise<void> {
  await db.delete(jobs).where(eq(jobs.name, name));
}

export async function retryFailed(db: Db, name: string): Promise<number> {
  const { rowCount } = await db.execute(sql`
    update jobs set state = 'waiting', run_at = now(), attempts = 0
    where name = ${name} and (state = 'failed' or (state = 'waiting' and last_error is not null))`);
  return rowCount ?? 0;
}

/** How the jobs of a name are doing. */
export type JobSummary = {
  name: string;
  waiting: number;
  running: number;
  /** Of those that wait: after a failed try. */
  retrying: number;
  failed: number;
  /** How long the one has waited that should have begun first. */
  late_seconds: number;
  last_error: string | null;
  last_finished_at: Date | null;
  next_run_at: Date | null;
};

export async function selectSummaries(db: Db): Promise<JobSummary[]> {
  const count = (filter: SQL) => sql<number>`(count(*) filter (where ${filter}))::int`;
  const moment = (value: SQL) => sql<Date | null>`${value}`.mapWith(jobs.run_at);
  const hasFailed = sql`${jobs.last_error} is not null and ${jobs.state} <> 'done'`;
  return db
    .select({
      name: jobs.name,
      waiting: count(sql`${jobs.state} = 'waiting'`),
      running: count(sql`${jobs.state} = 'running'`),
      retrying: count(sql`${jobs.state} = 'waiting' and ${jobs.last_error} is not null`),
      failed: count(sql`${jobs.state} = 'failed'`),
      late_seconds: sql<number>`greatest(0, coalesce(extract(epoch from
        now() - min(${jobs.run_at}) filter (where ${jobs.state} = 'waiting')), 0))::int`,
      last_error: sql<
        string | null
      >`(array_agg(${jobs.last_error} order by ${jobs.finished_at} desc nulls last)
        filter (where ${hasFailed}))[1]`,
      last_finished_at: moment(sql`max(${jobs.finished_at})`),
      next_run_at: moment(sql`min(${jobs.run_at}) filter (where ${jobs.state} = 'waiting')`),
    })
    .from(jobs)
    .groupBy(jobs.name)
    .orderBy(asc(jobs.name));
}
