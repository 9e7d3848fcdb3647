import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "#lib/platform/db/connect.ts";
import { isCompatible, migrate, readMigrations } from "#lib/platform/db/migrate.ts";
import { runProgram } from "#testing/commands.ts";
import { createTestDatabase } from "#testing/database.ts";
import { backup, tablesOf } from "./backup.ts";
import { restore } from "./restore.ts";

const folder = mkdtempSync(join(tmpdir(), "backup-"));
const file = join(folder, "full.backup");
let database: Database;

/** Everything in it, table by table, as text. */
async function contents(of: Database): Promise<Record<string, string[]>> {
  const client = await of.connect();
  const all: Record<string, string[]> = {};
  for (const { table, columns } of await tablesOf(client)) {
    const kept = columns.map((column) => `"${column}"`).join(", ");
    const { rows } = await client.query<{ row: string }>(
      `select t::text as row from (select ${kept} from "${table}") t order by 1`,
    );
    all[table] = rows.map(({ row }) => row);
  }
  await client.end();
  return all;
}

async function fill(of: Database): Promise<void> {
  await of.pool.query(`
    with o as (insert into organizations (name, slug) values ('O', 'o') returning id),
         p as (insert into projects (organization_id, name, api_token, secret_api_token)
               select id, 'P', 'phc_1', 'phs_1' from o returning id),
         f as (insert into feature_flags (project_id, key, name, filters, tags)
               select id, 'flag', E'tab\\t, newline\\n, backslash \\\\, quote " and \\u00e9\\U0001f600',
                      '{"groups": [ ], "groups2":null}', '{"a b","c,d",NULL}' from p)
    insert into persons (project_id, properties) select id, '{"n": 1e400, "s": "\\\\\\\\N"}' from p, generate_series(1, 300)`);
  await of.pool.query(`
    insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
    select 1, gen_random_uuid(), 'e', 'd' || i, timestamptz '2024-01-01' + i * interval '30 hours',
           jsonb_build_object('text', repeat(md5(i::text), 30))
      from generate_series(1, 3000) i`);
}

beforeAll(async () => {
  database = await createTestDatabase();
  await fill(database);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

it("brings back every row of every table, and the numbers that come next, into another database", async () => {
  const summary = await backup(database, file);
  expect(summary.rows).toBe(3_303);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const noted = await database.pool.query("select file, bytes, rows from backups");
  expect(noted.rows).toEqual([{ file: "full.backup", bytes: statSync(file).size, rows: summary.rows }]);
  const other = await createTestDatabase();
  await other.pool.query("insert into organizations (name, slug) values ('to be replaced', 'x')");
  let dropped = 0;
  other.notifications.onGap(() => dropped++);
  await other.notifications.subscribe("any", () => undefined);
  expect(await restore(other, file)).toEqual(summary);
  expect(await contents(other)).toEqual(await contents(database));
  const next = async (of: Database) =>
    (await of.pool.query("insert into persons (project_id) select id from projects returning id")).rows[0].id;
  expect(await next(other)).toBe(await next(database));
  await expect(other.pool.query("insert into persons (project_id) values (999)")).rejects.toThrow(
    /foreign key/,
  );
  for (const deadline = Date.now() + 60_000; dropped === 0 && Date.now() < deadline; )
    await other.pool.query("select 1");
  expect(dropped).toBe(1);
  await other.close();
});

it("is of one moment although rows are written meanwhile", async () => {
  const other = await createTestDatabase();
  await other.pool.query("create table a (n integer); create table z (n integer)");
  let going = true;
  const writing = (async () => {
    for (let n = 0; going; n++) {
      await other.pool.query(`with x as (insert into a values (${n})) insert into z values (${n})`);
    }
  })();
  const moments = join(folder, "moment.backup");
  for (let i = 0; i < 5; i++) await backup(other, moments);
  going = false;
  await writing;
  await other.pool.query("insert into a values (-1)");
  await restore(other, moments);
  const { rows } = await other.pool.query(
    "select (select array_agg(n order by n) from a) = (select array_agg(n order by n) from z) as same",
  );
  expect(rows).toEqual([{ same: true }]);
  await other.close();
});

it("preserves whose copy of the events is in ClickHouse, and has it made again", async () => {
  const other = await createTestDatabase();
  await other.pool.query("insert into event_history default values");
  await other.pool.query("insert into event_history_positions (project_id, cut) values (1, '7')");
  await other.pool.query(
    "insert into event_history_deletions (project_id, event, before) values (1, 'e', now())",
  );
  const { rows: before } = await other.pool.query("select id, generation from event_history");
  await restore(other, file);
  const { rows: after } = await other.pool.query(`
    select id, generation, (select count(*) from event_history_positions) as positions,
      (select count(*) from event_history_deletions) as deletions from event_history`);
  expect(after).toEqual([
    { id: before[0].id, generation: before[0].generation + 1, positions: 0, deletions: 0 },
  ]);
  await other.close();
});

const whole = () => readFileSync(file);

it.each([
  ["cut short", () => whole().subarray(0, whole().length >> 1)],
  ["cut by one byte", () => whole().subarray(0, -1)],
  ["with a byte changed", () => flipped(whole())],
  ["with a value changed and packed again", () => gzipSync(replaced(gunzipSync(whole()), "phc_1", "phc_2"))],
  [
    "with its last line gone",
    () => gzipSync(gunzipSync(whole()).subarray(0, gunzipSync(whole()).lastIndexOf("\n", -2))),
  ],
  ["with something after its end", () => gzipSync(Buffer.concat([gunzipSync(whole()), Buffer.from("more")]))],
  ["of another program", () => gzipSync("hello\n")],
  ["that is not packed at all", () => Buffer.from("hello")],
  ["that is empty", () => Buffer.alloc(0)],
  ["of a newer format", () => gzipSync(replaced(gunzipSync(whole()), '"version":1', '"version":9'))],
])("refuses a file %s, and changes nothing", async (_, bytes) => {
  const damaged = join(folder, "damaged.backup");
  writeFileSync(damaged, bytes());
  const before = await contents(database);
  await expect(restore(database, damaged)).rejects.toThrow(
    /is not a complete Switchyard backup: .*\. Nothing was changed\.$/,
  );
  expect(await contents(database)).toEqual(before);
});

function flipped(bytes: Buffer): Buffer {
  const at = bytes.length >> 1;
  // All of its bits: packed data has some that mean nothing, but no byte full of them.
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
  return bytes;
}

function replaced(bytes: Buffer, from: string, to: string): Buffer {
  const at = bytes.indexOf(from);
  expect(at).toBeGreaterThan(0);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(to), bytes.subarray(at + from.length)]);
}

