import { deepStrictEqual } from "node:assert";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import { openClickHouse } from "#lib/people/events/history/clickhouse-store.ts";
import { selectDayEvents, selectProgress } from "#lib/people/events/history/outbox-store.ts";
import { postgresHistory } from "#lib/people/events/history/postgres-store.ts";
import { shipAll } from "#lib/people/events/history/ship.ts";
import type { HistoryStore } from "#lib/people/events/history/store.ts";
import { createPartition } from "#lib/people/retention/partitions-store.ts";
import { deleteOldest } from "#lib/people/retention/store.ts";
import { type Db, openDatabase } from "#lib/platform/db/connect.ts";
import { migrate } from "#lib/platform/db/migrate.ts";
import { type ClickHouse, startClickHouse } from "#testing/clickhouse.ts";
import { middle } from "./persons.ts";

const { EVENTS = "1000000" } = process.env;

const DAY_MS = 86_400_000;
const PROJECT = 1;
/** Whole days, so that both databases count the same ones. */
const END = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const DAYS = 365;
const START = END - DAYS * DAY_MS;
const EVENTS_OF_PERSON = 20;
/** Every so many of those who were seen without an account turn out to be somebody with one. */
const MERGED_EVERY = 10;
/** So many events come twice. */
const DUPLICATES = 10_000;
/** A statement may take no longer than any other. */
const SEEDED_AT_ONCE = 50_000;
const SEEDERS = 2;

const seconds = (since: number) => (performance.now() - since) / 1_000;
const line = (what: string, ...values: string[]) =>
  console.info(`${what.padEnd(44)}${values.map((value) => value.padStart(14)).join("")}`);

/** Calls `work` with the first and the last number of each part, some at a time. */
async function inParts(count: number, work: (first: number, last: number) => Promise<unknown>) {
  let next = 0;
  const worker = async () => {
    for (let first = next; first < count; first = next) {
      next += SEEDED_AT_ONCE;
      await work(first, Math.min(count, first + SEEDED_AT_ONCE) - 1);
    }
  };
  await Promise.all(Array.from({ length: SEEDERS }, worker));
}

async function createPartitions(db: Db): Promise<void> {
  const first = new Date(START);
  for (let month = first.getUTCMonth() - (first.getUTCMonth() % 3), n = 0; n <= 5; n += 1, month += 3) {
    const [from, to] = [month, month + 3].map((at) => new Date(Date.UTC(first.getUTCFullYear(), at)));
    if (from && to) await db.transaction((tx) => createPartition(tx, from, to, 1_000));
  }
}

/** People with an account, each with one id more from before they had it, which is another person's at first. */
const seedPeople = (db: Db, people: number) =>
  inParts(people, async (first, last) => {
    await db.execute(sql`
      insert into persons (id, project_id, properties)
      select id, ${PROJECT}::int, '{}' from generate_series(${first}::int, ${last}::int) n, unnest(array[n + 1, n + 1 + ${people}::int]) id`);
    await db.execute(sql`
      insert into person_distinct_ids (project_id, distinct_id, person_id)
      select ${PROJECT}::int, 'user-' || n, n + 1 from generate_series(${first}::int, ${last}::int) n union all
      select ${PROJECT}::int, md5('anonymous ' || n), n + 1 + ${people}::int from generate_series(${first}::int, ${last}::int) n`);
  });

/** Of twenty events nine page views, five calls of a flag, three purchases, two identifications and a sign-up. */
const seedEvents = (db: Db, events: number, people: number) =>
  inParts(events, (first, last) =>
    db.execute(sql`
      insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
      select ${PROJECT}::int, gen_random_uuid(),
        case when n % 20 < 9 then '$pageview' when n % 20 < 14 then '$feature_flag_called' when n % 20 < 17 then 'purchase'
          when n % 20 < 19 then '$identify' else 'signed up' end,
        case when n % 3 = 0 then md5('anonymous ' || p) else 'user-' || p end,
        timestamptz 'epoch' + ${START}::float8 * interval '1 millisecond' + n * (interval '1 day' * ${DAYS}::int / ${events}::int),
        jsonb_build_object('$session_id', md5('session ' || n / 5), '$lib', 'web', '$browser', (array['Chrome', 'Firefox', 'Safari'])[1 + n % 3],
          '$current_url', 'https://shop.example/catalogue/' || (n * 31) % 5000)
        || case when n % 20 < 9 then jsonb_build_object('$referrer', 'https://search.example/?q=' || (n * 17) % 9000)
          when n % 20 < 14 then jsonb_build_object('$feature_flag', 'flag-' || n % 40, '$feature_flag_response', n % 2 = 0)
          when n % 20 < 17 then jsonb_build_object('plan', (array['free', 'free', 'team', 'pro'])[1 + n / 20 % 4], 'amount', (n * 7) % 10000 / 100.0)
          else '{}' end
      from (select n, ((n::bigint * 7919) % ${people}::int)::int as p
        from generate_series(${first}::int, ${last}::int) n) numbers`),
  );

