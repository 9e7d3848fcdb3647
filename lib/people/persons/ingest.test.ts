import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createStaticCohort, readStaticCohorts } from "#lib/people/cohorts/service.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { person_merges, persons } from "#lib/platform/db/tables/events.ts";
import { cohorts } from "#lib/platform/db/tables/feature_flags.ts";
import { addOrganization } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";
import { personChangeOf } from "./changes.ts";
import { insertHashKeys, insertPerson, selectHashKeys } from "./hash-keys-store.ts";
import { ingestPersons, type PersonArrival } from "./ingest.ts";
import { selectDistinctIds, selectPersonByDistinctId } from "./store.ts";

let service: Service;
let away: number;
let clock = Date.parse("2026-03-01T00:00:00Z");

type Sent = {
  event?: string;
  id: string;
  properties?: Record<string, unknown>;
  at?: number;
  project?: number;
};

const set = (id: string, properties: object, more: object = {}): Sent => ({
  id,
  properties: { $set: properties },
  ...more,
});
const identify = (id: string, anonymous: string, properties: object = {}): Sent => ({
  event: "$identify",
  id,
  properties: { $anon_distinct_id: anonymous, $set: properties },
});
const alias = (id: string, other: string): Sent => ({
  event: "$create_alias",
  id,
  properties: { alias: other },
});
const force = (id: string, other: string): Sent => ({
  event: "$merge_dangerously",
  id,
  properties: { alias: other },
});

function arrivalsOf(sent: Sent[], warnings: string[]): PersonArrival[] {
  return sent.map(({ event = "e", id, properties = {}, at, project = 1 }) => {
    clock += 1_000;
    return {
      project_id: project,
      distinct_id: id,
      at: at ?? clock,
      change: personChangeOf({ event, distinct_id: id, properties }),
      warn: (reason) => warnings.push(`${id}: ${reason}`),
    };
  });
}

/** Takes the events of one transaction in. */
async function ingest(...sent: Sent[]) {
  const warnings: string[] = [];
  const arrivals = arrivalsOf(sent, warnings);
  const done = await inTransaction(service.db, (tx) => ingestPersons(tx, arrivals));
  return { ...done, warnings };
}

const find = (id: string, project = 1) => selectPersonByDistinctId(service.db, project, id);
const numberOf = async (id: string) => (await find(id))?.id ?? 0;
const idsOf = async (id: string) => selectDistinctIds(service.db, await numberOf(id));
const seenAt = async (id: string) => {
  const rows = await service.db
    .select({ at: persons.created_at })
    .from(persons)
    .where(eq(persons.id, await numberOf(id)));
  return rows[0]?.at.getTime();
};

beforeAll(async () => {
  service = await startService();
  away = (await addOrganization(service.db, "away")).project.id;
});
afterAll(() => service.close());

describe("persons of new distinct ids", () => {
  it("are made by any event, unidentified and without properties", async () => {
    const { deltas, shrunkCohortsOf, merges, warnings } = await ingest({ id: "new-1" }, { id: "new-1" });
    expect(await find("new-1")).toMatchObject({ properties: {}, is_identified: false });
    expect({ deltas, shrunkCohortsOf, merges, warnings }).toEqual({
      deltas: [],
      shrunkCohortsOf: [],
      merges: [],
      warnings: [],
    });
  });

  it("are made once per project", async () => {
    await ingest({ id: "twin" }, set("twin", { home: "away" }, { project: away }));
    expect(await find("twin")).toMatchObject({ properties: {} });
    expect(await find("twin", away)).toMatchObject({ properties: { home: "away" } });
  });

  it("get what all their events change, in order of arrival, reported as one change", async () => {
    const { deltas } = await ingest(
      { id: "new-2" },
      set("new-2", { plan: "free", age: 30 }),
      { id: "new-3", properties: { $set_once: { plan: "trial" } } },
      { id: "new-2", properties: { $set: { plan: "pro" }, $unset: ["age"] } },
      { id: "new-2", properties: { $set_once: { plan: "none", source: "ad" } } },
    );
    const after = { plan: "pro", source: "ad" };
    expect(await find("new-2")).toMatchObject({ properties: after, is_identified: false });
    expect(deltas).toHaveLength(2);
    expect(deltas).toContainEqual({ project_id: 1, before: {}, after });
    expect(deltas).toContainEqual({ project_id: 1, before: {}, after: { plan: "trial" } });
  });

  it("are identified by $identify, whatever comes after it", async () => {
    await ingest({ event: "$identify", id: "new-4" }, set("new-4", { a: 1 }), set("new-5", { a: 1 }));
    expect(await find("new-4")).toMatchObject({ is_identified: true, properties: { a: 1 } });
    expect(await find("new-5")).toMatchObject({ is_identified: false });
  });

  it("were seen first at their earliest event, also where that arrives late", async () => {
    const [early, late] = [Date.parse("2026-01-01"), Date.parse("2026-02-01")];
    await ingest({ id: "seen", at: late }, { id: "seen", at: early }, { id: "seen", at: late + 1 });
    expect(await seenAt("seen")).toBe(early);
  });

  it("keep what fits where one event would make their properties too large", async () => {
    const { warnings } = await ingest(
      set("big", { a: 1 }),
      set("big", { b: "x".repeat(600_000) }),
      set("big", { c: 3 }),
    );
    expect((await find("big"))?.properties).toEqual({ a: 1, c: 3 });
    expect(warnings).toEqual(["big: The person's properties would become too large."]);
  });
});

