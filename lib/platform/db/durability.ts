import type pg from "pg";

/** For connections whose commits do not wait for the disk: what they commit is to be made durable together. */
export const COMMIT_WITHOUT_WAITING = "-c synchronous_commit=off";

/**
 * Makes commits that did not wait for the disk durable: all that wait at a time with one flush. PostgreSQL lets commits
 * that notify others go one by one, each with a flush of its own, which took most of the time of creating flags.
 *
 * @param pool its connections commit with the server's own settings: where those wait for a standby, this waits, too
 * @returns a function that resolves once all that was committed before the call is durable. It throws
 *   DatabaseUnavailable where that is not known
 */
export function createFlush(pool: pg.Pool): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  // A commit is only waited for if it wrote something, and a message without a receiver is the least there is.
  const flush = async () => {
    next = null;
    running = pool.query({ name: "flush", text: "select pg_logical_emit_message(true, 'switchyard', '')" });
    await running;
  };
  return () => {
    next ??= running.then(flush, flush);
    return next;
  };
}
