import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { DatabaseUnavailable, deepErrorCode } from "./errors.ts";

/** How often a database that was read-only is asked whether it still is. */
const ASK_EVERY_MS = 250;

const readOnly = new WeakSet<pg.Pool>();

/**
 * Runs work that writes on a pool's connections. Once the database has refused a write because it is read-only, further
 * writes fail at once, until it accepts them again.
 *
 * @throws DatabaseUnavailable while the database is known to be read-only
 */
export async function unlessReadOnly<T>(pool: pg.Pool, write: () => Promise<T>): Promise<T> {
  if (readOnly.has(pool)) throw new DatabaseUnavailable("The database is unavailable: it is read-only.");
  try {
    return await write();
  } catch (error) {
    if (deepErrorCode(error) === "25006" && !readOnly.has(pool)) {
      readOnly.add(pool);
      void waitUntilWritable(pool);
    }
    throw error;
  }
}

async function waitUntilWritable(pool: pg.Pool): Promise<void> {
  do await delay(ASK_EVERY_MS, undefined, { ref: false });
  while (!pool.ending && (await isReadOnly(pool)));
  readOnly.delete(pool);
}

async function isReadOnly(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect().catch(() => null);
  if (!client) return true;
  let still = true;
  try {
    const { rows } = await client.query<{ state: string }>(
      "select current_setting('transaction_read_only') as state",
    );
    still = rows[0]?.state !== "off";
  } catch {
    // It does not answer, which is found out elsewhere.
  }
  // A connection may keep the state that it was made in: while that is read-only, a new one is asked next time.
  client.release(still);
  return still;
}

const WRITES =
  /\b(?:insert\s+into|update|delete\s+from|truncate|merge\s+into|(?:create|alter|drop)\s+(?:temporary\s+)?table)\b/i;

/** Whether a statement writes or locks rows, judged by its words alone: some reads look like writes. */
export const looksLikeWrite = (text: string): boolean => WRITES.test(text);
