import { inspect } from "node:util";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createRuntime } from "#lib/app/runtime.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import { beginErasure, erasePerson } from "#lib/people/erasures/erase.ts";
import { selectErasure } from "#lib/people/erasures/store.ts";
import { hasGone, noteGone, selectGone } from "#lib/people/event_deletions/store.ts";
import type { IngestEvent } from "#lib/people/events/event.ts";
import { type EventFilter, selectEvents } from "#lib/people/events/store.ts";
import { createEventWriter } from "#lib/people/events/writer.ts";
import { selectPersonByDistinctId } from "#lib/people/persons/store.ts";
import { createPartition, dropPartition } from "#lib/people/retention/partitions-store.ts";
import { deleteOldest } from "#lib/people/retention/store.ts";
import type { Database, Db } from "#lib/platform/db/connect.ts";
import { log } from "#lib/platform/log.ts";
import { addOrganization } from "#testing/accounts.ts";
import { type ClickHouse, copiedLine, startClickHouse } from "#testing/clickhouse.ts";
import { createTestDatabase } from "#testing/database.ts";
import { eventOf } from "#testing/events.ts";
import { jobContext } from "#testing/jobs.ts";
import { eventually } from "#testing/processes.ts";
import { type HistoryCopy, openClickHouse } from "./clickhouse-store.ts";
import { createTables, type Layout } from "./ddl.ts";
import { createHistory } from "./history.ts";
import { lockCopy, restartCopy, selectIdentity } from "./outbox-store.ts";
import { postgresHistory } from "./postgres-store.ts";
import { copyHistory, fold, ship } from "./ship.ts";
import { repairHistory, verifyHistory } from "./verify.ts";

let database: Database;
let clickhouse: ClickHouse;
let copy: HistoryCopy;
beforeAll(async () => {
  database = await createTestDatabase();
  await bootstrap(database.db, {});
  clickhouse = await startClickHouse();
  copy = openClickHouse(await clickhouse.createDatabase());
});
afterAll(async () => {
  await copy?.close();
  await clickhouse?.stop();
  await database?.close();
});

let project = 0;
const newProject = async () => {
  // Nothing of the one before is copied or compared.
  await database.db.execute(sql`delete from projects`);
  await copy.reset([]);
  project = (await addOrganization(database.db, uuidv7())).project.id;
};
beforeEach(newProject);

const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2025, 10, 28);
const NOW = new Date(Date.UTC(2026, 4, 1));
const ALWAYS = () => ({ project_id: project, from: 0, to: Date.UTC(2100, 0) });

type Options = { day?: number; properties?: Record<string, unknown> };
const sent = (event: string, id: string, { day = 0, properties = {} }: Options = {}): IngestEvent => ({
  ...eventOf(event, id, properties),
  at: FIRST + day * DAY_MS,
});
/** Transactions of other suites on the same server keep what was just stored from being complete. */
async function untilComplete(): Promise<void> {
  const { rows } = await database.db.execute<{ id: string }>(sql`select pg_current_xact_id()::text as id`);
  const isComplete = sql`pg_snapshot_xmin(pg_current_snapshot()) > ${rows[0]?.id}::text::xid8`;
  await eventually(async () => {
    const { rows: found } = await database.db.execute<{ done: boolean }>(sql`select ${isComplete} as done`);
    return found[0]?.done || undefined;
  });
}

async function write(...events: IngestEvent[]): Promise<void> {
  await createEventWriter(database.db).write(project, events);
  await untilComplete();
}
const merge = (winner: string, loser: string) =>
  write(sent("$create_alias", winner, { properties: { alias: loser } }));

/** Deletes events as an erasure does. */
const erase = (distinctId: string) =>
  database.db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ uuid: string; at: number }>(sql`
      delete from events where project_id = ${project} and distinct_id = ${distinctId}
      returning uuid, (extract(epoch from timestamp) * 1000)::float8 as at`);
    await noteGone(tx, project, rows);
  });

const SMALL = { events: 3, bytes: 1_000_000, batches: 2 };
async function shipEverything(limits = SMALL) {
  await untilComplete();
  while (await ship(database.db, copy, { limits, now: NOW }));
}

const filterOf = (filter: Partial<EventFilter> = {}): EventFilter => ({
  project_id: project,
  distinct_ids: null,
  before: null,
  ...filter,
});

const stores = () => [postgresHistory(database.db), copy] as const;

