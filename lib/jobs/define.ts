import type { z } from "zod";
import type { Db } from "#lib/db/connect.ts";
import type { Runtime } from "#lib/runtime.ts";
import { contextOf, type Parts } from "./work.ts";

/** What a job's code gets. */
export type JobContext<P = unknown> = {
  runtime: Runtime;
  db: Db;
  /** When this run began. */
  now: Date;
  key: string;
  payload: P;
  /** Aborted when the process stops or has lost the job to another: stop at the next good moment. */
  signal: AbortSignal;
  /** Tells how far it is, for people who wait. */
  report(done: number, total: number): Promise<void>;
  /**
   * Works through items one after another. What fails is kept under the item's key, and the others go on; at
   * the end the job has failed if any item has, and is tried again later.
   *
   * @throws ItemsFailed when an item failed
   */
  each<T>(items: readonly T[], keyOf: (item: T) => string, work: (item: T) => Promise<void>): Promise<void>;
};

/**
 * A kind of work. It runs at least once: a process may die after the work and before that is noted, so running
 * it twice must do no harm.
 */
export type Job<P = unknown> = AnyJob & { run: (context: JobContext<P>) => Promise<void> };

/** A job as the runner sees it, whatever its payload is. */
export type AnyJob = {
  name: string;
  /** Milliseconds between runs of a scheduled job; null for one that runs when asked for. */
  every: number | null;
  /** Milliseconds after each multiple of `every` since 1970 at which it runs. */
  offset: number;
  /** Parses what is stored of the payload and runs. */
  execute: (parts: Parts<unknown>) => Promise<void>;
};

type Scheduled = {
  name: string;
  every: number;
  offset?: number;
  run: (context: JobContext) => Promise<void>;
};
type OneOff<P> = { name: string; payload: z.ZodType<P>; run: (context: JobContext<P>) => Promise<void> };

/** A job that runs every so often, once over all processes. */
export function defineJob(job: Scheduled): Job;
/** A job that runs when it is enqueued. */
export function defineJob<P>(job: OneOff<P>): Job<P>;
export function defineJob(job: Scheduled | OneOff<unknown>): Job {
  const payload = "payload" in job ? job.payload : undefined;
  const execute = async (parts: Parts<unknown>) =>
    job.run(contextOf({ ...parts, payload: payload ? payload.parse(parts.payload) : parts.payload }));
  const schedule =
    "every" in job ? { every: job.every, offset: job.offset ?? 0 } : { every: null, offset: 0 };
  return { name: job.name, ...schedule, run: job.run, execute };
}

/** The first moment after `now` at which a scheduled job is due. */
export function nextSlot({ every, offset }: { every: number; offset: number }, now: Date): Date {
  const passed = Math.floor((now.getTime() - offset) / every);
  return new Date((passed + 1) * every + offset);
}

const FIRST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 3_600_000;

/** How long to wait after the given number of failed tries, in milliseconds: twice as long each time. */
export const backoff = (attempts: number): number =>
  Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempts - 1, 20));
