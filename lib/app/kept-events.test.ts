import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findErasedRows } from "#lib/people/erasures/archived.ts";
import { erasePerson } from "#lib/people/erasures/erase.ts";
import { selectAllErasures, selectUnfinished } from "#lib/people/erasures/store.ts";
import { archiveEvents, removeErased } from "#lib/people/events/archive/archive.ts";
import {
  type HistoryCopy,
  HistoryError,
  openClickHouse,
} from "#lib/people/events/history/clickhouse-store.ts";
import { createHistory } from "#lib/people/events/history/history.ts";
import { restartCopy } from "#lib/people/events/history/outbox-store.ts";
import { findKeptProblem, ship } from "#lib/people/events/history/ship.ts";
import { repairHistory, verifyHistory } from "#lib/people/events/history/verify.ts";
import { deleteOldEvents } from "#lib/people/retention/job.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { type ClickHouse, copiedLine, startClickHouse } from "#testing/clickhouse.ts";
import { readWithDuckDb } from "#testing/duckdb.ts";
import { dying } from "#testing/dying.ts";
import { HOUR, START, startResults, type Told } from "#testing/experiment-results.ts";
import { jobContext } from "#testing/jobs.ts";
import { eventually } from "#testing/processes.ts";
import { verifyAll } from "./verification.ts";

/** Events that left PostgreSQL because of their age, and stay in ClickHouse. */

let clickhouse: ClickHouse;
beforeAll(async () => {
  clickhouse = await startClickHouse();
});
afterAll(() => clickhouse?.stop());

const PROJECT = "/api/projects/1/";
const DAY = 24 * HOUR;
const KEY = Buffer.alloc(32, 7);

/** A copy that can be made to be away. */
function interruptible(copy: HistoryCopy) {
  const state = { away: false };
  const refuse = () => Promise.reject(new HistoryError("ClickHouse cannot be reached (ECONNREFUSED)."));
  return {
    state,
    copy: new Proxy(copy, {
      get: (of, name) => (state.away && name !== "close" ? refuse : Reflect.get(of, name, of).bind(of)),
    }),
  };
}

/** A service with a copy of its own. */
async function startKeeping() {
  const address = await clickhouse.createDatabase();
  const { state, copy } = interruptible(openClickHouse(address));
  const service = await startResults({ copy });
  /** @param day so many after the first */
  const contextOn = (day: number, db: Db = service.db) => ({
    ...jobContext(service.runtime, { now: new Date(START + day * DAY) }),
    db,
  });
  return {
    ...service,
    copy,
    /** The name of its database. */
    database: new URL(address).pathname.slice(1),
    state,
    /** Deletes what is more than a week old on a day. */
    retain: (day: number, db?: Db) => deleteOldEvents.run(contextOn(day, db)),
    async copyAll() {
      const { rows } = await service.db.execute<{ id: string }>(sql`select pg_current_xact_id()::text as id`);
      const isComplete = sql`pg_snapshot_xmin(pg_current_snapshot()) > ${rows[0]?.id}::text::xid8`;
      await eventually(async () => {
        const { rows: found } = await service.db.execute<{ done: boolean }>(
          sql`select ${isComplete} as done`,
        );
        return found[0]?.done || undefined;
      });
      while (await ship(service.db, copy, { limits: { events: 4, bytes: 1_000_000, batches: 2 } }));
    },
    async close() {
      await service.close();
      await copy.close();
    },
  };
}
type Keeping = Awaited<ReturnType<typeof startKeeping>>;
type Service = Omit<Keeping, "copy" | "database" | "state" | "retain" | "copyAll">;

const setRetention = (service: Service, event_retention: unknown) =>
  service.api("PATCH", PROJECT, { event_retention });
const KEEP = { days: 7, by_event: {}, keep_in_clickhouse: true };

async function get(service: Service, path: string) {
  const { status, json, text } = await service.api("GET", PROJECT + path);
  expect(status, text).toBe(200);
  return json;
}

/** Every event of a list, page by page. */
async function listEvents(service: Service, query: string) {
  const found: unknown[] = [];
  for (let path: string | null = `events/?limit=3${query}`; path; ) {
    const { results, next, unreadable } = await get(service, path);
    expect(unreadable).toBeNull();
    found.push(...results);
    path = next?.slice(next.indexOf("events/")) ?? null;
  }
  return found;
}

const stored = async ({ db }: Service) =>
  (
    await db.execute<{ distinct_id: string }>(sql`select distinct_id from events order by timestamp, uuid`)
  ).rows.map(({ distinct_id }) => distinct_id);