/** What both stores say, where they say the same. */
async function bothSay<T>(read: (store: ReturnType<typeof stores>[number]) => Promise<T>): Promise<T> {
  const [postgres, copied] = await Promise.all(stores().map(read));
  expect(copied).toEqual(postgres);
  return postgres as T;
}

const days = () => bothSay((store) => store.days(ALWAYS()));

describe("the tables", () => {
  it.each<Layout>([{ kind: "single" }, { kind: "replicated" }, { kind: "sharded", cluster: "events" }])(
    "are statements that ClickHouse reads, for %j",
    async (layout) => {
      for (const statement of createTables(layout))
        expect(await clickhouse.query(`EXPLAIN AST ${statement}`)).toMatch(/CreateQuery/);
    },
  );

  it("of a cluster have events in shards, and whose they are on each of them", () => {
    const statements = createTables({ kind: "sharded", cluster: "events" });
    const engineOf = (table: string) =>
      statements.flatMap((text) =>
        text.includes(` ${table} ON CLUSTER events`) ? /ENGINE = .*/.exec(text) : [],
      );
    expect(engineOf("events_local").join()).toMatch(
      /^ENGINE = ReplicatedReplacingMergeTree\('[^']*\{shard\}/,
    );
    expect(engineOf("events").join()).toMatch(
      /^ENGINE = Distributed\(events, .*cityHash64\(distinct_id\)\)$/,
    );
    expect(engineOf("person_overrides").join()).not.toMatch(/\{shard\}\//);
  });
});

describe("both stores", () => {
  it.each<[string, Partial<EventFilter>, number]>([
    ["everything", {}, 8],
    ["an event", { event: "seen" }, 4],
    ["somebody", { distinct_ids: ["ann", "bob"] }, 4],
    ["nobody", { distinct_ids: [] }, 0],
    ["an event of somebody", { distinct_ids: ["ann"], event: "seen" }, 2],
    ["calls of a flag", { feature_flag: "beta" }, 1],
    ["calls of a flag that is no text", { feature_flag: "7" }, 1],
    ["a name with quotes", { event: 'it\'s \\ "quoted"' }, 1],
    ["what is before a moment", { before: { at: FIRST + 2 * DAY_MS, uuid: null } }, 4],
    ["ids that a line of text would break at", { distinct_ids: ["tab\t, line\n\r, \\N\\"] }, 1],
  ])("list %s alike", async (_name, filter, count) => {
    await write(
      sent("seen", "ann", { properties: { text: 'é\n\t"\\ 😀', none: null, "a.b": { c: [] }, big: 1e300 } }),
      sent("seen", "bob", { day: 1 }),
      sent("seen", "ann", { day: 40 }),
      sent("seen", "cid", { day: 1 }),
      // With a number that ClickHouse itself cannot read.
      {
        ...sent("$feature_flag_called", "cid", { day: 2 }),
        json: `{ "$feature_flag": "beta", "huge": ${"123456789".repeat(9)} }`,
      },
      sent("$feature_flag_called", "cid", { day: 2, properties: { $feature_flag: 7 } }),
      sent('it\'s \\ "quoted"', "bob", { day: 1 }),
      sent("odd", "tab\t, line\n\r, \\N\\", { day: 50, properties: { "\\": "\\n\t" } }),
    );
    await shipEverything();
    expect(await bothSay((store) => store.page(filterOf(filter), 100))).toHaveLength(count);
    await days();
  });

  it("page alike, also through events of one moment", async () => {
    await write(...Array.from({ length: 7 }, (_, n) => sent("seen", `p${n}`)));
    await shipEverything();
    const seen: string[] = [];
    for (let before: EventFilter["before"] = { at: FIRST + 99 * DAY_MS, uuid: null }; ; ) {
      const page = await bothSay((store) => store.page(filterOf({ before }), 2));
      seen.push(...page.map(({ uuid }) => uuid));
      const last = page.at(-1);
      if (!last || page.length < 2) break;
      before = { at: last.timestamp, uuid: last.uuid };
    }
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
  });

  const people = ["ann", "bob", "cid", "dan"];
  const person = fc.constantFrom(...people);
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("send" as const),
        who: person,
        event: fc.constantFrom("seen", "bought"),
        day: fc.integer({ min: 0, max: 70 }),
        value: fc.jsonValue({ maxDepth: 2 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("send again" as const), which: fc.nat(20) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("merge" as const), who: person, other: person }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("erase" as const), who: person }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("ship" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("fold" as const) }) },
  );
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

  /** @param before the events sent so far */
  async function take(each: Step, before: IngestEvent[]): Promise<unknown> {
    if (each.kind === "merge") return merge(each.who, each.other);
    if (each.kind === "erase") return erase(each.who);
    if (each.kind === "ship") return ship(database.db, copy, { limits: SMALL, now: NOW });
    if (each.kind === "fold") return fold(database.db, copy, NOW);
    if (each.kind === "send again") return write(...before.slice(each.which, each.which + 1));
    const event = sent(each.event, each.who, { day: each.day, properties: { value: each.value } });
    before.push(event);
    return write(event);
  }

  it("have the same figures, whatever was sent, sent again, late, merged or erased in between", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        await newProject();
        const before: IngestEvent[] = [];
        for (const each of steps) await take(each, before);
        await shipEverything();
        await days();
        await bothSay((store) => store.page(filterOf(), 100));
      }),
      { numRuns: 12 },
    );
  });
});

