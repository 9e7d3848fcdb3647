import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEventReaders } from "#lib/experiments/results/retention.ts";
import type { EventRetention } from "#lib/identity/projects/event-retention-schema.ts";
import { deleteSomeEvents, selectErasure, subtractNames } from "#lib/people/erasures/store.ts";
import { deleteOldEvents } from "#lib/people/retention/job.ts";
import { dropPartition } from "#lib/people/retention/partitions-store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { dying } from "#testing/dying.ts";
import { HOUR, metric, START, source, startResults, type Told } from "#testing/experiment-results.ts";
import { jobContext } from "#testing/jobs.ts";
import { launchSurvey, ROOT } from "#testing/surveys.ts";
import { repairAll, verifyAll } from "./verification.ts";

type Service = Awaited<ReturnType<typeof startResults>>;

let service: Service;

const KEY = Buffer.alloc(32, 7);
const PROJECT = "/api/projects/1/";
const DAY = 24;
const now = new Date();
const daysAgo = (days: number) => (now.getTime() - START) / HOUR - days * DAY;
const uuidOf = (i: number) => `0190a6d5-0000-7000-8000-${String(i).padStart(12, "0")}`;

const unequal = async (db: Db) => (await verifyAll(db, KEY)).filter(({ differences }) => differences > 0);
const rowsOf = async (query: ReturnType<typeof sql>) => (await service.db.execute(query)).rows;
const get = async (path: string) => {
  const { status, json, text } = await service.api("GET", path);
  expect(status, text).toBe(200);
  return json;
};

const run = (db: Db = service.db) => deleteOldEvents.run({ ...jobContext(service.runtime, { now }), db });

const retain = async (event_retention: EventRetention | null) => {
  const { status, text } = await service.api("PATCH", PROJECT, { event_retention });
  expect(status, text).toBe(200);
};

const called = (flag: string, id: string, response: string, at: number): Told => ({
  event: "$feature_flag_called",
  id,
  at,
  properties: { $feature_flag: flag, $feature_flag_response: response },
});

const metrics = [
  metric({ metric_type: "mean", source: source("purchase", { math: "sum", math_property: "amount" }) }),
  metric({ metric_type: "funnel", series: [source("page"), source("purchase")] }),
];

/** An experiment that ended, one that is running, and a survey. */
async function setUp() {
  const ended = await service.create({ name: "Ended", end_date: "2026-03-20T09:00:00Z", metrics });
  const start_date = new Date(START + daysAgo(60) * HOUR).toISOString();
  const running = await service.create({ name: "Running", start_date, metrics });
  const survey = await launchSurvey(service, {});
  return { ended, running, survey };
}
type Setting = Awaited<ReturnType<typeof setUp>>;

/** Everything that must not change. */
async function figures({ ended, running, survey }: Setting) {
  const results = async (id: number) => {
    const { exposures, metrics } = await get(`${PROJECT}experiments/${id}/results/?look=false`);
    return { exposed: exposures.total_exposures, metrics };
  };
  return {
    ended: await results(ended.id),
    running: await results(running.id),
    survey: await get(`${ROOT}${survey.id}/stats/`),
    names: await rowsOf(sql`select name, count, last_seen_at from event_definitions order by name`),
    calls: await rowsOf(sql`select * from feature_flag_calls_daily order by feature_flag_key, day, response`),
    people: await rowsOf(sql`select distinct_id from person_distinct_ids order by 1`),
  };
}

const retentions: fc.Arbitrary<EventRetention> = fc.record({
  days: fc.constantFrom(null, 7, 40, 150, 255),
  by_event: fc.dictionary(
    fc.constantFrom("$feature_flag_called", "purchase", "never sent"),
    fc.constantFrom(null, 7, 30, 100, 250),
  ),
});

