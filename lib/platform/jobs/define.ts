import type { z } from "zod";
import { contextOf, type JobContext, type Parts } from "./work.ts";

/**
 * A kind of work. It runs at least once: a process may die after the work and before that is noted, so running
 * it twice must do no harm.
 */
export type Job<P = unknown, R = unknown> = AnyJob<R> & {
  run: (context: JobContext<P, R>) => Promise<void>;
};

/** A job as the runner sees it, whatever its payload is. */
export type AnyJob<R = unknown> = {
  name: string;
  /** Milliseconds between runs of a scheduled job; null for one that runs on request. */
  every: number | null;
  /** Milliseconds after each multiple of `every` since 1970 at which it runs. */
  offset: number;
  /** Parses what is stored of the payload and runs. */
  execute: (parts: Parts<unknown, R>) => Promise<void>;
};

type Scheduled<R> = {
  name: string;
  every: number;
  offset?: number;
  run: (context: JobContext<unknown, R>) => Promise<void>;
};
type OneOff<P, R> = {
  name: string;
  payload: z.ZodType<P>;
  run: (context: JobContext<P, R>) => Promise<void>;
};

/** A job that runs every so often, once over all processes. */
export function defineJob<R>(job: Scheduled<R>): Job<unknown, R>;
/** A job that runs when it is enqueued. */
export function defineJob<P, R>(job: OneOff<P, R>): Job<P, R>;
export function defineJob<R>(job: Scheduled<R> | OneOff<unknown, R>): Job<unknown, R> {
  const payload = "payload" in job ? job.payload : undefined;
  const execute = async (parts: Parts<unknown, R>) =>
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