/** Ends as a process does that is killed: before or after the nth thing that it does to either database took effect. */
function dying(nth: number, after: boolean): { db: Db; copy: HistoryCopy; calls: () => number } {
  let calls = 0;
  const interrupt = <T extends object>(target: T, methods: readonly string[]): T =>
    new Proxy(target, {
      get(of, name) {
        const method = Reflect.get(of, name, of);
        if (typeof method !== "function") return method;
        if (!methods.includes(String(name))) return method.bind(of);
        return async (...args: unknown[]) => {
          calls += 1;
          const dies = calls === nth;
          if (dies && !after) throw new Error("killed");
          const result = await method.apply(of, args);
          if (dies) throw new Error("killed");
          return result;
        };
      },
    });
  return {
    db: interrupt(database.db, ["execute"]),
    copy: interrupt(copy, [
      "identity",
      "reset",
      "identify",
      "insertEvents",
      "insertOverrides",
      "deleteEvents",
      "foldOverrides",
    ]),
    calls: () => calls,
  };
}

describe("copying", () => {
  it.each([false, true])(
    "neither loses nor doubles anything, wherever it is broken off (after the step: %s)",
    async (after) => {
      for (let nth = 1, done = false; !done; nth += 1) {
        await newProject();
        await write(sent("seen", `a${nth}`), sent("seen", `b${nth}`), sent("bought", `b${nth}`, { day: 45 }));
        await shipEverything();
        await write(sent("seen", `c${nth}`, { day: 33 }), sent("seen", `a${nth}`, { day: 2 }));
        await merge(`a${nth}`, `b${nth}`);
        await erase(`c${nth}`);
        await write(sent("bought", `c${nth}`));
        const killed = dying(nth, after);
        try {
          while (await ship(killed.db, killed.copy, { limits: SMALL, now: NOW }));
        } catch (error) {
          expect(error).toEqual(new Error("killed"));
        }
        done = killed.calls() < nth;
        await shipEverything();
        const figures = await days();
        const total = figures.reduce((sum, { count }) => sum + count, 0);
        expect(total).toBe(6);
      }
    },
  );

  it("stores a batch once that comes twice, without the help of merges", async () => {
    await write(sent("seen", "ann"), sent("seen", "bob"));
    await shipEverything();
    const { rows } = await database.db.execute<{ uuid: string; at: string }>(
      sql`select uuid, to_char(timestamp, 'YYYY-MM-DD HH24:MI:SS.US') as at from events where project_id = ${project}`,
    );
    const events = rows.map(({ uuid, at }) =>
      copiedLine({ project_id: project + 500_000, uuid, timestamp: at }),
    );
    const token = uuidv7();
    await copy.insertEvents(events, token);
    await copy.insertEvents(events, token);
    const stored = await clickhouse.query(
      `SELECT count() FROM history_1.events WHERE project_id = ${project + 500_000}`,
    );
    expect(Number(stored)).toBe(2);
  });

  it("is a job, and what it copied is read by the service", async () => {
    const runtime = createRuntime(database.db, { encryption_key: Buffer.alloc(32, 7) }, { copy });
    await write(sent("seen", "ann"), sent("seen", "bob"));
    await copyHistory.run(jobContext(runtime, { now: NOW }));
    expect(await copy.page(filterOf(), 10)).toHaveLength(2);
    await database.db.execute(sql`delete from events where project_id = ${project}`);
    const before = { at: FIRST + 9 * DAY_MS, uuid: null };
    const { rows } = await runtime.history.page(database.db, filterOf({ before }), 10, NOW);
    expect(rows).toHaveLength(2);
  });

  it("deletes what is deleted between the reading and the insertion of a batch", async () => {
    await write(...["a", "b", "c", "d", "e"].map((id, day) => sent("seen", id, { day })));
    let inserts = 0;
    const slow: HistoryCopy = new Proxy(copy, {
      get(of, name) {
        const value = Reflect.get(of, name, of);
        if (name !== "insertEvents") return typeof value === "function" ? value.bind(of) : value;
        return async (...given: Parameters<HistoryCopy["insertEvents"]>) => {
          inserts += 1;
          if (inserts === 3) await erase("c");
          return of.insertEvents(...given);
        };
      },
    });
    await untilComplete();
    while (await ship(database.db, slow, { limits: { ...SMALL, events: 1, batches: 9 }, now: NOW }));
    expect((await days()).map(({ day }) => day.slice(-2))).toEqual(["28", "29", "01", "02"]);
  });

  it("takes its time for one process only", async () => {
    await write(sent("seen", "ann"));
    await database.db.transaction(async (tx) => {
      expect(await lockCopy(tx)).toBe(true);
      // Nor is that transaction ended for doing nothing.
      const { rows } = await tx.execute(sql`show idle_in_transaction_session_timeout`);
      expect(rows).toEqual([{ idle_in_transaction_session_timeout: "0" }]);
      expect(await ship(database.db, copy)).toBe(false);
    });
    expect(await copy.page(filterOf(), 10)).toEqual([]);
    await shipEverything();
    expect(await copy.page(filterOf(), 10)).toHaveLength(1);
  });

  it("closes a batch before a large event, but takes one of any size", async () => {
    const text = Array.from({ length: 3_000 }, (_, n) => `${n * 7_919}`).join(" ");
    await write(...[1, 2, 3].map((n) => sent("seen", `p${n}`, { properties: { text: `${n} ${text}` } })));
    const limits = { events: 100, bytes: 10, batches: 1 };
    expect(await ship(database.db, copy, { limits, now: NOW })).toBe(true);
    expect(await copy.page(filterOf(), 10)).toHaveLength(1);
    await shipEverything(limits);
    await days();
  });

  it("deletes events of many transactions at once", async () => {
    const ids = Array.from({ length: 6 }, (_, n) => `p${n}`);
    await write(...ids.map((id, day) => sent("seen", id, { day })), sent("seen", "other"));
    await shipEverything();
    for (const id of ids) await erase(id);
    const [first, ...more] = await selectGone(database.db);
    expect(more).toEqual([]);
    expect(first?.ids).toHaveLength(6);
    expect(first?.gone).toMatchObject({
      project_id: project,
      first_day: "2025-11-28",
      last_day: "2025-12-03",
    });
    await shipEverything();
    expect((await days()).map(({ count }) => count)).toEqual([1]);
  });

  it("deletes everything of a name before a moment, too", async () => {
    await write(sent("it's", "ann"), sent("it's", "ann", { day: 9 }), sent("seen", "ann"));
    await shipEverything();
    await database.db.transaction(async (tx) => {
      const before = new Date(FIRST + DAY_MS).toISOString();
      await tx.execute(sql`
        delete from events where project_id = ${project} and event = 'it''s' and timestamp < ${before}::timestamptz`);
      for (let times = 0; times < 3; times += 1) await noteGone(tx, project, { event: "it's", before });
    });
    expect(await selectGone(database.db)).toHaveLength(1);
    await shipEverything();
    expect(await selectGone(database.db)).toEqual([]);
    expect((await days()).map(({ event, count }) => [event, count])).toEqual([
      ["seen", 1],
      ["it's", 1],
    ]);
  });

  it("waits for deletions under way before it begins, because they are not noted", async () => {
    const other = await createTestDatabase();
    const begun = Promise.withResolvers<void>();
    const deleted = Promise.withResolvers<void>();
    const deleting = other.db.transaction(async (tx) => {
      await noteGone(tx, 1, { event: "seen", before: NOW.toISOString() });
      begun.resolve();
      await deleted.promise;
    });
    await begun.promise;
    let hasBegun = false;
    const beginning = selectIdentity(other.db).then(() => {
      hasBegun = true;
    });
    await eventually(async () => {
      const { rows } = await other.db.execute(
        sql`select 1 from pg_locks where locktype = 'advisory' and not granted`,
      );
      return rows.length > 0 || undefined;
    });
    expect(hasBegun).toBe(false);
    deleted.resolve();
    await Promise.all([deleting, beginning]);
    await other.db.transaction((tx) => noteGone(tx, 1, { event: "seen", before: NOW.toISOString() }));
    expect(await hasGone(other.db, 1)).toBe(true);
    await other.close();
  });

  it("begins again after a restored backup, and where the copy is lost", async () => {
    await write(sent("seen", "ann"), sent("seen", "bob"));
    await shipEverything();
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`delete from events where project_id = ${project} and distinct_id = 'bob'`);
      await restartCopy(tx);
    });
    await shipEverything();
    expect((await days()).map(({ count }) => count)).toEqual([1]);
    await copy.reset([]);
    expect(await copy.page(filterOf(), 10)).toEqual([]);
    await shipEverything();
    expect((await days()).map(({ count }) => count)).toEqual([1]);
  });

  it("does not touch the copy of another installation", async () => {
    await write(sent("seen", "ann"));
    await shipEverything();
    const other = await createTestDatabase();
    await expect(ship(other.db, copy)).rejects.toThrow("the events of another Switchyard");
    await other.close();
    await days();
  });
});

