import { randomUUID } from "node:crypto";
import type { Db } from "#lib/platform/db/connect.ts";
import { log } from "#lib/platform/log.ts";
import { counter, histogram } from "#lib/platform/metrics.ts";
import { inBackground } from "#lib/platform/tracing.ts";
import { type AnyJob, backoff, nextSlot } from "./define.ts";
import { JOBS_TOPIC } from "./queue.ts";
import {
  type Claim,
  claimJob,
  deleteDone,
  ensureScheduled,
  finishJob,
  releaseJob,
  renewLease,
  selectDelay,
  storeProgress,
} from "./store.ts";
import { messageOf } from "./work.ts";

/**
 * Runs jobs out of one table. A library was looked at (pg-boss): it brings a schema and migrations of its own, which
 * backup and restore would have to know apart from ours, keeps no progress, and asks each of its queues every other
 * second; with row locks and the notifications we have, what is needed of it is this file and the store.
 */
export type RunnerOptions<R extends { db: Db }> = {
  runtime: R;
  jobs: readonly AnyJob<R>[];
  /** Where jobs work; where requests do unless given. */
  db?: Db;
  /** Of the database's notifications; without it new jobs are found when the runner looks next. */
  subscribe?: (topic: string, handler: () => void) => Promise<unknown>;
  /** Jobs at once in this process. */
  concurrency?: number;
  /** How long a process that has died keeps its jobs. */
  leaseMs?: number;
  /** How long the runner sleeps at most. */
  pollMs?: number;
};

const runs = counter("job_runs_total", "Runs of jobs that came to an end, by how they ended.", [
  "kind",
  "result",
]);
const runTimes = histogram("job_duration_seconds", "How long runs of jobs took.", {
  labelNames: ["kind"] as const,
  buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000],
});

const ATTEMPTS_MAX = 10;
const KEEP_MS = 7 * 86_400_000;
/** How long an interrupted job may take to come to an end when the process stops. */
const STOP_MS = 5_000;
const TROUBLE_MS = 1_000;

/** One process's share of the work. */
class Runner<R extends { db: Db }> {
  readonly #options: Required<Omit<RunnerOptions<R>, "subscribe">>;
  readonly #byName: Map<string, AnyJob<R>>;
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #wake: () => void = () => undefined;
  /** Something happened since the last look. */
  #stirred = false;

