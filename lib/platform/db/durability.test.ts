import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { type Database, DatabaseUnavailable, inTransaction, openDatabase } from "./connect.ts";
import { createFlush } from "./durability.ts";

let database: Database;
const folder = mkdtempSync(join(tmpdir(), "durability-"));

beforeAll(async () => {
  // The server's own user must get through to what lies below.
  chmodSync(folder, 0o755);
  database = await openDatabase({
    dataDir: folder,
    runtimeDir: inject("server").runtimeDir,
    // Nothing but a flush of ours writes to the disk, and nothing but our statements is to be written.
    settings: { wal_writer_delay: "10s", autovacuum: "off" },
  });
  await database.pool.query("create table numbers (id integer primary key)");
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

type Position = { position: string };

const isDurable = async (rows: Position[]) => {
  const statement = "select pg_current_wal_flush_lsn() > $1::pg_lsn as durable";
  return (await database.pool.query(statement, [rows[0]?.position])).rows[0].durable;
};

it("a statement that writes is durable once it resolves", async () => {
  for (let id = 1; id <= 5; id++) {
    const statement = "insert into numbers values ($1) returning pg_current_wal_insert_lsn() as position";
    expect(await isDurable((await database.pool.query<Position>(statement, [id])).rows)).toBe(true);
  }
});

it.each(["db", "jobs"] as const)(
  "a transaction of %s that writes is durable once it resolves",
  async (pool) => {
    for (let id = 11; id <= 15; id++) {
      const { rows } = await inTransaction(database[pool], async (tx) => {
        await tx.execute(sql`delete from numbers where id = ${id}`);
        return tx.execute<Position>(
          sql`insert into numbers values (${id}) returning pg_current_wal_insert_lsn() as position`,
        );
      });
      expect(await isDurable(rows)).toBe(true);
    }
  },
);

it("a transaction that only reads writes nothing to the disk", async () => {
  const position = async () =>
    (await database.pool.query("select pg_current_wal_insert_lsn() as position")).rows[0].position;
  const before = await position();
  await inTransaction(database.db, (tx) => tx.execute(sql`select count(*) from numbers`));
  expect(await position()).toBe(before);
});

it("one flush serves all that wait, but not who comes after it began", async () => {
  const flush = createFlush(database.pool);
  const query = vi.spyOn(database.pool, "query");
  const waiting = Array.from({ length: 50 }, () => flush());
  await vi.waitUntil(() => query.mock.calls.length > 0);
  const later = Array.from({ length: 50 }, () => flush());
  await Promise.all([...waiting, ...later]);
  expect(query).toHaveBeenCalledTimes(2);
  query.mockRestore();
});

it("a flush that fails is reported, and the next one is made all the same", async () => {
  const flush = createFlush(database.pool);
  const query = vi.spyOn(database.pool, "query");
  query.mockImplementationOnce(() => Promise.reject(new DatabaseUnavailable("It went away.")));
  await expect(flush()).rejects.toBeInstanceOf(DatabaseUnavailable);
  query.mockRestore();
  await expect(flush()).resolves.toBeUndefined();
});