describe("an erasure", () => {
  it("is not finished before the person has left the copy", async () => {
    const runtime = createRuntime(database.db, { encryption_key: Buffer.alloc(32, 7) }, { copy });
    await write(sent("seen", "ann"), sent("seen", "bob"), sent("bought", "visitor", { day: 3 }));
    await merge("ann", "visitor");
    await shipEverything();
    const person = await selectPersonByDistinctId(database.db, project, "ann");
    const erasure = await database.db.transaction((tx) =>
      beginErasure(tx, {
        project_id: project,
        person_id: person?.id ?? 0,
        requested_by_id: null,
        hash: null,
        now: NOW,
      }),
    );
    const erasure_id = erasure?.id ?? "";
    const isFinished = async () => {
      await erasePerson.run(jobContext(runtime, { now: NOW, payload: { erasure_id } }));
      return (await selectErasure(database.db, erasure_id))?.finished_at !== null;
    };
    expect(await isFinished()).toBe(false);
    await shipEverything();
    expect((await copy.page(filterOf(), 10)).map(({ distinct_id }) => distinct_id)).toEqual(["bob"]);
    expect(await isFinished()).toBe(true);
    await days();
  });
});

describe("retention", () => {
  it("deletes from the copy what it deletes by rows and by partitions", async () => {
    const old = Date.UTC(2001, 1, 1);
    await write(
      { ...sent("seen", "ann"), at: old },
      { ...sent("seen", "bob"), at: old + 40 * DAY_MS },
      { ...sent("bought", "bob"), at: old + DAY_MS },
      sent("seen", "cid"),
    );
    const quarter = new Date(Date.UTC(2001, 0));
    await shipEverything();
    expect(await days()).toHaveLength(4);
    const before = new Date(old + 20 * DAY_MS);
    await database.db.transaction((tx) =>
      deleteOldest(tx, { project_id: project, event: "seen", before }, 10),
    );
    await shipEverything();
    expect(await days()).toHaveLength(3);
    // What is left of that quarter becomes a partition of its own, which is dropped.
    await database.db.execute(sql`create table moved as select * from events where timestamp < '2002-01-01'`);
    await database.db.execute(sql`delete from events where timestamp < '2002-01-01'`);
    await database.db.transaction((tx) => createPartition(tx, quarter, new Date(Date.UTC(2001, 3)), 1_000));
    await database.db.execute(sql`insert into events select * from moved`);
    await database.db.transaction((tx) => dropPartition(tx, "events_2001q1", 1_000));
    await shipEverything();
    expect((await days()).map(({ day }) => day)).toEqual(["2025-11-28"]);
  });
});

