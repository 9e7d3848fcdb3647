import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "#lib/platform/db/connect.ts";
import { runProgram } from "#testing/commands.ts";
import { createTestDatabase } from "#testing/database.ts";

const folder = mkdtempSync(join(tmpdir(), "archive-"));
let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(`
    with o as (insert into organizations (name, slug) values ('O', 'o') returning id),
         p as (insert into projects (organization_id, name, api_token, secret_api_token)
               select id, 'P', 'phc_1', 'phs_1' from o returning id)
    insert into events (project_id, uuid, event, distinct_id, timestamp, properties, created_at)
    select id, gen_random_uuid(), 'e', 'd', timestamptz '2024-01-01' + i * interval '12 hours', '{}', '2024-02-01'
      from p, generate_series(0, 3) i`);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) =>
  runProgram(database, folder, join(import.meta.dirname, "archive.ts"), ...args);

it("archives closed days from the command line", async () => {
  const target = join(folder, "by-hand");
  expect(await run("--before", "2024-01-02", "by-hand")).toEqual({
    code: 0,
    output: `1 day with 2 events was written to ${target}; 0 days had not changed.\n`,
  });
  expect(await run("--project", "1", "by-hand")).toEqual({
    code: 0,
    output: `1 day with 2 events was written to ${target}; 1 day had not changed.\n`,
  });
  expect(existsSync(join(target, "project_id=1", "day=2024-01-02", "events.parquet"))).toBe(true);
  await database.pool.query("delete from events where timestamp = '2024-01-01'");
  expect((await run("by-hand")).output).toContain(
    "1 day of the archive has events that the database no longer has, and stayed as archived.",
  );
});

it("fails, but writes the others, where days are only in ClickHouse that it cannot read", async () => {
  await database.pool.query(
    "insert into event_history_kept (project_id, event, day, count, hash) values (1, 'e', '2023-12-31', 3, 7)",
  );
  expect(await run("without-clickhouse")).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^2 days with 3 events were written .*\n2023-12-31 was left out: 3 events are only in ClickHouse, and CLICKHOUSE_URL is not set\.\n$/,
    ),
  });
  await database.pool.query("delete from event_history_kept");
});

it("refuses bad arguments in one line", async () => {
  const usage = "Usage: npm run archive -- [--project N] [--before DAY] FOLDER\n";
  expect(await run()).toEqual({ code: 2, output: usage });
  expect(await run("a", "b")).toEqual({ code: 2, output: usage });
  expect(await run("--folder", "a")).toEqual({ code: 2, output: usage });
  for (const id of ["7", "1e1"])
    expect(await run("--project", id, "a")).toEqual({
      code: 1,
      output: `--project must be the number of a project; there is none with the number "${id}".\n`,
    });
  for (const day of ["2024-02-30", "2999-01-01"])
    expect(await run("--before", day, "a")).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^--before must be a day \(in UTC\) such as .*, which is the latest one possible; it is ".*"\.\n$/,
      ),
    });
  writeFileSync(join(folder, "file"), "");
  expect(await run("file")).toEqual({
    code: 1,
    output: `The archive cannot be written to ${join(folder, "file")} (EEXIST).\n`,
  });
});

it("is not written with a key that does not find the people who were erased", async () => {
  await database.pool.query(`
    insert into erasures (project_id, person_uuid, person_ids, distinct_ids, hashes, removed)
    values (1, gen_random_uuid(), '{}', '{}', '{hash}', '{}')`);
  const { code, output } = await run("other-key");
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(/^People were erased, and only .* is another\.\n$/),
  ]);
  expect(existsSync(join(folder, "other-key"))).toBe(false);
});
