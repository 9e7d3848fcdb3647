import { type Db, inTransaction } from "#lib/db/connect.ts";
import { lockAnswers } from "./begun_store.ts";

const turns = new WeakMap<Db, Promise<unknown>>();

/**
 * Does what must not be done for one survey by two at once, in whichever processes. This process does one such thing
 * at a time: waiting for another one holds a connection, and as many as there are must never be held by waiting.
 */
export function inTurn<T>(db: Db, surveyId: string, work: (tx: Db) => Promise<T>): Promise<T> {
  const run = () =>
    inTransaction(db, async (tx) => {
      await lockAnswers(tx, surveyId);
      return work(tx);
    });
  const turn = (turns.get(db) ?? Promise.resolve()).then(run);
  turns.set(
    db,
    turn.catch(() => undefined),
  );
  return turn;
}