describe("a page", () => {
  const before = { at: FIRST + 60 * DAY_MS, uuid: null };
  const page = async (history = createHistory(copy), filter: Partial<EventFilter> = {}) =>
    (await history.page(database.db, filterOf({ before, ...filter }), 100, NOW)).rows;
  const ids = (rows: { distinct_id: string }[]) => rows.map(({ distinct_id }) => distinct_id);

  it("of old events is read from the copy, with what is not copied yet", async () => {
    await write(sent("seen", "ann"), sent("seen", "bob", { day: 2 }));
    await shipEverything();
    await write(sent("seen", "late", { day: 1 }));
    const expected = await selectEvents(database.db, filterOf({ before }), 100);
    expect(await page()).toEqual(expected);
    expect(ids(expected)).toEqual(["bob", "late", "ann"]);
    // Only the copy has it now.
    await database.db.execute(sql`delete from events where project_id = ${project} and distinct_id = 'bob'`);
    expect(ids(await page())).toEqual(["bob", "late", "ann"]);
    expect(ids(await page(createHistory(copy), { before: { at: NOW.getTime(), uuid: null } }))).toEqual([
      "late",
      "ann",
    ]);
  });

  it("does not show what was deleted, although the copy still has it", async () => {
    await write(sent("seen", "ann"), sent("seen", "bob"));
    await shipEverything();
    await erase("ann");
    expect(await copy.page(filterOf(), 10)).toHaveLength(2);
    expect(ids(await page())).toEqual(["bob"]);
    await shipEverything();
    expect(ids(await copy.page(filterOf(), 10))).toEqual(["bob"]);
  });

  it("is read from PostgreSQL while ClickHouse is away", async () => {
    await write(sent("seen", "ann"));
    await shipEverything();
    const away = openClickHouse("http://somebody:a-secret@127.0.0.1:4449/gone");
    const warned = vi.spyOn(log(), "warn").mockImplementation(() => undefined);
    const history = createHistory(away);
    expect(ids(await page(history))).toEqual(["ann"]);
    expect(ids(await page(history))).toEqual(["ann"]);
    expect(warned).toHaveBeenCalledTimes(1);
    const logged = inspect(warned.mock.calls, { depth: 9 });
    expect(logged).toMatch(/ClickHouse cannot be reached/);
    expect(logged).not.toMatch(/secret/);
    warned.mockRestore();
    await expect(ship(database.db, away)).rejects.toThrow(/ClickHouse cannot be reached/);
    await away.close();
  });
});

