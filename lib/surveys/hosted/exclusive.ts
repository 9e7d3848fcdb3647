import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { lockAnswers } from "./answers-store.ts";

const turns = new WeakMap<Db, Promise<unknown>>();

/**
 * Runs work that must not run twice at once for a survey, in any process. This process runs one at a time,
 * because waiting holds a connection, and waiting must never hold all of them.
 */
export function runExclusively<T>(db: Db, surveyId: string, work: (tx: Db) => Promise<T>): Promise<T> {
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
