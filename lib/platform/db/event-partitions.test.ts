import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { connectionTo, createTestDatabase } from "#testing/database.ts";
import { migrate, readMigrations } from "./migrate.ts";

const TAG = "event_partitions";

it("partitions that are far ahead go, unless they have events", async () => {
  const root = await createTestDatabase();
  const name = `older_${randomUUID().replaceAll("-", "")}`;
  await root.pool.query(`create database ${name}`);
  const opened = connectionTo(inject("server"), name);
  const folder = mkdtempSync(join(tmpdir(), "migrations-"));
  cpSync(join(import.meta.dirname, "migrations"), folder, { recursive: true });
  const all = readMigrations(folder);
  const first = all.findIndex(({ tag }) => tag.endsWith(TAG));
  const entries = all.slice(0, first).map(({ idx, tag }) => ({ idx, tag }));
  writeFileSync(join(folder, "meta", "_journal.json"), JSON.stringify({ entries }));
  await migrate(opened, folder);
  const moments = ["1999-05-05", "2024-02-02", "2026-08-08", "2030-05-05", "2031-12-31"];
  for (const moment of moments)
    await opened.pool.query(
      "insert into events (project_id, uuid, event, distinct_id, timestamp, properties) values (1, gen_random_uuid(), 'a', 'b', $1, '{}')",
      [moment],
    );
  const places = async () => {
    const { rows } = await opened.pool.query(
      "select tableoid::regclass::text as place from events order by timestamp",
    );
    return rows.map(({ place }) => place);
  };
  const before = await places();
  expect(before).toEqual([
    "events_other",
    "events_2024q1",
    "events_2026q3",
    "events_2030q2",
    "events_2031q4",
  ]);
  await migrate(opened);
  expect(await places()).toEqual(before);
  const { rows } = await opened.pool.query("select to_regclass('events_2031q3') as gone");
  expect(rows).toEqual([{ gone: null }]);
  await opened.close();
  await root.pool.query(`drop database ${name} with (force)`);
  await root.close();
  rmSync(folder, { recursive: true });
});