const erase = async (service: Service, distinct_ids: string[]) => {
  const { json } = await service.api("POST", `${PROJECT}persons/bulk_delete/`, {
    distinct_ids,
    delete_events: true,
  });
  return json.erasures.map(({ id }: { id: string }) => id) as string[];
};

async function runErasures({ db, runtime }: Service): Promise<void> {
  for (const erasure_id of await selectUnfinished(db))
    await erasePerson.run(jobContext(runtime, { now: new Date(START), payload: { erasure_id } }));
}

/** Ends all erasures. */
async function finish(service: Service & Partial<Pick<Keeping, "copyAll">>): Promise<void> {
  for (;;) {
    await runErasures(service);
    if ((await selectUnfinished(service.db)).length === 0) return;
    await service.copyAll?.();
  }
}

describe("lists, exports, counts and erasures", () => {
  const who = fc.constantFrom("ann", "bob", "cid");
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("send" as const),
        who,
        event: fc.constantFrom("seen", "bought", "$feature_flag_called"),
        day: fc.integer({ min: 0, max: 50 }),
        value: fc.jsonValue({ maxDepth: 1 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("merge" as const), who, other: who }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("erase" as const), who }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("copy" as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("retain" as const),
        day: fc.integer({ min: 8, max: 60 }),
        dies: fc.option(fc.integer({ min: 1, max: 30 })),
      }),
    },
  );
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

  const toldOf = (each: Extract<Step, { kind: "send" | "merge" }>, n: number): Told =>
    each.kind === "merge"
      ? { event: "$create_alias", id: each.who, at: 60 * 24, properties: { alias: each.other } }
      : {
          event: each.event,
          id: each.who,
          at: each.day * 24 + (n % 24),
          properties: { value: each.value, $feature_flag: "beta" },
        };

  const uuidOf = (n: number) => `0190a6d5-0000-7000-8000-${String(n).padStart(12, "0")}`;

  async function sameAnswers(keeping: Keeping, whole: Service): Promise<void> {
    for (const query of [
      "",
      "&event=seen",
      "&feature_flag=beta",
      "&distinct_id=ann",
      "&event=bought&distinct_id=bob",
    ])
      expect(await listEvents(keeping, query), query).toEqual(await listEvents(whole, query));
    const names = async ({ db }: Service) =>
      (await db.execute(sql`select name, count from event_definitions order by 1`)).rows;
    expect(await names(keeping)).toEqual(await names(whole));
    for (const id of ["ann", "bob", "cid"]) {
      const answers = async (service: Service) => {
        const [person] = (await get(service, `persons/?distinct_id=${id}`)).results;
        if (!person) return null;
        const { text } = await service.api("GET", `${PROJECT}persons/${person.id}/export/`);
        const counts = await get(service, `persons/${person.id}/stored/`);
        return [JSON.parse(text).events, counts];
      };
      expect(await answers(keeping)).toEqual(await answers(whole));
    }
  }

  it("are those of a database that keeps everything, wherever retention is broken off", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 30 }), async (steps) => {
        const [keeping, whole] = [await startKeeping(), await startResults()];
        expect((await setRetention(keeping, KEEP)).status).toBe(200);
        let horizon = -1;
        /** Retention in a process that may be killed; it waits while it has to. */
        const retain = async (day: number, dies: number | null = null) => {
          const db = dies === null ? keeping.db : dying(keeping.db, dies);
          await keeping.retain(day, db).catch((error: unknown) => {
            expect(String(error)).toMatch(/wait before they leave PostgreSQL for ClickHouse|killed|failed/);
          });
          const { rows } = await keeping.db.execute<{ before: Date }>(sql`select before from event_horizons`);
          for (const { before } of rows) horizon = Math.max(horizon, (+new Date(before) - START) / DAY);
        };
        const eraseInBoth = async (id: string): Promise<void> => {
          const counts = [];
          for (const service of [keeping, whole]) {
            const [erasure] = await erase(service, [id]);
            await finish(service);
            counts.push(erasure && (await get(service, `erasures/${erasure}/`)).removed.events);
          }
          expect(counts[0]).toBe(counts[1]);
        };
        const take = async (each: Step, n: number): Promise<void> => {
          if (each.kind === "copy") return keeping.copyAll();
          if (each.kind === "retain") return retain(each.day, each.dies);
          if (each.kind === "erase") return eraseInBoth(each.who);
          const told = toldOf(each, n);
          // Others are refused.
          if ((told.at * HOUR) / DAY < horizon) return;
          for (const service of [keeping, whole]) await service.send([{ ...told, uuid: uuidOf(n) }]);
        };
        for (const [n, each] of steps.entries()) await take(each, n);
        await sameAnswers(keeping, whole);
        await keeping.copyAll();
        await keeping.retain(67);
        const { rows: left } = await keeping.db.execute(
          sql`select from events where event <> '$create_alias'`,
        );
        expect(left).toEqual([]);
        await sameAnswers(keeping, whole);
        expect(await verifyHistory(keeping.db, keeping.copy)).toEqual([]);
        expect((await verifyAll(keeping.db, KEY)).filter(({ differences }) => differences > 0)).toEqual([]);
        await keeping.close();
        await whole.close();
      }),
      { numRuns: 6, endOnFailure: true },
    );
  }, 240_000);
});