describe("persons who are known", () => {
  it("change, and the change is reported with what was before", async () => {
    await ingest(set("known", { plan: "free", age: 3 }));
    const { deltas } = await ingest(set("known", { plan: "pro" }), {
      id: "known",
      properties: { $unset: ["age"] },
    });
    expect((await find("known"))?.properties).toEqual({ plan: "pro" });
    expect(deltas).toEqual([{ project_id: 1, before: { plan: "free", age: 3 }, after: { plan: "pro" } }]);
  });

  it.each<[string, Sent]>([
    ["sets what is there", set("same", { plan: "pro" })],
    ["would only fill what is there", { id: "same", properties: { $set_once: { plan: "x" } } }],
    ["removes what is not there", { id: "same", properties: { $unset: ["age"] } }],
    ["says nothing of the person", { id: "same" }],
  ])("do not change by an event that %s", async (_, sent) => {
    await ingest(set("same", { plan: "pro" }));
    expect((await ingest(sent)).deltas).toEqual([]);
    expect((await find("same"))?.properties).toEqual({ plan: "pro" });
  });

  it("are identified by $identify even if nothing else changes, and stay so", async () => {
    await ingest(set("later", { a: 1 }));
    await ingest({ event: "$identify", id: "later" });
    expect(await find("later")).toMatchObject({ is_identified: true, properties: { a: 1 } });
    await ingest(set("later", { a: 2 }));
    expect(await find("later")).toMatchObject({ is_identified: true, properties: { a: 2 } });
  });

  it("stay as first seen where earlier events arrive later", async () => {
    await ingest({ id: "first", at: Date.parse("2026-02-01") });
    await ingest(set("first", { a: 1 }, { at: Date.parse("2026-01-01") }));
    expect(await seenAt("first")).toBe(Date.parse("2026-02-01"));
  });

  it("take the changes of all their distinct ids in one transaction", async () => {
    await ingest(identify("both", "both-anonymous"));
    const { deltas } = await ingest(
      set("both", { a: 1 }),
      set("both-anonymous", { b: 2 }),
      set("both", { c: 3 }),
    );
    expect((await find("both"))?.properties).toEqual({ a: 1, b: 2, c: 3 });
    expect(deltas).toEqual([{ project_id: 1, before: {}, after: { a: 1, b: 2, c: 3 } }]);
  });

  it("keep the changes of transactions that run at once", async () => {
    await ingest(set("busy", { start: 0 }));
    const names = Array.from({ length: 8 }, (_, n) => `part-${n}`);
    await Promise.all(names.map((name) => ingest(set("busy", { [name]: 1 }))));
    expect(Object.keys((await find("busy"))?.properties ?? {}).sort()).toEqual([...names, "start"]);
  });

  it("wait for a transaction that is changing them, and build on its result", async () => {
    await ingest(set("locked", { start: 0 }));
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = inTransaction(service.db, async (tx) => {
      await ingestPersons(tx, arrivalsOf([set("locked", { slow: 1 })], []));
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const quick = ingest(set("locked", { quick: 1 }));
    const waiting = sql`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    try {
      await expect
        .poll(async () => (await service.db.execute<{ n: number }>(waiting)).rows[0]?.n)
        .toBeGreaterThan(0);
    } finally {
      release.resolve();
      await Promise.all([slow, quick]);
    }
    expect((await find("locked"))?.properties).toEqual({ start: 0, slow: 1, quick: 1 });
  });

  it("are not waited for by an event that changes nothing", async () => {
    await ingest(set("calm", { plan: "pro" }));
    const sent = set("calm", { plan: "pro" });
    await inTransaction(service.db, async (tx) => {
      await ingestPersons(tx, arrivalsOf([set("calm", { slow: 1 })], []));
      await inTransaction(service.db, async (other) => {
        await other.execute(sql`set local lock_timeout = '2s'`);
        expect((await ingestPersons(other, arrivalsOf([sent], []))).deltas).toEqual([]);
      });
    });
    expect((await find("calm"))?.properties).toEqual({ plan: "pro", slow: 1 });
  });
});

describe("a merge", () => {
  it("makes one person of two new ids, with the properties of both", async () => {
    const { merges, warnings } = await ingest(
      set("m1-anonymous", { plan: "free", seen: "page" }),
      identify("m1", "m1-anonymous", { plan: "pro" }),
    );
    expect(await idsOf("m1")).toEqual(["m1", "m1-anonymous"]);
    expect(await find("m1-anonymous")).toMatchObject({
      properties: { plan: "pro", seen: "page" },
      is_identified: true,
    });
    expect(merges).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it("lets the person of the event win, and says who was merged into whom and how properties changed", async () => {
    await ingest(set("m2", { name: "Ann" }), set("m2-anonymous", { name: "?", source: "ad" }));
    const [winner, loser] = [await numberOf("m2"), await numberOf("m2-anonymous")];
    const { merges, deltas, shrunkCohortsOf } = await ingest(identify("m2", "m2-anonymous"));
    const after = { name: "Ann", source: "ad" };
    expect(await find("m2-anonymous")).toMatchObject({ id: winner, properties: after, is_identified: true });
    expect(merges).toEqual([{ loser, winner }]);
    expect(shrunkCohortsOf).toEqual([]);
    expect(deltas).toHaveLength(2);
    expect(deltas).toContainEqual({ project_id: 1, before: { name: "Ann" }, after });
    expect(deltas).toContainEqual({ project_id: 1, before: { name: "?", source: "ad" }, after: {} });
    const stored = await service.db.select().from(person_merges).where(eq(person_merges.loser, loser));
    expect(stored).toMatchObject([{ project_id: 1, loser, winner }]);
    expect(await service.db.select().from(persons).where(eq(persons.id, loser))).toEqual([]);
  });

  it("tells of one who changed first and was merged away then only that they are gone", async () => {
    await ingest(set("m5", { name: "Ann" }), set("m5-anonymous", { page: 1 }));
    const { deltas } = await ingest(set("m5-anonymous", { page: 2 }), identify("m5", "m5-anonymous"));
    expect(deltas).toHaveLength(2);
    expect(deltas).toContainEqual({ project_id: 1, before: { page: 1 }, after: {} });
    expect(deltas).toContainEqual({
      project_id: 1,
      before: { name: "Ann" },
      after: { name: "Ann", page: 2 },
    });
  });

  it.each<[string, Sent]>([
    ["$identify", identify("again", "again-anonymous")],
    ["$create_alias", alias("again", "again-anonymous")],
    ["$merge_dangerously", force("again", "again-anonymous")],
  ])("of the same two ids changes nothing the second time, by %s", async (_, sent) => {
    await ingest(sent);
    const { merges, warnings } = await ingest(sent);
    expect({ merges, warnings }).toEqual({ merges: [], warnings: [] });
    expect(await idsOf("again")).toEqual(["again", "again-anonymous"]);
  });

  it("dates the person back to the earlier of the two", async () => {
    const [early, late] = [Date.parse("2026-01-05"), Date.parse("2026-02-05")];
    await ingest({ id: "m3", at: late }, { id: "m3-anonymous", at: early });
    await ingest(identify("m3", "m3-anonymous"));
    expect(await seenAt("m3")).toBe(early);
    await ingest({ id: "m4", at: early }, { id: "m4-anonymous", at: late });
    await ingest(identify("m4", "m4-anonymous"));
    expect(await seenAt("m4")).toBe(early);
  });

  it.each([
    ["$identify", identify],
    ["$create_alias", alias],
  ])("does not take an identified person away by %s; properties are set all the same", async (name, how) => {
    const [one, other] = [`${name}-one`, `${name}-other`];
    await ingest({ event: "$identify", id: one }, { event: "$identify", id: other });
    const sent = how(one, other);
    const { warnings, merges } = await ingest({
      ...sent,
      properties: { ...sent.properties, $set: { a: 1 } },
    });
    expect(warnings).toEqual([`${one}: The other person is already identified, so they were not merged.`]);
    expect(merges).toEqual([]);
    expect(await find(one)).toMatchObject({ properties: { a: 1 } });
    expect(await idsOf(other)).toEqual([other]);
  });

  it("is forced upon an identified person by $merge_dangerously", async () => {
    await ingest({ event: "$identify", id: "f1" }, { event: "$identify", id: "f2" });
    const { warnings, merges } = await ingest(force("f1", "f2"));
    expect(warnings).toEqual([]);
    expect(merges).toHaveLength(1);
    expect(await idsOf("f1")).toEqual(["f1", "f2"]);
  });

  it("follows others of the same transaction to the last winner", async () => {
    await ingest(set("c1", { one: 1 }), set("c2", { two: 2 }), set("c3", { three: 3 }));
    const [c1, c2, c3] = [await numberOf("c1"), await numberOf("c2"), await numberOf("c3")];
    const { merges } = await ingest(force("c2", "c1"), force("c3", "c2"), set("c1", { late: 1 }));
    expect(merges.toSorted((a, b) => a.loser - b.loser)).toEqual([
      { loser: c1, winner: c3 },
      { loser: c2, winner: c3 },
    ]);
    expect(await idsOf("c3")).toEqual(["c1", "c2", "c3"]);
    expect((await find("c1"))?.properties).toEqual({ one: 1, two: 2, three: 3, late: 1 });
  });

  it("identifies the person who takes over, even if $create_alias asked for it", async () => {
    await ingest(alias("al-1", "al-2"));
    expect(await find("al-2")).toMatchObject({ is_identified: true });
  });

  it("stays within a project", async () => {
    await ingest({ id: "local" }, set("local-anonymous", { home: "away" }, { project: away }));
    await ingest(identify("local", "local-anonymous"));
    expect(await find("local-anonymous", away)).toMatchObject({ properties: { home: "away" } });
    expect(await idsOf("local")).toEqual(["local", "local-anonymous"]);
    expect((await find("local"))?.properties).toEqual({});
  });

  it("leaves out the other's properties where both together would be too large", async () => {
    const half = "x".repeat(300_000);
    await ingest(set("half-1", { one: half }), set("half-2", { two: half }));
    const { warnings } = await ingest(identify("half-1", "half-2", { name: "Ann" }));
    expect(warnings).toEqual(["half-1: The person's properties would become too large."]);
    expect(await idsOf("half-1")).toEqual(["half-1", "half-2"]);
    expect(Object.keys((await find("half-1"))?.properties ?? {}).sort()).toEqual(["name", "one"]);
  });

  it("takes the other's place in static cohorts, which become smaller where both were in", async () => {
    await ingest({ id: "s1" }, { id: "s2" });
    const [s1, s2] = [await numberOf("s1"), await numberOf("s2")];
    const cohortOf = (name: string, person_ids: number[]) =>
      createStaticCohort(service.db, { project_id: 1, name, created_by_id: null, person_ids });
    const both = await cohortOf("both", [s1, s2]);
    const other = await cohortOf("other", [s2]);
    expect((await ingest(identify("s1", "s2"))).shrunkCohortsOf).toEqual([1]);
    expect((await readStaticCohorts(service.db, [s1, s2])).get(s1)).toEqual(new Set([both.id, other.id]));
    const countOf = async (id: number) =>
      (await service.db.select({ count: cohorts.count }).from(cohorts).where(eq(cohorts.id, id)))[0]?.count;
    expect([await countOf(both.id), await countOf(other.id)]).toEqual([1, 1]);
  });

  it("keeps hash keys of flags, the taker's own before the other's", async () => {
    await ingest({ id: "h1" }, { id: "h2" });
    const [h1, h2] = [await numberOf("h1"), await numberOf("h2")];
    const key = (person_id: number, feature_flag_key: string, hash_key: string) => ({
      project_id: 1,
      person_id,
      feature_flag_key,
      hash_key,
    });
    await insertHashKeys(service.db, []);
    await insertHashKeys(service.db, [key(h1, "a", "h1"), key(h2, "a", "h2"), key(h2, "b", "h2")]);
    await insertHashKeys(service.db, [key(h1, "a", "later")]);
    await ingest(identify("h1", "h2"));
    const kept = await selectHashKeys(service.db, 1, [h1, h2]);
    expect(kept.toSorted((a, b) => a.flag_key.localeCompare(b.flag_key))).toEqual([
      { person_id: h1, flag_key: "a", hash_key: "h1" },
      { person_id: h1, flag_key: "b", hash_key: "h2" },
    ]);
    expect(await selectHashKeys(service.db, away, [h1])).toEqual([]);
  });
});

describe("a person for ids that nobody had", () => {
  const count = async () => (await service.db.select({ id: persons.id }).from(persons)).length;
  const now = new Date("2026-03-05T00:00:00Z");

  it("has all of them", async () => {
    await insertPerson(service.db, 1, ["i1", "i2"], now);
    expect(await idsOf("i1")).toEqual(["i1", "i2"]);
    expect(await seenAt("i2")).toBe(now.getTime());
  });

  it("leaves to others what they took meanwhile, and is not made without any id", async () => {
    await ingest({ id: "taken" });
    const before = await count();
    await insertPerson(service.db, 1, ["taken"], now);
    expect(await count()).toBe(before);
    await insertPerson(service.db, 1, ["free", "taken"], now);
    expect(await count()).toBe(before + 1);
    expect(await idsOf("free")).toEqual(["free"]);
    expect(await idsOf("taken")).toEqual(["taken"]);
  });
});
