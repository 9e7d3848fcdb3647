import { once } from "node:events";
import { createServer } from "node:net";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { withDatabase } from "#lib/platform/db/connection-string.ts";
import { createTestDatabase } from "#testing/database.ts";
import { eventually } from "#testing/processes.ts";
import { setReadOnly } from "#testing/read-only.ts";
import {
  asDatabaseUnavailable,
  connectTo,
  type Database,
  DatabaseUnavailable,
  inTransaction,
  openDatabase,
  STATEMENT_LIMITS_MS,
} from "./connect.ts";
import { tookTooLong } from "./errors.ts";

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query("create table numbers (id integer primary key, value bigint not null)");
});
afterAll(() => database.close());

const value = async (id: number) =>
  (await database.pool.query("select value from numbers where id = $1", [id])).rows[0]?.value;

it("reads counts and big integers as numbers, and works in UTC", async () => {
  const { rows } = await database.db.execute(sql`
    select count(*) as none, 9007199254740991::bigint as most, current_setting('TimeZone') as zone from numbers`);
  expect(rows).toEqual([{ none: 0, most: 9007199254740991, zone: "UTC" }]);
});

it("commits what a transaction did, or none of it", async () => {
  await inTransaction(database.db, (tx) => tx.execute(sql`insert into numbers values (1, 10)`));
  const failing = inTransaction(database.db, async (tx) => {
    await tx.execute(sql`update numbers set value = 11 where id = 1`);
    await inTransaction(tx, (inner) => inner.execute(sql`insert into numbers values (2, 20)`));
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  expect([await value(1), await value(2)]).toEqual([10, undefined]);
});

it("keeps its connections where a transaction cannot begin", async () => {
  const { options, totalCount } = database.pool;
  for (let i = 0; i <= options.max; i++) {
    const impossible = inTransaction(database.db, async () => undefined, { isolationLevel: "none" as never });
    await expect(impossible).rejects.toThrow();
  }
  expect(database.pool.idleCount).toBe(database.pool.totalCount);
  expect(database.pool.totalCount).toBeLessThanOrEqual(Math.max(1, totalCount));
});

it("repeats a transaction that the database broke off for a deadlock", async () => {
  await database.pool.query("insert into numbers values (31, 0), (32, 0)");
  let met = 0;
  let bothHoldOne: () => void = () => undefined;
  const meeting = new Promise<void>((resolve) => {
    bothHoldOne = resolve;
  });
  const add = (first: number, second: number) =>
    inTransaction(database.db, async (tx) => {
      await tx.execute(sql`update numbers set value = value + 1 where id = ${first}`);
      met += 1;
      if (met === 2) bothHoldOne();
      await meeting;
      await tx.execute(sql`update numbers set value = value + 1 where id = ${second}`);
    });
  await Promise.all([add(31, 32), add(32, 31)]);
  expect([await value(31), await value(32)]).toEqual([2, 2]);
  // Usually 3; more where the repeated transaction gets its first row before the other one has woken up.
  expect(met).toBeGreaterThan(2);
});

it("repeats a serializable transaction until it fits in", async () => {
  await database.pool.query("insert into numbers values (41, 0)");
  const increment = () =>
    inTransaction(
      database.db,
      async (tx) => {
        const { rows } = await tx.execute<{ value: number }>(sql`select value from numbers where id = 41`);
        await tx.execute(sql`update numbers set value = ${(rows[0]?.value ?? 0) + 1} where id = 41`);
      },
      { isolationLevel: "serializable" },
    );
  await Promise.all([increment(), increment(), increment()]);
  expect(await value(41)).toBe(3);
});

const disconnectOthers = (like: string) =>
  database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and datname = current_database() and query like $1`,
    [like],
  );

async function untilRunning(like: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const found = await database.pool.query(
      "select 1 from pg_stat_activity where query like $1 and pid <> pg_backend_pid() and datname = current_database()",
      [like],
    );
    if (found.rowCount) return;
  }
  throw new Error(`Nothing like ${like} was running.`);
}

it("fails what was running when a connection breaks as unavailable, and answers the next", async () => {
  const direct = expect(database.pool.query("select pg_sleep(31)")).rejects.toBeInstanceOf(
    DatabaseUnavailable,
  );
  const built = database.db
    .execute(sql`select pg_sleep(32)`)
    .catch((error: unknown) => asDatabaseUnavailable(error));
  const written = expect(
    inTransaction(database.db, (tx) => tx.execute(sql`select pg_sleep(33)`)),
  ).rejects.toBeInstanceOf(DatabaseUnavailable);
  for (const seconds of [31, 32, 33]) await untilRunning(`select pg_sleep(${seconds})`);
  await disconnectOthers("select pg_sleep(%");
  await Promise.all([direct, written]);
  expect(await built).toBeInstanceOf(DatabaseUnavailable);
  expect(await value(1)).toBe(10);
});

it("survives a connection that breaks between two queries of a transaction", async () => {
  const broken = inTransaction(database.db, async (tx) => {
    await tx.execute(sql`select 'waiting here'`);
    await disconnectOthers("select 'waiting here'%");
    await tx.execute(sql`insert into numbers values (50, 1)`);
  });
  await expect(broken).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await value(50)).toBeUndefined();
});

it("tells bad requests and unavailability apart", async () => {
  const duplicate = await database.db
    .execute(sql`insert into numbers values (1, 1)`)
    .catch((error: unknown) => error);
  expect(duplicate).toBeInstanceOf(Error);
  expect(asDatabaseUnavailable(duplicate)).toBeNull();
  expect(asDatabaseUnavailable("no error at all")).toBeNull();
});

describe("while the database is read-only", () => {
  /** Connections that the server has ended leave the pool a little later. */
  const untilNoneIsLeft = () => expect.poll(() => database.pool.totalCount).toBe(0);
  const writes = {
    "a statement": () => database.db.execute(sql`insert into numbers values (60, 1)`),
    "a transaction": () =>
      inTransaction(database.db, (tx) => tx.execute(sql`insert into numbers values (61, 1)`)),
  };
  const refused = async (write: () => Promise<unknown>) =>
    expect(asDatabaseUnavailable(await write().catch((error: unknown) => error))?.message).toBe(
      "The database is unavailable: it is read-only.",
    );

  afterEach(async () => {
    await setReadOnly(database, false);
    await untilNoneIsLeft();
  });

  it.each(Object.entries(writes))(
    "%s that writes is refused without asking the database again",
    async (_, write) => {
      await setReadOnly(database, true);
      await untilNoneIsLeft();
      await refused(write);
      const taken = vi.fn();
      database.pool.on("acquire", taken);
      for (const each of Object.values(writes)) await refused(each);
      expect(taken).not.toHaveBeenCalled();
      database.pool.off("acquire", taken);
      expect(await value(1)).toBe(10);
      const read = inTransaction(database.db, (tx) => tx.execute(sql`select 1`), { accessMode: "read only" });
      await expect(read).resolves.toMatchObject({ rowCount: 1 });
      await setReadOnly(database, false);
      await expect.poll(() => write().then(() => "written", String), { timeout: 20_000 }).toBe("written");
    },
  );
});

it("names an unreachable server without its password", async () => {
  const opening = openDatabase({
    databaseUrl: "postgresql://app:hunter2@127.0.0.1:1/flags",
    dataDir: "/nowhere",
  });
  await expect(opening).rejects.toThrow(
    "PostgreSQL at 127.0.0.1:1/flags cannot be used: connect ECONNREFUSED 127.0.0.1:1.",
  );
});

it("waits for a server that is still starting up", async () => {
  const refusals = [
    ["57P03", "the database system is starting up"],
    ["57P03", "the database system is not yet accepting connections"],
    ["3D000", 'database "flags" does not exist'],
  ];
  const server = createServer((socket) => {
    socket.once("data", () => {
      const [code, message] = refusals.shift() ?? [];
      const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
      const head = Buffer.from("E\0\0\0\0");
      head.writeInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([head, fields]));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const opening = openDatabase({
    databaseUrl: `postgresql://app@127.0.0.1:${port}/flags`,
    dataDir: "/nowhere",
  });
  await expect(opening).rejects.toThrow('cannot be used: database "flags" does not exist.');
  expect(refusals).toEqual([]);
  server.close();
});

