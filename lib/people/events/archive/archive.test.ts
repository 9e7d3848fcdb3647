import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { findErasedRows } from "#lib/people/erasures/archived.ts";
import { createHasher } from "#lib/people/erasures/keys.ts";
import { createHistory } from "#lib/people/events/history/history.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { createTestDatabase } from "#testing/database.ts";
import { readWithDuckDb } from "#testing/duckdb.ts";
import { archiveEvents, removeErased } from "./archive.ts";

const HOUR_MS = 3_600_000;
const NOW = new Date("2026-03-10T12:00:00Z");
const later = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS);

let database: Database;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "archive-"));
  await database.pool.query("truncate events, persons, person_distinct_ids, projects, organizations cascade");
  await database.pool.query(`
    with o as (insert into organizations (name, slug) values ('O', 'o') returning id)
    insert into projects (id, organization_id, name, api_token, secret_api_token)
    select n, id, 'P', 'phc_' || n, 'phs_' || n from o, generate_series(1, 2) n`);
  return () => rmSync(folder, { recursive: true });
});
afterAll(() => database.close());

type Event = {
  project?: number;
  event?: string;
  distinct_id?: string;
  timestamp: string;
  received?: string;
  /** JSON. */
  properties?: string;
};

async function store(...events: Event[]): Promise<void> {
  for (const {
    project = 1,
    event = "e",
    distinct_id = "d",
    timestamp,
    received,
    properties = "{}",
  } of events)
    await database.pool.query(
      `insert into events (project_id, uuid, event, distinct_id, timestamp, properties, created_at)
       values ($1, gen_random_uuid(), $2, $3, $4, $5::jsonb, $6)`,
      [project, event, distinct_id, timestamp, properties, received ?? timestamp],
    );
}

const archive = (options: Partial<Parameters<typeof archiveEvents>[1]> = {}) =>
  archiveEvents(database.db, {
    ...{ folder, projectId: null, before: "2026-03-10", history: createHistory(null), now: NOW },
    ...options,
  });

const duck = (text: string) => readWithDuckDb(folder, text);

const ODD: [string, string][] = [
  ["emoji 🦆, quotes ' \" and \\", `{"text": "🦆 ' \\" \\\\ \\n\\t", "ключ": "значение"}`],
  ["nulls", `{"a": null, "b": [null, {}], "": ""}`],
  [
    "numbers that no double holds",
    `{"big": 123456789012345678901234567890.5, "small": 1e-400, "zero": -0.0}`,
  ],
  ["huge text", `{"text": "${"long é ".repeat(120_000)}"}`],
  ["deep JSON", `{"a": ${'{"a": ['.repeat(60)}1${"]}".repeat(60)}}`],
];

it("writes what DuckDB reads back: every event of closed days with its values", async () => {
  await database.pool.query(`
    with p as (insert into persons (project_id, uuid) values (1, '0196b5a0-0000-7000-8000-000000000001') returning id)
    insert into person_distinct_ids (project_id, distinct_id, person_id) select 1, 'known', id from p`);
  await store(
    ...ODD.map(([event, properties], i) => ({
      event,
      properties,
      distinct_id: i === 0 ? "known" : `${event}'; --`,
      timestamp: `2026-03-0${i + 1}T23:59:59.123456Z`,
      received: `2026-03-0${i + 1}T23:59:59.999999Z`,
    })),
    { timestamp: "1970-01-01T00:00:00Z" },
    { project: 2, timestamp: "2026-03-01T00:00:00Z" },
    { timestamp: "2026-03-10T00:00:00Z" },
  );
  expect(await archive()).toEqual({ ...{ written: 7, events: 7, unchanged: 0, kept: 0 }, unreadable: null });
  const stored = await database.pool.query(`
    select e.project_id::text, e.timestamp::date::text as day, e.uuid::text, e.event, e.distinct_id, p.uuid::text as person_id,
      (extract(epoch from e.timestamp) * 1000000)::bigint::text as timestamp,
      (extract(epoch from e.created_at) * 1000000)::bigint::text as created_at, e.properties::text
    from events e left join person_distinct_ids using (project_id, distinct_id) left join persons p on p.id = person_id
    where e.timestamp < '2026-03-10' order by uuid`);
  const read = await duck(`
    select project_id::varchar as project_id, day::varchar as day, uuid::varchar as uuid, event, distinct_id, person_id::varchar as person_id,
      epoch_us(timestamp)::varchar as timestamp, epoch_us(created_at)::varchar as created_at, properties::varchar as properties
    from EVENTS order by uuid`);
  expect(read).toEqual(stored.rows);
  const types = await duck("select column_name, column_type from (describe select * from EVENTS)");
  expect(types).toEqual(
    Object.entries({
      uuid: "UUID",
      event: "VARCHAR",
      distinct_id: "VARCHAR",
      person_id: "UUID",
      timestamp: "TIMESTAMP WITH TIME ZONE",
      created_at: "TIMESTAMP WITH TIME ZONE",
      properties: "JSON",
      day: "DATE",
      project_id: "BIGINT",
    }).map(([column_name, column_type]) => ({ column_name, column_type })),
  );
  expect(await duck("select properties ->> '$.text' as text from EVENTS where event like 'emoji%'")).toEqual([
    { text: "🦆 ' \" \\ \n\t" },
  ]);
});

