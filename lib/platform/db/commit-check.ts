import { AsyncLocalStorage } from "node:async_hooks";
import type { Tx } from "./types.ts";

/**
 * Looks at a transaction as it begins. What it returns is called before the transaction commits: that throws, which
 * rolls the transaction back, or says what the transaction was let through for.
 */
export type CommitCheck = (tx: Tx) => Promise<AtEnd>;
/** @param isTrial whether what was written is rolled back: it is going to be done later */
type AtEnd = (isTrial: boolean) => Promise<unknown>;

const inForce = new AsyncLocalStorage<CommitCheck>();
const atEnd = new WeakMap<Tx, AtEnd>();

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
    await finish(false);
    return result;
  };

/** Checks what a transaction has done so far, which is rolled back then. @returns what it would be let through for */
export const checkTrial = async (tx: Tx): Promise<unknown> => (await atEnd.get(tx)?.(true)) ?? null;