  constructor(options: RunnerOptions<R>) {
    const { runtime } = options;
    this.#options = { db: runtime.db, concurrency: 2, leaseMs: 60_000, pollMs: 30_000, ...options };
    this.#byName = new Map(options.jobs.map((job) => [job.name, job]));
    if (this.#byName.size < options.jobs.length) throw new Error("Two jobs have the same name.");
  }

  stir = () => {
    this.#stirred = true;
    this.#wake();
  };

  async loop(): Promise<void> {
    let scheduled = false;
    while (!this.#stopping.signal.aborted) {
      try {
        if (!scheduled) await this.#schedule();
        scheduled = true;
        if (!(await this.#take())) await this.#sleep(await this.#delay());
      } catch (error) {
        // The database is away or trouble: nothing is lost, everything is still in line.
        if (!this.#stopping.signal.aborted) log().warn({ error }, "Jobs are waiting.");
        await this.#sleep(TROUBLE_MS);
      }
    }
  }

  /** Interrupts what runs, and waits a little for it to end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.stir();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    await Promise.race([Promise.allSettled([...this.#running]), patience]);
    clearTimeout(timer);
  }

  async #schedule(): Promise<void> {
    const { db, jobs } = this.#options;
    for (const { name, every, offset } of jobs)
      if (every !== null) await ensureScheduled(db, name, nextSlot({ every, offset }, new Date()));
    await deleteDone(db, new Date(Date.now() - KEEP_MS));
  }

  /** Starts one job that is due; false when there is none, or enough is running. */
  async #take(): Promise<boolean> {
    const { db, concurrency, leaseMs } = this.#options;
    if (this.#running.size >= concurrency) return false;
    this.#stirred = false;
    const lease = { id: randomUUID(), ms: leaseMs };
    const claim = await claimJob(db, [...this.#byName.keys()], lease);
    const job = claim && this.#byName.get(claim.name);
    if (!claim || !job) return false;
    const work: Promise<void> = this.#work(job, claim)
      .catch((error: unknown) => log().warn({ error, job: claim.name }, "A job is left to its lease."))
      .finally(() => {
        this.#running.delete(work);
        this.stir();
      });
    this.#running.add(work);
    return true;
  }

  async #delay(): Promise<number> {
    const { db, concurrency, pollMs } = this.#options;
    if (this.#running.size >= concurrency) return pollMs;
    const delay = (await selectDelay(db, [...this.#byName.keys()])) ?? pollMs;
    return Math.min(pollMs, Math.max(20, delay));
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#stirred || this.#stopping.signal.aborted) {
      this.#stirred = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => undefined;
  }

  /** Runs one job under its lease, and notes what became of it. */
  async #work(job: AnyJob<R>, claim: Claim): Promise<void> {
    const { runtime, db } = this.#options;
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#stopping.signal, lost.signal]);
    const renewing = this.#renew(claim, lost);
    const { key, payload, now } = claim;
    const began = performance.now();
    // The database says when a job is due, so its clock counts and not this machine's.
    const present = () => now.getTime() + performance.now() - began;
    try {
      const store = (progress: Parameters<typeof storeProgress>[2]) => storeProgress(db, claim, progress);
      await inBackground(`job ${job.name}`, { attempt: claim.attempts }, () =>
        job.execute({ runtime, db, now, key, payload, signal, store }),
      );
      runs(job.name, "done").count += 1;
      await finishJob(db, claim, { error: null, run_at: this.#next(job, present()), failed: false });
    } catch (error) {
      if (signal.aborted) return await releaseJob(db, claim);
      const message = messageOf(error);
      log().error({ error, job: claim.name, key: claim.key, attempt: claim.attempts }, "A job failed.");
      runs(job.name, "failed").count += 1;
      const giveUp = job.every === null && claim.attempts >= ATTEMPTS_MAX;
      const run_at = giveUp ? null : this.#retryAt(job, claim.attempts, present());
      await finishJob(db, claim, { error: message, run_at, failed: giveUp });
    } finally {
      clearInterval(renewing);
      runTimes.observe({ kind: job.name }, (performance.now() - began) / 1_000);
    }
  }

  #next({ every, offset }: AnyJob<R>, now: number): Date | null {
    return every === null ? null : nextSlot({ every, offset }, new Date(now));
  }

  #retryAt(job: AnyJob<R>, attempts: number, now: number): Date {
    return new Date(Math.min(now + backoff(attempts), this.#next(job, now)?.getTime() ?? Infinity));
  }

  /** Keeps the lease while the job runs; a lease that is lost, or cannot be renewed in time, ends the work. */
  #renew(claim: Claim, lost: AbortController): NodeJS.Timeout {
    const { db, leaseMs } = this.#options;
    let renewed = performance.now();
    return setInterval(async () => {
      const began = performance.now();
      const held = await renewLease(db, claim, leaseMs).catch(() => null);
      if (held) renewed = began;
      if (held === false || performance.now() - renewed >= leaseMs) lost.abort();
    }, leaseMs / 3);
  }
}

/** Starts working on jobs. @returns stops it: what runs is interrupted, and goes on in another process */
export async function startRunner<R extends { db: Db }>(
  options: RunnerOptions<R>,
): Promise<{ stop: () => Promise<void> }> {
  const runner = new Runner(options);
  await options.subscribe?.(JOBS_TOPIC, runner.stir);
  const looping = runner.loop();
  const stop = async () => {
    await runner.stop();
    await looping;
  };
  return { stop };
}
