import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { runSerially } from "./background-writer.ts";

let opened = 0;

/**
 * Rows of a query, so many at a time, in a transaction: however many there are, few are in memory. The next ones are
 * on their way while some are worked on, so that other queries wait meanwhile (`runSerially`).
 *
 * @param planned called once the query is planned
 */
export async function* cursorRows<T extends Record<string, unknown>>(
  tx: Db,
  query: SQL,
  count: number,
  planned?: () => Promise<void>,
): AsyncGenerator<T[]> {
  opened += 1;
  const cursor = sql.raw(`experiment_rows_${opened}`);
  await tx.execute(sql`set local cursor_tuple_fraction = 1`);
  await tx.execute(sql`declare ${cursor} no scroll cursor for ${query}`);
  await planned?.();
  const fetch = async () =>
    (await tx.execute(sql`fetch forward ${sql.raw(String(count))} from ${cursor}`)).rows as T[];
  let ahead = runSerially(tx, fetch);
  try {
    for (;;) {
      const rows = await ahead;
      if (rows.length === 0) break;
      ahead = runSerially(tx, fetch);
      // A reader that stops early does not see a failed fetch.
      ahead.catch(() => undefined);
      yield rows;
    }
  } finally {
    await ahead.catch(() => undefined);
  }
  await runSerially(tx, () => tx.execute(sql`close ${cursor}`).then(() => undefined));
}
