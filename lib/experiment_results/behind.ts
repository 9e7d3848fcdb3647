const turns = new WeakMap<object, Promise<unknown>>();

/** Runs work on a connection once all that asked before is done: a connection does one thing at a time. */
export function inTurn<T>(connection: object, work: () => Promise<T>): Promise<T> {
  const mine = (turns.get(connection) ?? Promise.resolve()).then(work);
  turns.set(
    connection,
    mine.catch(() => undefined),
  );
  return mine;
}

/**
 * Lets writing go on while the next rows are worked out, one piece of it at a time. What fails is told to whoever
 * writes next, or waits for the end.
 */
export function createBehind(connection: object) {
  let last: Promise<void> = Promise.resolve();
  return {
    async write(work: () => Promise<void>): Promise<void> {
      await last;
      last = inTurn(connection, work);
      last.catch(() => undefined);
    },
    end: (): Promise<void> => last,
  };
}