describe("time limits", () => {
  const timeoutOn = async (run: (text: string) => Promise<{ rows: unknown[] }>) => {
    const { rows } = await run("select setting::int as ms from pg_settings where name = 'statement_timeout'");
    return (rows as { ms: number }[])[0]?.ms;
  };

  it("every kind of connection has one for statements", async () => {
    const client = await database.connect();
    try {
      expect(await timeoutOn((text) => database.pool.query(text))).toBe(STATEMENT_LIMITS_MS.request);
      expect(await timeoutOn((text) => database.db.execute(text))).toBe(STATEMENT_LIMITS_MS.request);
      const inside = inTransaction(database.db, (tx) => timeoutOn((text) => tx.execute(text)));
      expect(await inside).toBe(STATEMENT_LIMITS_MS.request);
      expect(await timeoutOn((text) => database.jobs.execute(text))).toBe(STATEMENT_LIMITS_MS.job);
      expect(await timeoutOn((text) => client.query(text))).toBe(STATEMENT_LIMITS_MS.command);
    } finally {
      await client.end();
    }
  });

  it("a statement that takes longer is broken off, and the connection is of use again", async () => {
    const slow = inTransaction(database.db, async (tx) => {
      await tx.execute(sql`set local statement_timeout = 20`);
      await tx.execute(sql`select pg_sleep(30)`);
    });
    const error = await slow.catch((thrown: unknown) => thrown);
    expect(tookTooLong(error)).toBe(true);
    expect(await value(1)).toBe(10);
  });

  /** Another pool of the same database, with a single connection for requests. */
  const connectSmall = () => {
    const { host, port, user, connectionString } = database.pool.options;
    const connection = connectionString
      ? { connectionString: withDatabase(connectionString, database.description) }
      : { host, port, user, database: database.description };
    return connectTo({ kind: "server", description: "small", connection, poolSize: 1 });
  };

  it("the end does not wait for a job's long statement", async () => {
    const small = connectSmall();
    const long = small.jobs.execute(sql`select pg_sleep(8) as "long"`).catch(() => undefined);
    await eventually(async () => {
      const { rows } = await database.pool.query(
        `select pid from pg_stat_activity where query like 'select pg_sleep(8) as "long"%'`,
      );
      return rows[0];
    });
    const began = performance.now();
    await small.close();
    expect(performance.now() - began).toBeLessThan(5_000);
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep(8) as "long"%'`,
    );
    await long;
  });

  it("nothing waits longer than a second for a connection", async () => {
    const small = connectSmall();
    const held = await small.pool.connect();
    const began = performance.now();
    const refused = await small.pool.query("select 1").catch(asDatabaseUnavailable);
    expect(refused).toBeInstanceOf(DatabaseUnavailable);
    expect(performance.now() - began).toBeGreaterThan(900);
    // Jobs have their own.
    await small.jobs.execute("select 1");
    held.release();
    expect((await small.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await small.close();
  });
});
