import { type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { createTestDatabase } from "#testing/database.ts";
import { eventOf } from "#testing/events.ts";
import { type Finding, type Rollup, repair, verify } from "./rebuild.ts";
import { createEventWriter } from "./writer.ts";

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  await bootstrap(database.db, {});
});
afterAll(() => database.close());

const NOW = new Date(Date.UTC(2026, 4, 1));
const rowsOf = async (query: SQL) => (await database.db.execute(query)).rows;
const differences = (findings: Finding[]) =>
  Object.fromEntries(findings.filter((f) => f.differences !== 0).map((f) => [f.rollup, f.differences]));

const at = (day: number) => Date.UTC(2026, 0, day);
const sent = (event: string, id: string, day: number, properties = {}) => ({
  ...eventOf(event, id, properties),
  at: at(day),
});

const state = async () => ({
  names: await rowsOf(sql`select name, count::int, last_seen_at from event_definitions order by name`),
  uuids: await rowsOf(sql`select uuid from event_uuids order by uuid`),
  people: await rowsOf(sql`select distinct_id from person_distinct_ids order by distinct_id`),
  properties: await rowsOf(sql`select type, name, count::int from property_definitions order by type, name`),
});

describe("rollups", () => {
  beforeEach(async () => {
    for (const table of ["events", "event_uuids", "event_definitions", "persons"])
      await database.db.execute(sql`delete from ${sql.identifier(table)}`);
    await database.db.execute(sql`delete from property_values`);
    await database.db.execute(sql`delete from property_definitions`);
    await createEventWriter(database.db).write(1, [
      sent("seen", "ann", 1, { $set: { plan: "pro" } }),
      sent("seen", "bob", 3),
      sent("seen", "bob", 2),
      sent("bought", "ann", 4),
    ]);
  });

  it("that the writer keeps are as the events are", async () => {
    const findings = await verify(database.db, []);
    expect(findings.map(({ rollup }) => rollup)).toEqual([
      "event_uuids",
      "person_distinct_ids",
      "event_definitions",
      "property_definitions",
      "property_values",
    ]);
    expect(differences(findings)).toEqual({});
    expect((await state()).names).toMatchObject([
      { name: "bought", count: 1 },
      { name: "seen", count: 3 },
    ]);
  });

  it.each<{ damage: string; by: SQL; found: Record<string, number> }>([
    {
      damage: "another count",
      by: sql`update event_definitions set count = count + 1 where name = 'seen'`,
      found: { event_definitions: 1 },
    },
    {
      damage: "another last moment",
      by: sql`update event_definitions set last_seen_at = now()`,
      found: { event_definitions: 2 },
    },
    {
      damage: "a missing name",
      by: sql`delete from event_definitions where name = 'seen'`,
      found: { event_definitions: 1 },
    },
    {
      damage: "a name without events",
      by: sql`insert into event_definitions (project_id, name, count, last_seen_at) values (1, 'x', 1, now())`,
      found: { event_definitions: 1 },
    },
    { damage: "missing uuids", by: sql`delete from event_uuids`, found: { event_uuids: 4 } },
    {
      damage: "a uuid without an event",
      by: sql`insert into event_uuids (project_id, uuid) values (1, '0190a6d5-0000-7000-8000-000000000001')`,
      found: { event_uuids: 1 },
    },
    {
      damage: "a missing property",
      by: sql`delete from property_definitions where name = 'plan'`,
      found: { property_definitions: 1 },
    },
  ])("with $damage are found and rebuilt", async ({ by, found }) => {
    const right = await state();
    await database.db.execute(by);
    expect(differences(await verify(database.db, []))).toMatchObject(found);
    expect(differences(await repair(database.db, NOW, []))).toEqual({});
    expect(await state()).toEqual(right);
  });

  it("get persons for ids that belong to nobody, as old as their first event", async () => {
    await database.db.execute(sql`delete from persons`);
    expect(differences(await verify(database.db, []))).toMatchObject({ person_distinct_ids: 2 });
    expect(differences(await repair(database.db, NOW, []))).toEqual({});
    const people = await rowsOf(sql`
      select d.distinct_id as id, extract(epoch from p.created_at)::float8 * 1000 as at
      from person_distinct_ids d join persons p on p.id = d.person_id order by 1`);
    expect(people).toEqual([
      { id: "ann", at: at(1) },
      { id: "bob", at: at(2) },
    ]);
  });

  it("of other modules are compared after the others, and rewritten before", async () => {
    let differing = 3;
    const other: Rollup = {
      compare: async () => [{ rollup: "other", differences: differing }],
      rewrite: async () => {
        differing = 0;
      },
    };
    const found = await verify(database.db, [other]);
    expect(found.at(-1)).toEqual({ rollup: "other", differences: 3 });
    expect((await repair(database.db, NOW, [other])).at(-1)).toEqual({ rollup: "other", differences: 0 });
  });

  it("are not written to while they are compared", async () => {
    const writes: Rollup = {
      compare: async (tx) => {
        await tx.execute(sql`delete from event_definitions`);
        return [];
      },
      rewrite: async () => undefined,
    };
    await expect(verify(database.db, [writes])).rejects.toThrow();
    expect(differences(await verify(database.db, []))).toEqual({});
  });
});
