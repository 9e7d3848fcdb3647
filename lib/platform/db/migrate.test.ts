import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, inject, it } from "vitest";
import { connectionTo, createTestDatabase } from "#testing/database.ts";
import type { Database } from "./connect.ts";
import { isCurrent, migrate, readMigrations } from "./migrate.ts";

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
  const journal = { entries: [...entries, { idx: entries.length, tag }] };
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
  expect(await isCurrent(opened, folder)).toBe(false);
  expect(await migrate(opened, folder)).toEqual(["9999_later"]);
  expect(await isCurrent(opened, folder)).toBe(true);
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
  await expect(migrate(opened)).rejects.toThrow(
    "was migrated by a newer version of Switchyard (it has 9999_later)",
  );
  writeFileSync(join(folder, "9999_later.sql"), "select 2;");
  await expect(migrate(opened, folder)).rejects.toThrow("a different version of migration 9999_later");
  await opened.close();
});