const happened = fc.record({
  what: fc.constantFrom("page", "purchase", "ended", "running", "survey sent", "survey shown"),
  person: fc.constantFrom("ann", "bob", "cid", "dan"),
  // Before the experiment that ended, during and after it, and until today.
  at: fc.oneof(
    fc.integer({ min: -60 * DAY, max: 30 * DAY }),
    fc.integer({ min: 0, max: Math.floor(daysAgo(0)) }),
  ),
  amount: fc.integer({ min: 1, max: 9 }),
  variant: fc.constantFrom("control", "test"),
});

/** Events that are still there although their name's horizon has passed them. */
const OVERDUE = sql`
  select e.event from events e left join event_horizons o on o.project_id = e.project_id and o.event = e.event
    left join event_horizons h on h.project_id = e.project_id and h.event = ''
  where e.event not like 'survey %' and e.timestamp < coalesce(o.before, h.before)`;

const WAITING = sql`select from pg_locks where not granted and relation = 'events'::regclass`;

it("no figure changes, and nothing counts twice, wherever a run is broken off", async () => {
  await fc.assert(
    fc
      .asyncProperty(
        fc.array(happened, { minLength: 20, maxLength: 60 }),
        fc.array(retentions, { minLength: 1, maxLength: 2 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 4 }),
        async (list, settings, deaths) => {
          service = await startResults();
          const setting = await setUp();
          const { ended, running, survey } = setting;
          const events = list.map(({ what, person, at, amount, variant }, i): Told => {
            const uuid = uuidOf(i);
            if (what === "ended" || what === "running") {
              const flag = (what === "ended" ? ended : running).feature_flag_key;
              return { ...called(flag, person, variant, at), uuid };
            }
            const properties = what.startsWith("survey") ? { $survey_id: survey.id } : { amount };
            return { event: what, id: person, at, properties, uuid };
          });
          await service.send(events);
          const before = await figures(setting);
          for (const retention of settings) {
            await retain(retention);
            for (const at of deaths) {
              const db = dying(service.db, at);
              const { runtime } = service;
              const context = jobContext(
                { ...runtime, eventReaders: createEventReaders(db, runtime) },
                { now },
              );
              await deleteOldEvents.run({ ...context, db }).catch(() => undefined);
            }
            await run();
            expect(await figures(setting)).toEqual(before);
            expect(await unequal(service.db)).toEqual([]);
            expect(await rowsOf(OVERDUE)).toEqual([]);
          }
          // Again, as they were and with other timestamps: each is known, or refused.
          await service.send(events);
          await service.send(events.map((event) => ({ ...event, at: daysAgo(1) })));
          expect(await figures(setting)).toEqual(before);
          await repairAll(service.db, KEY);
          expect(await unequal(service.db)).toEqual([]);
          expect(await figures(setting)).toEqual(before);
        },
      )
      .afterEach(() => service.close()),
    { numRuns: 5 },
  );
}, 240_000);

