import { AsyncLocalStorage } from "node:async_hooks";
import type { Tx } from "./types.ts";

/**
 * Looks at a transaction as it begins. What it returns is called before the transaction commits; what that throws rolls
 * the transaction back.
 */
export type CommitCheck = (tx: Tx) => Promise<() => Promise<void>>;

const inForce = new AsyncLocalStorage<CommitCheck>();
const atEnd = new WeakMap<Tx, () => Promise<void>>();

/** Runs work of which every transaction is checked before it commits. */
export const checkingCommits = <T>(check: CommitCheck, work: () => Promise<T>): Promise<T> =>
  inForce.run(check, work);

/** Whether commits are checked here: every write then has to be in a transaction. */
export const areCommitsChecked = (): boolean => inForce.getStore() !== undefined;

/** Work in a transaction, with the check in force around it. */
export const withCheck =
  <T>(work: (tx: Tx) => Promise<T>) =>
  async (tx: Tx): Promise<T> => {
    const finish = await inForce.getStore()?.(tx);
    if (!finish) return work(tx);
    atEnd.set(tx, finish);
    const result = await work(tx);
    await finish();
    return result;
  };

/** Checks a transaction that will be rolled back as if it were about to commit. */
export const checkAsIfCommitted = async (tx: Tx): Promise<void> => atEnd.get(tx)?.();