async function seed(db: Db, events: number): Promise<number> {
  const people = Math.ceil(events / EVENTS_OF_PERSON);
  await createPartitions(db);
  await seedPeople(db, people);
  await seedEvents(db, events, people);
  await db.execute(sql`
    insert into event_definitions (project_id, name, count, last_seen_at)
    select project_id, event, count(*), max(timestamp) from events group by 1, 2`);
  for (const table of ["events", "persons", "person_distinct_ids"])
    await db.execute(sql.raw(`vacuum analyze ${table}`));
  return people;
}

const mergePeople = (db: Db, people: number) =>
  db.transaction(async (tx) => {
    await tx.execute(sql`
      insert into person_merges (project_id, loser, winner)
      select ${PROJECT}::int, n + 1 + ${people}::int, n + 1 from generate_series(0, ${people}::int - 1, ${MERGED_EVERY}) n`);
    await tx.execute(sql`
      update person_distinct_ids d set person_id = m.winner from person_merges m where d.person_id = m.loser`);
  });

type Read = {
  name: string;
  /** Through the interface of both stores, or in the words of each. */
  read: ((store: HistoryStore) => Promise<unknown>) | { postgres: string; clickhouse: string };
};

const MIDDLE = START + (DAYS / 2) * DAY_MS;
const period = `timestamp >= '${new Date(START).toISOString().slice(0, 10)}'`;

/** What is read through the service, and what is asked of a copy in SQL. */
const READS: Read[] = [
  {
    name: "page of 100 events of half a year ago",
    read: (store) =>
      store.page({ project_id: PROJECT, distinct_ids: null, before: { at: MIDDLE, uuid: null } }, 100),
  },
  {
    name: "page of a person's events of then",
    read: (store) =>
      store.page({ project_id: PROJECT, distinct_ids: ["user-70"], before: { at: MIDDLE, uuid: null } }, 100),
  },
  {
    name: "figures of every day (npm run verify)",
    read: (store) => store.days({ project_id: PROJECT, from: START, to: END }),
  },
  {
    name: "people of each event by month",
    read: {
      postgres: `
        select to_char(e.timestamp at time zone 'UTC', 'YYYY-MM') as month, e.event, count(distinct d.person_id)::text as people
        from events e join person_distinct_ids d using (project_id, distinct_id)
        where e.project_id = ${PROJECT} and e.${period} group by 1, 2 order by 1, e.event collate "C"`,
      clickhouse: `
        SELECT formatDateTime(e.timestamp, '%Y-%m') AS month, e.event AS event,
          toString(uniqExact(if(o.is_now = 0, e.person_id, o.is_now))) AS people
        FROM events AS e FINAL LEFT JOIN person_overrides AS o FINAL
          ON o.project_id = e.project_id AND o.person_id = e.person_id
        WHERE e.project_id = ${PROJECT} AND e.${period} GROUP BY month, event ORDER BY month, event`,
    },
  },
  {
    name: "purchases with a property, by month",
    read: {
      postgres: `
        select to_char(timestamp at time zone 'UTC', 'YYYY-MM') as month, count(*)::text as purchases
        from events where project_id = ${PROJECT} and event = 'purchase' and ${period} and properties ->> 'plan' = 'pro'
        group by 1 order by 1`,
      clickhouse: `
        SELECT formatDateTime(timestamp, '%Y-%m') AS month, toString(count()) AS purchases
        FROM events FINAL WHERE project_id = ${PROJECT} AND event = 'purchase' AND ${period}
          AND JSONExtractString(properties, 'plan') = 'pro' GROUP BY month ORDER BY month`,
    },
  },
];

/** Reads that take long are repeated less often. */
const [REPEATS, LEAST_REPEATS, ENOUGH_S] = [9, 3, 20];

/** @returns half of the reads took less, in ms; and what the last one found */
async function timed(read: () => Promise<unknown>): Promise<{ p50: number; found: unknown }> {
  const times: number[] = [];
  let found: unknown;
  for (const began = performance.now(); times.length < REPEATS; ) {
    if (times.length >= LEAST_REPEATS && seconds(began) > ENOUGH_S) break;
    const before = performance.now();
    found = await read();
    times.push(performance.now() - before);
  }
  return { p50: middle(times), found };
}

const sorted = (value: unknown) => (Array.isArray(value) ? value : []);