describe("the comparison", () => {
  const differing = async () =>
    (await verifyHistory(database.db, copy)).map(({ project_id, day, event, postgres, clickhouse }) => ({
      project_id,
      day,
      event,
      counts: [postgres?.count ?? 0, clickhouse?.count ?? 0],
    }));
  const repair = async () =>
    expect(await repairHistory(database.db, copy, await verifyHistory(database.db, copy))).toEqual([]);
  const copied = (uuid: string, more = {}) =>
    copiedLine({ project_id: project, uuid, timestamp: "2025-11-28 00:00:00.000000", ...more });

  it("copies what is missing first, and finds nothing", async () => {
    await write(sent("seen", "ann"), sent("bought", "bob", { day: 400 }));
    expect(await differing()).toEqual([]);
  });

  it("finds events that are missing, too many or changed, and repairs them", async () => {
    const [ann, bob] = [sent("seen", "ann"), sent("bought", "bob", { day: 3 })];
    await write(ann, bob, sent("seen", "cid", { day: 5 }));
    await shipEverything();
    await copy.deleteEvents({
      project_id: project,
      uuids: [bob.uuid],
      first_day: "2025-12-01",
      last_day: "2025-12-01",
    });
    await copy.insertEvents([
      copied(uuidv7()),
      copied(uuidv7(), { event: "strange", timestamp: "1999-01-01 00:00:00" }),
    ]);
    const expected = [
      { project_id: project, day: "1999-01-01", event: "strange", counts: [0, 1] },
      { project_id: project, day: "2025-11-28", event: "seen", counts: [1, 2] },
      { project_id: project, day: "2025-12-01", event: "bought", counts: [1, 0] },
    ];
    const found = await differing();
    expect(found).toHaveLength(3);
    expect(found).toEqual(expect.arrayContaining(expected));
    await repair();
    // The same events once more.
    await copy.deleteDays(project, [{ day: "2025-12-01", event: "bought" }]);
    expect(await differing()).toEqual([expected[2]]);
    await repair();
    await days();
  });

  it("finds an event that is stored differently, by its hash", async () => {
    const ann = sent("seen", "ann", { properties: { n: 1 } });
    await write(ann);
    await shipEverything();
    await copy.insertEvents([copied(ann.uuid, { person_id: 1, properties: '{"n": 2}' })]);
    expect(await differing()).toEqual([
      { project_id: project, day: "2025-11-28", event: "seen", counts: [1, 1] },
    ]);
    await repair();
  });
});