it("reads and writes page by page", async () => {
  await database.pool.query(`
    insert into events (project_id, uuid, event, distinct_id, timestamp, properties, created_at)
    select 1, gen_random_uuid(), 'e' || i % 3, 'd', timestamptz '2026-03-01' + (i % 1000) * interval '1 second',
      jsonb_build_object('n', i, 'text', repeat(md5(i::text), case when i % 500 = 0 then 20000 else 1 end)), '2026-03-02'
    from generate_series(1, 12000) i`);
  expect(await archive()).toMatchObject({ written: 1, events: 12_000 });
  expect(
    await duck(
      "select count(*)::int as rows, count(distinct uuid)::int as uuids, sum((properties ->> 'n')::int)::int as sum from EVENTS",
    ),
  ).toEqual([{ rows: 12_000, uuids: 12_000, sum: (12_000 * 12_001) / 2 }]);
});

const dayFile = (day: string, name = "events.parquet") => join(folder, "project_id=1", `day=${day}`, name);

it("writes a day again only when events were added to it", async () => {
  await store({ timestamp: "2026-03-01T10:00:00Z" }, { timestamp: "2026-03-02T10:00:00Z" });
  await archive();
  const [before, inode] = [statSync(dayFile("2026-03-01")), statSync(dayFile("2026-03-02")).ino];
  expect(await archive({ now: later(1) })).toEqual({
    ...{ written: 0, events: 0, unchanged: 2, kept: 0 },
    unreadable: null,
  });
  expect(statSync(dayFile("2026-03-01"))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  await store({ timestamp: "2026-03-01T11:00:00Z", received: later(1).toISOString() });
  expect(await archive({ now: later(1) })).toMatchObject({ written: 0, unchanged: 2 });
  expect(await archive({ now: later(2) })).toEqual({
    ...{ written: 1, events: 2, unchanged: 1, kept: 0 },
    unreadable: null,
  });
  expect(statSync(dayFile("2026-03-02")).ino).toBe(inode);
  expect(await duck("select count(*)::int as rows from EVENTS")).toEqual([{ rows: 3 }]);
});

it("keeps archived events that the database no longer has", async () => {
  await store({ timestamp: "2026-03-01T10:00:00Z", event: "deleted" }, { timestamp: "2026-03-01T11:00:00Z" });
  await store({ timestamp: "2026-03-02T10:00:00Z", event: "deleted" });
  await archive();
  await database.pool.query("delete from events where event = 'deleted'");
  await store({ timestamp: "2026-03-01T12:00:00Z", received: later(1).toISOString() });
  expect(await archive({ now: later(2) })).toEqual({
    ...{ written: 0, events: 0, unchanged: 0, kept: 1 },
    unreadable: null,
  });
  expect(await duck("select count(*)::int as rows from EVENTS")).toEqual([{ rows: 3 }]);
});

it("loses the events of people who were erased, of days that the database has deleted, too", async () => {
  await store(
    ...ODD.map(([event, properties]) => ({
      event,
      properties,
      timestamp: "2026-03-01T23:59:59.123456Z",
      received: "2026-03-01T23:59:59.654321Z",
    })),
    { distinct_id: "gone", timestamp: "2026-03-01T11:00:00Z" },
    { distinct_id: "gone", timestamp: "2026-03-02T11:00:00Z" },
    { distinct_id: "gone", project: 2, timestamp: "2026-03-02T11:00:00Z" },
    { timestamp: "2026-03-03T11:00:00Z" },
  );
  await archive();
  const ALL =
    "select * replace (properties::varchar as properties) from EVENTS where distinct_id = 'd' order by uuid";
  const before = await duck(ALL);
  await database.pool.query("delete from events where project_id = 1");
  const [erasure, key] = [later(1), Buffer.alloc(32, 1)];
  const erasures = [
    {
      ...{ id: "", project_id: 1, person_uuid: "", requested_by_id: null, cut: "1" },
      ...{ person_ids: [], distinct_ids: [], copied_distinct_ids: [], removed: {} },
      ...{ unchanged_experiments: [], events_deleted_before: null },
      hashes: [createHasher(key)(1, "gone")],
      requested_at: erasure,
      finished_at: erasure,
    },
  ];
  const remove = (hours: number) =>
    removeErased(findErasedRows(erasures, key), { folder, projectId: null, now: later(hours) });
  expect(await remove(2)).toEqual({ days: 2, events: 2 });
  expect(await duck("select project_id::int as id from EVENTS where distinct_id = 'gone'")).toEqual([
    { id: 2 },
  ]);
  expect(await duck(ALL)).toEqual(before);
  expect(existsSync(dayFile("2026-03-02"))).toBe(false);
  expect(await archive({ now: later(2) })).toEqual({
    ...{ written: 0, events: 0, unchanged: 1, kept: 0 },
    unreadable: null,
  });
  // Whoever came afterwards is somebody else.
  const back = { distinct_id: "gone", timestamp: "2026-03-04T11:00:00Z" };
  await store({ ...back, received: later(1.5).toISOString() });
  expect(await archive({ now: later(2) })).toMatchObject({ written: 1 });
  expect(await remove(3)).toEqual({ days: 0, events: 0 });
});

it.each([
  ["without its file", () => rmSync(dayFile("2026-03-01"))],
  ["with a file of another size", () => truncateSync(dayFile("2026-03-01"), 50)],
  ["without its manifest", () => rmSync(dayFile("2026-03-01", "_manifest.json"))],
  ["with half a manifest", () => truncateSync(dayFile("2026-03-01", "_manifest.json"), 20)],
])("writes a day again that was left %s", async (_, damage) => {
  await store({ timestamp: "2026-03-01T10:00:00Z" });
  await archive();
  damage();
  expect(await archive()).toMatchObject({ written: 1, unchanged: 0 });
  expect(await duck("select count(*)::int as rows from EVENTS")).toEqual([{ rows: 1 }]);
});

it("leaves only whole files that their owner alone may read, with their checksums", async () => {
  await store({ timestamp: "2026-03-01T10:00:00Z" });
  await archive();
  expect(readdirSync(join(folder, "project_id=1", "day=2026-03-01")).sort()).toEqual([
    "_manifest.json",
    "events.parquet",
  ]);
  const manifest = JSON.parse(readFileSync(dayFile("2026-03-01", "_manifest.json"), "utf8"));
  const bytes = readFileSync(dayFile("2026-03-01"));
  expect(manifest).toMatchObject({
    events: 1,
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  });
  expect(statSync(dayFile("2026-03-01")).mode & 0o777).toBe(0o600);
});

it("writes one project only, up to a day", async () => {
  await store(
    { timestamp: "2026-03-01T10:00:00Z" },
    { timestamp: "2026-03-02T10:00:00Z" },
    { project: 2, timestamp: "2026-03-01T10:00:00Z" },
  );
  expect(await archive({ projectId: 1, before: "2026-03-02" })).toMatchObject({ written: 1 });
  expect(existsSync(dayFile("2026-03-01"))).toBe(true);
});