async function compare(
  db: Db,
  clickhouse: ClickHouse,
  { database, copy }: { database: string; copy: HistoryStore },
): Promise<void> {
  const settings =
    "do_not_merge_across_partitions_select_final = 1, output_format_json_quote_64bit_integers = 1";
  for (const { name, read } of READS) {
    const [ours, theirs] =
      typeof read === "function"
        ? [() => read(postgresHistory(db)), () => read(copy)]
        : [
            async () => (await db.execute(sql.raw(read.postgres))).rows,
            async () =>
              (await clickhouse.query(`${read.clickhouse} SETTINGS ${settings} FORMAT JSONEachRow`, database))
                .trim()
                .split("\n")
                .map((row) => JSON.parse(row)),
          ];
    const [postgres, copied] = [await timed(ours), await timed(theirs)];
    deepStrictEqual(sorted(copied.found), sorted(postgres.found), name);
    if (sorted(copied.found).length === 0) throw new Error(`Nothing was found: ${name}`);
    const ms = (p50: number) => `${p50.toFixed(p50 < 100 ? 1 : 0)} ms`;
    line(name, ms(postgres.p50), ms(copied.p50), `${(postgres.p50 / copied.p50).toFixed(2)}x`);
  }
}

/** Events are deleted by age so many at a time, so often. */
const [DELETED, DELETIONS] = [500, 9];

/** What it costs that events which are deleted by age stay in ClickHouse. */
async function compareRetention(db: Db): Promise<void> {
  const deleteSome = async (keeps: boolean) => {
    const retention = { days: 7, by_event: {}, keep_in_clickhouse: keeps };
    await db.execute(sql`update projects set event_retention = ${JSON.stringify(retention)}::jsonb`);
    const before = performance.now();
    const page = { project_id: PROJECT, event: "$pageview", before: new Date(END) };
    await db.transaction((tx) => deleteOldest(tx, page, DELETED));
    return performance.now() - before;
  };
  const [deleting, keeping]: [number[], number[]] = [[], []];
  for (let n = 0; n < DELETIONS; n += 1) deleting.push(await deleteSome(false));
  // Afterwards: what is noted of events that stay goes with those that are deleted.
  for (let n = 0; n < DELETIONS; n += 1) keeping.push(await deleteSome(true));
  const ms = (times: number[]) => `${middle(times).toFixed(1)} ms`;
  line(`${DELETED} events deleted; leaving for ClickHouse`, ms(deleting), ms(keeping));
  const { rows } = await db.execute<{ bytes: number; days: number }>(sql`
    select pg_total_relation_size('event_history_kept')::float8 as bytes, count(*)::float8 as days from event_history_kept`);
  line("their days and names, noted in PostgreSQL", "", `${rows[0]?.days} rows`, `${rows[0]?.bytes} bytes`);
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MB`;

async function printSizes(db: Db, clickhouse: ClickHouse, database: string): Promise<void> {
  const { rows } = await db.execute<{ total: number; indexes: number }>(sql`
    select sum(pg_total_relation_size(inhrelid))::float8 as total, sum(pg_indexes_size(inhrelid))::float8 as indexes
    from pg_inherits where inhparent = 'events'::regclass`);
  const copied = await clickhouse.query(
    `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '${database}'`,
  );
  const { total = 0, indexes = 0 } = rows[0] ?? {};
  line("on disk", megabytes(total), megabytes(Number(copied)), `${(total / Number(copied)).toFixed(0)}x`);
  line("  without indexes", megabytes(total - indexes));
}

/** PostgreSQL against ClickHouse on the same machine: copying, the heaviest reads of old events, and what is on disk. */
export async function benchHistory(): Promise<void> {
  const events = Number(EVENTS);
  const dataDir = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const opened = await openDatabase({ dataDir });
  const clickhouse = await startClickHouse();
  try {
    const { jobs: db } = opened;
    await migrate(opened);
    await bootstrap(db, {});
    const began = performance.now();
    const people = await seed(db, events);
    console.info(
      `\nhistory: ${events.toLocaleString("en")} events of a year, ${(2 * people).toLocaleString("en")} people, made in ${seconds(began).toFixed(0)} s; ${availableParallelism()} cores, p50`,
    );
    const address = await clickhouse.createDatabase();
    const database = new URL(address).pathname.slice(1);
    const copy = openClickHouse(address);
    try {
      const copying = performance.now();
      await shipAll(db, copy);
      line("copied", `${seconds(copying).toFixed(1)} s`, `${(events / seconds(copying)).toFixed(0)} a s`);
      await mergePeople(db, people);
      const merging = performance.now();
      await shipAll(db, copy);
      line(
        `merges of ${Math.ceil(people / MERGED_EVERY).toLocaleString("en")} people copied`,
        `${seconds(merging).toFixed(1)} s`,
      );
      const day = { day: new Date(MIDDLE).toISOString().slice(0, 10), event: "$pageview" };
      const again = await selectDayEvents(db, await selectProgress(db, PROJECT), day, null, DUPLICATES);
      await copy.insertEvents(again.map((event) => event.line));
      line("", "PostgreSQL", "ClickHouse");
      await compare(db, clickhouse, { database, copy });
      await printSizes(db, clickhouse, database);
      await compareRetention(db);
    } finally {
      await copy.close();
    }
  } finally {
    await clickhouse.stop();
    await opened.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** `EVENTS=10000000 node bench/history.ts` measures this alone. */
if (import.meta.main) await benchHistory();