it("changes nothing when the rows do not fit, and says when there is no file", async () => {
  const before = await contents(database);
  const other = await createTestDatabase();
  await other.pool.query("create table extra (n integer)");
  const odd = join(folder, "odd.backup");
  await backup(other, odd);
  await other.close();
  await expect(restore(database, odd)).rejects.toThrow(/relation "extra" does not exist/);
  expect(await contents(database)).toEqual(before);
  await expect(restore(database, join(folder, "none"))).rejects.toThrow(/none cannot be read \(ENOENT\)/);
});

it("brings an older backup up to this version, and refuses a newer one", async () => {
  const migrations = join(folder, "migrations");
  cpSync(join(import.meta.dirname, "..", "..", "platform", "db", "migrations"), migrations, {
    recursive: true,
  });
  const entries = readMigrations(migrations).map(({ idx, tag }) => ({ idx, tag }));
  const later = { idx: (entries.at(-1)?.idx ?? 0) + 1, tag: "9999_later" };
  writeFileSync(
    join(migrations, "9999_later.sql"),
    "alter table projects add column later text not null default 'made later'",
  );
  writeFileSync(join(migrations, "meta/_journal.json"), JSON.stringify({ entries: [...entries, later] }));
  const other = await createTestDatabase();
  await migrate(other, migrations);
  await restore(other, file, { folder: migrations });
  expect((await other.pool.query("select name, later from projects")).rows).toEqual([
    { name: "P", later: "made later" },
  ]);
  expect(await isCompatible(other, migrations)).toBe(true);
  const newer = join(folder, "newer.backup");
  await backup(other, newer);
  await other.close();
  await expect(restore(database, newer)).rejects.toThrow(
    /backup of a newer version of Switchyard \(it has 9999_later\)\. Nothing was changed/,
  );
});

it("works from the command line, on the database that the application uses", async () => {
  const run = (program: string, ...args: string[]) =>
    runProgram(database, folder, join(import.meta.dirname, program), ...args);
  const before = await contents(database);
  expect(await run("backup.ts", "by-hand.backup")).toMatchObject({
    code: 0,
    output: expect.stringContaining("rows of"),
  });
  await database.pool.query("truncate events");
  expect(await run("restore.ts", "by-hand.backup")).toMatchObject({ code: 0 });
  const { audit_notes, ...after } = await contents(database);
  expect({ ...after, audit_notes: [] }).toEqual(before);
  expect(audit_notes).toEqual([expect.stringContaining("by-hand.backup,restored")]);
  expect(await run("restore.ts", "missing.backup")).toEqual({
    code: 1,
    output: `${join(folder, "missing.backup")} cannot be read (ENOENT).\n`,
  });
  expect(await run("backup.ts")).toEqual({ code: 2, output: "Usage: npm run backup -- FILE\n" });
  expect(existsSync(join(folder, "by-hand.backup"))).toBe(true);
});
