import type { Db } from "#lib/platform/db/connect.ts";
import { selectEncryptedFlags, selectKeyCheck, storeKeyCheck } from "./encryption-store.ts";
import { keyCheck, passesKeyCheck } from "./payloads.ts";
import { PAYLOADS, readFlag } from "./stored.ts";

/** Whether a key is the one that a server with this database was last started with. */
export async function isRecordedKey(db: Db, key: Buffer): Promise<boolean> {
  const check = await selectKeyCheck(db);
  return check !== null && passesKeyCheck(check, key);
}

/**
 * Compares the encryption key with the one that stored payloads were encrypted with. Changes nothing.
 *
 * @param source where the key comes from: a variable or a file
 * @returns one sentence for the operator, null where every payload can be read
 */
export async function findEncryptionProblem(db: Db, key: Buffer, source: string): Promise<string | null> {
  if (await isRecordedKey(db, key)) return null;
  const flags = await selectEncryptedFlags(db);
  const affected = flags.filter((flag) => readFlag(flag, key).unreadable_fields.includes(PAYLOADS)).length;
  if (affected === 0) return null;
  const payloads = affected === 1 ? "payload of 1 flag was" : `payloads of ${affected} flags were`;
  return `The encrypted ${payloads} encrypted with a different key than the one in ${source}: until you restore the previous key and restart, or save ${affected === 1 ? "that payload" : "those payloads"} again, SDKs get a placeholder instead; everything else works.`;
}

/** Records a key that can read every payload as the one that later starts are compared with. */
export const recordKey = (db: Db, key: Buffer): Promise<void> => storeKeyCheck(db, keyCheck(key));