describe("events of a week that leave PostgreSQL", () => {
  let service: Keeping;
  beforeEach(async () => {
    service = await startKeeping();
    expect((await setRetention(service, KEEP)).status).toBe(200);
    await service.send([
      { event: "seen", id: "ann", at: 0 },
      { event: "seen", id: "bob", at: 24 },
      { event: "bought", id: "ann", at: 40 * 24 },
      { event: "seen", id: "cid", at: 60 * 24 },
    ]);
  });
  afterEach(() => service.close());

  const leave = async () => {
    await service.copyAll();
    await service.retain(50);
    expect(await stored(service)).toEqual(["cid"]);
  };
  const page = (query = "") => get(service, `events/?limit=10${query}`);
  const people = ({ results }: { results: { distinct_id: string }[] }) =>
    results.map(({ distinct_id }) => distinct_id);
  const kept = async () => (await get(service, "event_retention/")).only_in_clickhouse;

  it("are counted as kept, not as deleted, by rows and by partition", async () => {
    await leave();
    const { rows } = await service.db.execute(sql`select from pg_class where relname = 'events_2026q1'`);
    expect(rows).toEqual([]);
    expect(await get(service, "event_retention/")).toMatchObject({
      deleted: 0,
      only_in_clickhouse: 3,
      only_in_clickhouse_days: { from: "2026-03-02", to: "2026-04-11" },
      can_keep_in_clickhouse: true,
    });
    const { json: status } = await service.api("GET", "/api/instance_status/");
    expect(status.only_in_clickhouse).toEqual({
      ...{ events: 3, from: "2026-03-02", to: "2026-04-11" },
      problem: null,
    });
    expect(await page()).toMatchObject({ deleted_before: null, unreadable: null });
    expect(people(await page())).toEqual(["cid", "ann", "bob", "ann"]);
    const { results } = await get(service, "activity_log/?scope=Project");
    expect(results[0].detail.changes).toMatchObject([{ field: "event_retention", after: KEEP }]);
  });

  it("wait until the copy has them, and the job says why", async () => {
    await expect(service.retain(50)).rejects.toThrow(/the copy has to be made again first/);
    service.state.away = true;
    await expect(service.retain(50)).rejects.toThrow(/project 1 wait .* ClickHouse cannot be reached/);
    service.state.away = false;
    await service.copyAll();
    // One that is not copied keeps the others of its name.
    await service.send([{ event: "seen", id: "late", at: 1 }]);
    await expect(service.retain(50)).rejects.toThrow(/some of them have not been copied yet/);
    expect(await stored(service)).toEqual(["ann", "late", "bob", "cid"]);
    await service.copyAll();
    await service.retain(50);
    expect(await stored(service)).toEqual(["cid"]);
    expect(await kept()).toBe(4);
  });

  it("are named by pages, exports and erasures that cannot reach them", async () => {
    await leave();
    const [ann] = (await get(service, "persons/?distinct_id=ann")).results;
    service.state.away = true;
    const unreadable = { from: "2026-03-02", to: "2026-04-11" };
    expect(await page()).toMatchObject({ unreadable, results: [{ distinct_id: "cid" }] });
    expect(await page("&event=bought")).toMatchObject({
      unreadable: { from: "2026-04-11", to: "2026-04-11" },
      results: [],
    });
    expect((await page("&before=2026-03-03T09:00:00Z")).unreadable).toEqual({
      from: "2026-03-02",
      to: "2026-03-03",
    });
    for (const path of ["export", "stored"]) {
      const { status, text } = await service.api("GET", `${PROJECT}persons/${ann.id}/${path}/`);
      expect(status).toBe(503);
      expect(text).toContain("Events from 2026-03-02 to 2026-04-11 are only in ClickHouse");
    }
    const [id] = await erase(service, ["ann"]);
    await runErasures(service);
    expect(await get(service, `erasures/${id}/`)).toMatchObject({ state: "running" });
    expect(await kept()).toBe(3);
    service.state.away = false;
    await finish(service);
    const { state, removed, certificate } = await get(service, `erasures/${id}/`);
    expect([state, removed.events]).toEqual(["finished", 2]);
    expect(JSON.parse(certificate.statement).removed_rows.events).toBe(2);
    expect((await service.copy.page({ project_id: 1, distinct_ids: null, before: null }, 10)).length).toBe(2);
    expect(await verifyHistory(service.db, service.copy)).toEqual([]);
  });

  it("are missed by the comparison if they get lost, and repairs leave what is there", async () => {
    await leave();
    expect(await verifyHistory(service.db, service.copy)).toEqual([]);
    await service.copy.deleteDays(1, [{ day: "2026-03-03", event: "seen" }]);
    const found = await verifyHistory(service.db, service.copy);
    expect(found).toMatchObject([
      { day: "2026-03-03", event: "seen", kept: 1, postgres: null, clickhouse: null },
    ]);
    // Somebody else's event on a day that only the copy has.
    await service.copy.insertEvents([
      copiedLine({
        ...{ project_id: 1, uuid: "0190a6d5-0000-7000-8000-000000000000", distinct_id: "x" },
        timestamp: "2026-03-02 09:00:00",
      }),
    ]);
    const both = await verifyHistory(service.db, service.copy);
    expect(both).toHaveLength(2);
    expect(await repairHistory(service.db, service.copy, both)).toHaveLength(2);
    expect(people(await page())).toEqual(["cid", "ann", "ann", "x"]);
  });

  it("are back after ClickHouse's own backup is restored, and what was copied since is copied again", async () => {
    await leave();
    const { database } = service;
    await clickhouse.query(`BACKUP DATABASE ${database} TO Memory('${database}')`);
    await service.send([{ event: "seen", id: "new", at: 61 * 24 }]);
    await service.copyAll();
    await clickhouse.query(`DROP DATABASE ${database}`);
    await expect(ship(service.db, service.copy)).rejects.toThrow(/ClickHouse answered with error 81/);
    await clickhouse.query(`RESTORE DATABASE ${database} FROM Memory('${database}')`);
    expect(people(await page())).toEqual(["new", "cid", "ann", "bob", "ann"]);
    const found = await verifyHistory(service.db, service.copy);
    expect(found).toMatchObject([{ day: "2026-05-02", event: "seen", kept: 0, clickhouse: null }]);
    expect(await repairHistory(service.db, service.copy, found)).toEqual([]);
    // The copy goes on where it was.
    await service.copyAll();
    expect(await verifyHistory(service.db, service.copy)).toEqual([]);
  });

  it("survive a restored backup, after which the copy is made again", async () => {
    await leave();
    await service.send([{ event: "seen", id: "lost", at: 61 * 24 }]);
    await service.copyAll();
    await service.db.transaction(async (tx) => {
      await tx.execute(sql`delete from events where distinct_id = 'lost'`);
      await restartCopy(tx);
    });
    expect((await page()).unreadable).not.toBeNull();
    await expect(service.retain(65)).rejects.toThrow(/made again first/);
    await service.copyAll();
    expect(people(await page())).toEqual(["cid", "ann", "bob", "ann"]);
    expect(await verifyHistory(service.db, service.copy)).toEqual([]);
  });

  describe("in an archive", () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "archive-"));
      return () => rmSync(folder, { recursive: true });
    });
    const archive = (history = createHistory(service.copy)) =>
      archiveEvents(service.db, {
        ...{ folder, projectId: null, before: "2026-06-01", history },
        now: new Date(Date.now() + HOUR),
      });
    const read = () =>
      readWithDuckDb(
        folder,
        `select uuid::varchar as uuid, event, distinct_id, person_id::varchar as person, day::varchar as day,
          epoch_us(timestamp)::varchar as at, properties::varchar as properties, created_at is null as is_kept
        from EVENTS order by timestamp`,
      );

    it("are among the others, with the same values as before they left", async () => {
      await service.send([
        { event: "seen", id: "bob", at: 50 * 24, properties: { text: 'a\t"\\ é', n: [1, null] } },
      ]);
      const before = await service.db.execute(sql`
        select e.uuid, e.event, e.distinct_id, p.uuid as person, e.timestamp::date::text as day,
          (extract(epoch from e.timestamp) * 1000000)::bigint::text as at, e.properties::text as properties,
          e.distinct_id <> 'cid' as is_kept
        from events e join person_distinct_ids d using (project_id, distinct_id) join persons p on p.id = d.person_id
        order by e.timestamp`);
      await service.copyAll();
      await service.retain(60);
      expect(await stored(service)).toEqual(["cid"]);
      expect(await archive()).toMatchObject({ written: 5, events: 5, unreadable: null });
      expect(await read()).toEqual(before.rows);
      expect(await archive()).toMatchObject({ written: 0, unchanged: 5 });
    });

    it("stay there as they were archived before they left, and lose people who are erased", async () => {
      await archive();
      const before = await read();
      await leave();
      expect(await archive()).toMatchObject({ written: 0, unchanged: 4 });
      expect(await read()).toEqual(before);
      // Another name has more days than this one.
      await service.db.execute(sql`
        insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
        values (1, gen_random_uuid(), 'late', 'dan', '2026-03-02 12:00:00Z', '{}')`);
      expect(await archive()).toMatchObject({ written: 1, events: 2, unchanged: 3, kept: 0 });
      expect((await read()).map((row) => row.distinct_id)).toEqual(["ann", "dan", "bob", "ann", "cid"]);
      await erase(service, ["ann"]);
      await finish(service);
      // In this test, days are archived an hour after now.
      const later = new Date(Date.now() + 2 * HOUR);
      const erasures = (await selectAllErasures(service.db)).map((erasure) => ({
        ...erasure,
        requested_at: later,
        finished_at: later,
      }));
      const erased = findErasedRows(erasures, KEY);
      expect(await removeErased(erased, { folder, projectId: null })).toEqual({ days: 2, events: 2 });
      expect(await archive()).toMatchObject({ written: 0, kept: 0 });
      expect((await read()).map((row) => row.distinct_id)).toEqual(["dan", "bob", "cid"]);
    });

    it("that has more than both databases stay as archived", async () => {
      await archive();
      await service.db.execute(sql`delete from events where distinct_id = 'bob'`);
      await service.send([{ event: "seen", id: "eve", at: 25 }]);
      await leave();
      await service.db.execute(sql`
        insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
        values (1, gen_random_uuid(), 'late', 'dan', '2026-03-03 12:00:00Z', '{}')`);
      expect(await archive()).toMatchObject({ written: 0, kept: 1 });
      expect(await read()).toHaveLength(4);
    });

    it("are named where they cannot be read, and the others are written", async () => {
      await leave();
      const left = { events: 3, first: "2026-03-02", last: "2026-04-11" };
      expect(await archive(createHistory(null))).toMatchObject({
        written: 1,
        unreadable: { ...left, problem: "CLICKHOUSE_URL is not set" },
      });
      service.state.away = true;
      expect(await archive()).toMatchObject({
        unreadable: { ...left, problem: expect.stringContaining("ECONNREFUSED") },
      });
      service.state.away = false;
      expect(await archive()).toMatchObject({ written: 3, unchanged: 1, unreadable: null });
    });
  });

  it("are asked for where the copy is lost or another one, instead of being forgotten", async () => {
    await leave();
    expect(await findKeptProblem(service.db)).toMatch(
      /3 events from 2026-03-02 to 2026-04-11 are only in ClickHouse/,
    );
    const other = openClickHouse(await clickhouse.createDatabase());
    await expect(ship(service.db, other)).rejects.toThrow(
      /without the events that only ClickHouse has \(3 events/,
    );
    // Nothing was changed: with its own copy, all is as it was.
    expect(people(await page())).toEqual(["cid", "ann", "bob", "ann"]);
    await service.copyAll();
    await service.copy.reset([]);
    await expect(ship(service.db, service.copy)).rejects.toThrow(/or restore it/);
    await other.close();
  });

  it("leave the copy, too, once the project does not keep them", async () => {
    await leave();
    // As long as everything is kept, nothing goes.
    await setRetention(service, null);
    await service.retain(50);
    expect(await kept()).toBe(3);
    await setRetention(service, { days: 30, by_event: {} });
    await service.retain(50);
    await service.copyAll();
    expect(people(await page())).toEqual(["cid", "ann"]);
    expect(await get(service, "event_retention/")).toMatchObject({ deleted: 2, only_in_clickhouse: 1 });
    expect((await page()).deleted_before).toBe("2026-04-11T00:00:00.000000Z");
    expect(await verifyHistory(service.db, service.copy)).toEqual([]);
  });
});

it("is refused where nothing is copied", async () => {
  const service = await startResults();
  const { status, json } = await setRetention(service, KEEP);
  expect(status).toBe(400);
  expect(json).toMatchObject({ attr: "event_retention", detail: expect.stringContaining("CLICKHOUSE_URL") });
  expect((await get(service, "")).event_retention).toBeNull();
  expect((await get(service, "event_retention/")).can_keep_in_clickhouse).toBe(false);
  await service.close();
});
