const queues = new WeakMap<object, Promise<unknown>>();

/** Runs work on a connection after all earlier work: a connection does one thing at a time. */
export function runSerially<T>(connection: object, work: () => Promise<T>): Promise<T> {
  const mine = (queues.get(connection) ?? Promise.resolve()).then(work);
  queues.set(
    connection,
    mine.catch(() => undefined),
  );
  return mine;
}

/**
 * Writes in the background while the next rows are computed, one piece at a time. A failure is thrown to whoever
 * writes next, or waits for the end.
 */
export function createBackgroundWriter(connection: object) {
  let last: Promise<void> = Promise.resolve();
  return {
    async write(work: () => Promise<void>): Promise<void> {
      await last;
      last = runSerially(connection, work);
    },
    end: (): Promise<void> => last,
  };
}
