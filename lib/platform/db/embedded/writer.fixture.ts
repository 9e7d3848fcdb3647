/**
 * A process that writes until it is killed, for the tests of durability: single rows and transactions of
 * twenty at once. What the database has acknowledged it prints, one id a line, past every buffer of its own.
 */
import { writeSync } from "node:fs";
import { openDatabase } from "#lib/platform/db/connect.ts";

const [dataDir = "", runtimeDir = "", first = "0"] = process.argv.slice(2);
const database = await openDatabase({ dataDir, runtimeDir });
await database.pool.query(
  "create table if not exists written (id bigint primary key, payload text not null)",
);
let next = Number(first);

async function write(rows: number): Promise<never> {
  for (;;) {
    const ids = Array.from({ length: rows }, () => next++);
    try {
      await insert(ids);
      writeSync(1, `${ids.join("\n")}\n`);
    } catch {
      // Not acknowledged: may or may not be there. The next one waits for the server.
    }
  }
}

async function insert(ids: number[]): Promise<void> {
  const client = await database.pool.connect();
  try {
    await client.query("begin");
    for (const id of ids) {
      await client.query("insert into written values ($1, repeat('x', 200))", [id]);
    }
    await client.query("commit");
  } finally {
    client.release();
  }
}

await Promise.all([write(1), write(1), write(20)]);
