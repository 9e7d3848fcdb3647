import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, inject, it, vi } from "vitest";
import { connectionTo, createTestDatabase } from "#testing/database.ts";
import type { Database } from "./connect.ts";
import { deepErrorCode } from "./errors.ts";
import { isCompatible, lockMigrations, migrate, readMigrations } from "./migrate.ts";

let root: Database;
let folder: string;
let name: string;

beforeAll(async () => {
  root = await createTestDatabase();
});
afterAll(() => root.close());

/** A folder with our migrations and, of a later version, one more. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "migrations-"));
  cpSync(join(import.meta.dirname, "migrations"), folder, { recursive: true });
  name = `empty_${randomUUID().replaceAll("-", "")}`;
  await root.pool.query(`create database ${name}`);
  return async () => {
    await root.pool.query(`drop database ${name} with (force)`);
    rmSync(folder, { recursive: true });
  };
});

const open = () => connectionTo(inject("server"), name);

function addMigration(tag: string, text: string): void {
  const entries = readMigrations(folder).map(({ idx, tag }) => ({ idx, tag }));
  writeFileSync(join(folder, `${tag}.sql`), text);
  const journal = { entries: [...entries, { idx: (entries.at(-1)?.idx ?? 0) + 1, tag }] };
  writeFileSync(join(folder, "meta", "_journal.json"), JSON.stringify(journal));
}

it("brings an empty database up to date once, and a later version further", async () => {
  const opened = open();
  const all = readMigrations().map(({ tag }) => tag);
  expect(await migrate(opened)).toEqual(all);
  expect(await migrate(opened)).toEqual([]);
  addMigration(
    "9999_later",
    "create table later (id integer);\n--> statement-breakpoint\ninsert into later values (7);",
  );
  expect(await isCompatible(opened, folder)).toBe(false);
  expect(await migrate(opened, folder)).toEqual(["9999_later"]);
  expect(await isCompatible(opened, folder)).toBe(true);
  expect((await opened.pool.query("select id from later")).rows).toEqual([{ id: 7 }]);
  await opened.close();
});

it("lets processes that start together migrate without harm", async () => {
  const several = [open(), open(), open()];
  const applied = await Promise.all(several.map((database) => migrate(database)));
  expect(applied.filter((tags) => tags.length > 0)).toHaveLength(1);
  await Promise.all(several.map((database) => database.close()));
});

it("leaves nothing behind of a migration that fails", async () => {
  const opened = open();
  addMigration("9999_broken", "create table half (id integer);\n--> statement-breakpoint\nselect 1/0;");
  await expect(migrate(opened, folder)).rejects.toThrow("division by zero");
  const { rows } = await opened.pool.query(
    "select count(*) as tables from pg_class where relname in ('half', 'projects')",
  );
  expect(rows).toEqual([{ tables: 0 }]);
  await opened.close();
});

it("refuses a database of a newer version, and one made by changed migrations", async () => {
  const opened = open();
  addMigration("9999_later", "select 1;");
  await migrate(opened, folder);
  expect(await isCompatible(opened)).toBe(false);
  await expect(migrate(opened)).rejects.toThrow("this one cannot work with what 9999_later changed");
  writeFileSync(join(folder, "9999_later.sql"), "select 2;");
  await expect(migrate(opened, folder)).rejects.toThrow("a different version of migration 9999_later");
  await opened.close();
});

it("works with a database of a newer version that has only added something, and goes on from there", async () => {
  const opened = open();
  addMigration("9999_more", "-- additive\ncreate table more (id integer);");
  await migrate(opened, folder);
  expect(await isCompatible(opened)).toBe(true);
  expect(await migrate(opened)).toEqual([]);
  expect(
    (await opened.pool.query("select count(*)::int as tables from pg_class where relname = 'more'")).rows,
  ).toEqual([{ tables: 1 }]);
  addMigration("9999_other", "drop table more;");
  await migrate(opened, folder);
  expect(await isCompatible(opened)).toBe(false);
  await opened.close();
});

it("takes a database that an earlier version has migrated as it is", async () => {
  const opened = open();
  await migrate(opened);
  await opened.pool.query("alter table schema_migrations drop column additive");
  expect(await isCompatible(opened)).toBe(true);
  addMigration("9999_later", "select 1;");
  expect(await migrate(opened, folder)).toEqual(["9999_later"]);
  await opened.close();
});

it("does not keep others from working while it migrates", async () => {
  const opened = open();
  await migrate(opened);
  const client = await opened.connect();
  await client.query("begin");
  await lockMigrations(client);
  expect(await isCompatible(opened)).toBe(true);
  await client.end();
  await opened.close();
});

it("gets done although it and a writer wait for each other", async () => {
  const opened = open();
  await migrate(opened);
  await opened.pool.query("create table one (id integer); create table two (id integer)");
  const writer = await opened.connect();
  await writer.query("begin");
  await writer.query("insert into two values (1)");
  addMigration("9999_both", "alter table one add column a integer; alter table two add column a integer");
  const migrating = migrate(opened, folder);
  await vi.waitUntil(
    async () =>
      (await opened.pool.query("select from pg_locks where relation = 'two'::regclass and not granted"))
        .rowCount === 1,
    { timeout: 60_000 },
  );
  // One of them is broken off.
  await writer.query("insert into one values (1)").catch((error: unknown) => {
    expect(deepErrorCode(error)).toBe("40P01");
  });
  await writer.query("commit");
  await writer.end();
  expect(await migrating).toEqual(["9999_both"]);
  expect((await opened.pool.query("select one.a, two.a from one, two")).fields).toHaveLength(2);
  await opened.close();
});

/** What a version that does not know of it cannot notice: new tables, their indexes, and columns that fill themselves. */
const ADDS =
  /^(create (table|index|sequence|function)|alter table \S+ add column|insert into|comment on|do \$\$\s+begin\s+if exists [^;]*create extension)\b/i;

/** It drops empty partitions, and what would have gone there goes to the default partition. */
const DROPS_WHAT_NOBODY_USES = "0029_event_partitions";

it("calls migrations additive only if they are", () => {
  const additive = readMigrations().filter((one) => one.additive && one.tag !== DROPS_WHAT_NOBODY_USES);
  for (const { tag, statements } of additive) {
    const texts = statements.map((statement) => statement.replaceAll(/--.*$/gm, "").trim());
    const made = texts.flatMap((text) => /^create table (\S+)/i.exec(text)?.[1] ?? []);
    for (const text of texts) {
      // An earlier version writes nothing into a table that is new.
      const table = /^(?:create unique index \S+ on|alter table) (\S+)/i.exec(text)?.[1];
      if (table && made.includes(table)) continue;
      expect(text, tag).toMatch(ADDS);
      if (/add column/i.test(text) && /not null/i.test(text)) expect(text, tag).toMatch(/default/i);
    }
  }
});