describe("a retention of 40 days", () => {
  let setting: Setting;
  const old: Told[] = [
    { event: "purchase", id: "ann", at: 30, properties: { amount: 3 }, uuid: uuidOf(1) },
    { event: "page", id: "bob", at: 2, uuid: uuidOf(2) },
    { event: "page", id: "bob", at: daysAgo(3), uuid: uuidOf(3) },
    { event: "page", id: "cid", at: daysAgo(50), uuid: uuidOf(4) },
    { event: "elsewhere", id: "cid", at: daysAgo(50), uuid: uuidOf(5) },
  ];
  beforeAll(async () => {
    service = await startResults();
    setting = await setUp();
    await service.send([...old, called(setting.ended.feature_flag_key, "ann", "test", 1)]);
  });
  afterAll(() => service.close());

  it("can be asked beforehand what it deletes, and what keeps events beyond it", async () => {
    const preview = (event_retention: unknown) =>
      service.api("POST", `${PROJECT}event_retention/preview/`, { event_retention });
    // The running experiment reads pages, purchases and calls since it began 60 days ago.
    expect((await preview({ days: 40 })).json).toMatchObject({
      count: 4,
      is_more: false,
      horizons: [{ event: null }],
      kept_for: [{ name: "experiment Running" }],
    });
    expect((await preview({ days: null, by_event: { elsewhere: 7 } })).json).toMatchObject({
      count: 1,
      horizons: [{ event: "elsewhere" }],
      kept_for: [],
    });
    expect((await preview(null)).json).toMatchObject({ count: 0, horizons: [] });
    expect(await rowsOf(sql`select from event_horizons`)).toEqual([]);
  });

  it("is refused where it is out of bounds, or names answers to surveys", async () => {
    for (const event_retention of [
      { days: 6 },
      { days: 3651 },
      { days: 7.5 },
      { days: "30" },
      { days: 30, other: 1 },
      { days: 30, by_event: { "survey sent": 30 } },
      { days: 30, by_event: { "": 30 } },
      { days: 30, by_event: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`e${i}`, 30])) },
    ])
      expect(
        (await service.api("PATCH", PROJECT, { event_retention })).status,
        JSON.stringify(event_retention),
      ).toBe(400);
  });

  it("is recorded, and deletes by name and by partition", async () => {
    await retain({ days: 40, by_event: {} });
    const { results } = await get(`${PROJECT}activity_log/?scope=Project`);
    expect(results[0].detail.changes).toMatchObject([
      { field: "event_retention", before: null, after: { days: 40 } },
    ]);
    await run();
    expect(await rowsOf(sql`select event, distinct_id from events order by timestamp`)).toEqual([
      { event: "page", distinct_id: "cid" },
      { event: "page", distinct_id: "bob" },
    ]);
    expect(await rowsOf(sql`select from pg_class where relname = 'events_2026q1'`)).toEqual([]);
    expect((await get(`${PROJECT}event_retention/`)).deleted).toBe(4);
    expect(await unequal(service.db)).toEqual([]);
  });

  it("refuses what arrives later from before, and says so", async () => {
    const [sent] = old;
    const timestamp = new Date(START + 31 * HOUR).toISOString();
    const body = {
      api_key: service.token,
      batch: [
        { event: "purchase", distinct_id: "new", timestamp, uuid: uuidOf(90) },
        { event: "page", distinct_id: "bob", uuid: uuidOf(91) },
        {
          event: "survey sent",
          distinct_id: "eve",
          timestamp,
          properties: { $survey_id: setting.survey.id },
        },
      ],
      historical_migration: true,
    };
    const { json } = await service.api("POST", "/batch/", body, { key: null });
    expect(json.rejected).toMatchObject([{ index: 0, reason: expect.stringContaining("keeps no events") }]);
    const { horizons } = await get(`${PROJECT}event_retention/`);
    expect(horizons.reduce((sum: number, { refused }: { refused: number }) => sum + refused, 0)).toBe(1);
    // The uuid of a deleted event, with another timestamp: known, and not stored again.
    if (sent) await service.send([{ ...sent, at: daysAgo(1) }]);
    expect(await rowsOf(sql`select from events where event = 'purchase'`)).toEqual([]);
    expect(await unequal(service.db)).toEqual([]);
  });

  it("leaves an ended experiment its figures, whatever happens afterwards", async () => {
    const path = `${PROJECT}experiments/${setting.ended.id}/`;
    const figuresNow = async () => {
      const { exposures, metrics } = await get(`${path}results/?look=false`);
      return { exposed: exposures.total_exposures, metrics: metrics.slice(0, 2) };
    };
    const before = await figuresNow();
    expect(before.exposed).toMatchObject({ test: 1 });
    // Two persons turn out to be one: their history would be read again.
    await service.send([
      { event: "$identify", id: "dan", at: daysAgo(1), properties: { $anon_distinct_id: "ann" } },
      { event: "$create_alias", id: "dan", at: daysAgo(1), properties: { alias: "bob" } },
    ]);
    expect(await figuresNow()).toEqual(before);
    const added = metric({ metric_type: "mean", source: source("later") });
    const patched = await service.api("PATCH", path, { metrics: [...setting.ended.metrics, added] });
    expect(patched.status, patched.text).toBe(200);
    const { metrics: shown } = await get(`${path}results/?look=false`);
    expect(shown[2]).toMatchObject({ problem: expect.stringContaining("were deleted"), variants: [] });
    expect(await figuresNow()).toEqual(before);
    const [first] = setting.ended.metrics;
    const again = { metric: first, fingerprint: first.fingerprint };
    expect((await service.api("POST", `${path}recalculate_timeseries/`, again)).status).toBe(400);
    expect(await unequal(service.db)).toEqual([]);
    await repairAll(service.db, KEY);
    expect(await figuresNow()).toEqual(before);
  });
});

