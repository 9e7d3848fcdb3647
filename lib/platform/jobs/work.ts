import { DatabaseUnavailable, type Db } from "#lib/platform/db/connect.ts";

const FAILURES_MAX = 100;
const MESSAGE_MAX = 500;
const REPORT_EVERY_MS = 500;

/** What went wrong, without the data it went wrong with: a failed query's own message names its parameters. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, MESSAGE_MAX);
  const inner = error.name === "DrizzleQueryError" || "query" in error ? error.cause : error;
  const text = inner instanceof Error ? inner.message : "A query failed.";
  return text.replaceAll("\0", "").slice(0, MESSAGE_MAX);
}

/** Some items of a job failed; the job's row says which. */
class ItemsFailed extends Error {
  override name = "ItemsFailed";
}

/** What a job's code gets. */
export type JobContext<P = unknown, R = unknown> = {
  runtime: R;
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
   * Works through items one after another. Failures are recorded under the item's key, and the others go on; at
   * the end the job has failed if any item has, and is tried again later.
   *
   * @throws ItemsFailed when an item failed
   */
  each<T>(items: readonly T[], keyOf: (item: T) => string, work: (item: T) => Promise<void>): Promise<void>;
};

type Progress = { done: number; total: number; failures: Record<string, string> };
/** What a run is made of. */
export type Parts<P, R> = Omit<JobContext<P, R>, "report" | "each"> & {
  store: (progress: Progress) => Promise<void>;
};

/** The context of one run; `store` keeps its progress where others can read it. */
export function contextOf<P, R>({ store, ...parts }: Parts<P, R>): JobContext<P, R> {
  const failures: Record<string, string> = {};
  let reported = 0;
  const report = async (done: number, total: number) => {
    const now = performance.now();
    if (done < total && now - reported < REPORT_EVERY_MS) return;
    reported = now;
    await store({ done, total, failures });
  };
  const fail = (key: string, error: unknown) => {
    // The database being away is nothing that an item did.
    if (error instanceof DatabaseUnavailable) throw error;
    if (Object.keys(failures).length < FAILURES_MAX) failures[key] = messageOf(error);
  };
  const each: JobContext["each"] = async (items, keyOf, work) => {
    let failed = 0;
    for (const [index, item] of items.entries()) {
      parts.signal.throwIfAborted();
      await work(item).catch((error: unknown) => {
        failed += 1;
        fail(keyOf(item), error);
      });
      await report(index + 1, items.length);
    }
    if (failed > 0) throw new ItemsFailed(`${failed} of ${items.length} failed.`);
  };
  return { ...parts, report, each };
}