it("a partition is not dropped while somebody writes, nor with what was written meanwhile", async () => {
  service = await startResults();
  await service.send([{ event: "page", id: "ann", at: 0 }]);
  const written = Promise.withResolvers<void>();
  const ends = Promise.withResolvers<void>();
  const writing = service.db.transaction(async (tx) => {
    await tx.execute(sql`
      insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
      values (1, gen_random_uuid(), 'page', 'bob', '2026-03-03', '{}')`);
    written.resolve();
    await ends.promise;
  });
  await written.promise;
  const drop = () => inTransaction(service.db, (tx) => dropPartition(tx, "events_2026q1", 20));
  const began = performance.now();
  await expect(drop()).rejects.toMatchObject({ cause: { code: "55P03" } });
  expect(performance.now() - began).toBeLessThan(5_000);
  // Its transaction began before the events were counted, and ended before the lock was there.
  const counted = inTransaction(service.db, (tx) => dropPartition(tx, "events_2026q1", 10_000));
  await expect.poll(async () => (await rowsOf(WAITING)).length).toBe(1);
  ends.resolve();
  await writing;
  expect(await counted).toBe(false);
  expect(await rowsOf(sql`select count(*)::int as count from events`)).toEqual([{ count: 2 }]);
  expect(await drop()).toBe(true);
  expect(await rowsOf(sql`select deleted from event_definitions`)).toEqual([{ deleted: 2 }]);
  await service.close();
});

it("a partition is not dropped while somebody is erased, whose events would be counted as deleted by age", async () => {
  service = await startResults();
  await service.send(["ann", "bob"].map((id) => ({ event: "page", id, at: 0 })));
  const { json } = await service.api("POST", "/api/projects/1/persons/bulk_delete/", {
    distinct_ids: ["ann"],
    delete_events: true,
  });
  const drop = () => inTransaction(service.db, (tx) => dropPartition(tx, "events_2026q1", 20));
  await service.db.transaction(async (tx) => {
    const erasure = await selectErasure(tx, json.erasures[0].id);
    if (erasure) expect(await deleteSomeEvents(tx, erasure, 10)).toMatchObject({ found: 1 });
    await subtractNames(tx, 1, [{ name: "page", count: 1 }]);
    await expect(drop()).rejects.toMatchObject({ cause: { code: "55P03" } });
  });
  expect(await drop()).toBe(true);
  expect(await rowsOf(sql`select count, deleted from event_definitions`)).toEqual([{ count: 1, deleted: 1 }]);
  await service.close();
});

it("partitions are made a year ahead, but for events that are elsewhere already", async () => {
  service = await startResults();
  const bounds = () =>
    rowsOf(sql`select relname, pg_get_expr(relpartbound, oid) as bound from pg_class
      where relname like 'events_2032q%' and relkind = 'r' order by 1`);
  expect(await bounds()).toEqual([]);
  await service.db.execute(sql`
    insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
    values (1, gen_random_uuid(), 'page', 'bob', '2032-05-03', '{}')`);
  const later = jobContext(service.runtime, { now: new Date("2031-08-03T00:00:00Z") });
  await deleteOldEvents.run(later);
  await deleteOldEvents.run(later);
  expect(await bounds()).toEqual([
    {
      relname: "events_2032q1",
      bound: "FOR VALUES FROM ('2032-01-01 00:00:00+00') TO ('2032-04-01 00:00:00+00')",
    },
    {
      relname: "events_2032q3",
      bound: "FOR VALUES FROM ('2032-07-01 00:00:00+00') TO ('2032-10-01 00:00:00+00')",
    },
  ]);
  await service.close();
});
