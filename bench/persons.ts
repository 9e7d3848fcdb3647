import { setTimeout as delay } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { request } from "undici";
import { type Db, openDatabase } from "#lib/platform/db/connect.ts";
import { LINES } from "#lib/platform/http/progress-schema.ts";
import { type BenchService, cpuSeconds, startService } from "./service.ts";

const { PERSONS = "1000000", PERSONS_PORT = "4192" } = process.env;

/** A statement may take no longer than any other. */
const SEEDED_AT_ONCE = 50_000;

/** People with email addresses, names and a handful of properties; half of the ids are random, as browsers make them. */
export async function seedPersons(db: Db, count: number): Promise<void> {
  for (let first = 1; first <= count; first += SEEDED_AT_ONCE)
    await db.execute(sql`
    with made as (
      insert into persons (project_id, properties, is_identified, created_at)
      select 1, jsonb_build_object(
          'email', (array['ada','bob','cleo','dan','eve','finn','gus','hana'])[1 + n % 8] || '.' || substr(md5(n::text), 1, 6) || '@corp.example',
          'name', (array['Ada','Bob','Cleo','Dan'])[1 + n % 4] || ' ' || substr(md5(n::text), 7, 7),
          'plan', (array['free','free','free','pro','team'])[1 + n % 5], 'country', (array['DE','FR','US','GB'])[1 + n % 4],
          'seats', n % 50, 'n', n),
        true, now() - n * interval '1 second'
      from generate_series(${first}::int, ${Math.min(count, first + SEEDED_AT_ONCE - 1)}::int) n order by n
      returning id, properties
    )
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select 1, case when (properties ->> 'n')::int % 2 = 0 then gen_random_uuid()::text else 'user-' || (properties ->> 'n') end, id
    from made`);
  for (const table of ["persons", "person_distinct_ids"])
    await db.execute(sql.raw(`vacuum analyze ${table}`));
}

type Ask = { name: string; path: string };

const list = "/api/projects/1/persons/?limit=50";
const flags = "/api/projects/1/feature_flags/";
const pro = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
const ada = { key: "email", type: "person", operator: "icontains", value: "ada" };
const where = (row: object) => `${list}&properties=${encodeURIComponent(JSON.stringify([row]))}`;

/** What is to be answered within ASK_MS, however many people there are. */
const ASKS: Ask[] = [
  { name: "first page of people", path: list },
  { name: "hundredth page of people", path: `${list}&offset=5000` },
  { name: "search: one person's address", path: `${list}&search=ada.7f39f8` },
  { name: "search: nobody", path: `${list}&search=zzzqqq` },
  { name: "search: everybody's domain", path: `${list}&search=corp.example` },
  { name: "search: a first name", path: `${list}&search=Cleo` },
  { name: "search: half of the ids", path: `${list}&search=user-` },
  { name: "search: part of an id", path: `${list}&search=user-4711` },
  { name: "search: two letters", path: `${list}&search=ad` },
  { name: "filter: a fifth of the people", path: where(pro) },
  { name: "filter: everybody", path: where({ key: "email", operator: "is_set" }) },
  { name: "filter: one person", path: where({ key: "n", value: 77 }) },
  { name: "filter: part of a text", path: where({ ...ada, value: "7f39" }) },
  { name: "filter: a pattern", path: where({ ...ada, operator: "regex", value: "^ada.*9@" }) },
  { name: "filter and search", path: `${where(pro)}&search=Cleo` },
];

type Count = { name: string; path: string; body: object };

const changed = (row: object) => ({ filters: { groups: [{ properties: [row], rollout_percentage: 40 }] } });

/** What is to be counted to the end within COUNT_MS, delaying nobody by more than DELAY_MS. */
const COUNTS: Count[] = [
  { name: "who matches, by plan", path: "user_blast_radius/", body: { condition: { properties: [pro] } } },
  { name: "who matches, by address", path: "user_blast_radius/", body: { condition: { properties: [ada] } } },
  { name: "who changes, by plan", path: "who_changes/", body: changed(pro) },
  { name: "who changes, by address", path: "who_changes/", body: changed(ada) },
];

const REPEATS = 7;
const COUNT_REPEATS = 3;

export const middle = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;

export async function timeOf(
  service: BenchService,
  path: string,
  body?: object,
  accept = "application/json",
) {
  const began = performance.now();
  // Lighter than fetch, whose garbage collection in this process would count as the service's delay.
  const answer = await request(service.base + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json", accept },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300 || text.includes('{"error":'))
    throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return performance.now() - began;
}

/** Asks for flags and for a list, one after the other, until it is stopped. */
export function startProbe(service: BenchService): () => Promise<number[]> {
  const times: number[] = [];
  let goesOn = true;
  const who = { api_key: service.token, distinct_id: "user-1" };
  const probing = (async () => {
    while (goesOn) {
      times.push(await timeOf(service, "/flags/?v=2", who));
      times.push(await timeOf(service, `${flags}?limit=1`));
      await delay(5);
    }
  })();
  return async () => {
    goesOn = false;
    await probing;
    return times;
  };
}

/** Of a count: how long it takes, by how much it delays the requests beside it at most, and what it computes. */
type CountFigures = { elapsed: number; delay: number; cpu: { node: number; database: number } };

async function measureCount(
  service: BenchService,
  { path, body }: Count,
  usual: number,
): Promise<CountFigures> {
  const runs: Omit<CountFigures, "cpu">[] = [];
  for (let i = 0; i < COUNT_REPEATS; i++) {
    const stop = startProbe(service);
    const elapsed = await timeOf(service, flags + path, body, LINES);
    runs.push({ elapsed, delay: Math.max(...(await stop())) - usual });
  }
  const before = cpuSeconds(service.pid);
  await timeOf(service, flags + path, body, LINES);
  const after = cpuSeconds(service.pid);
  return {
    elapsed: middle(runs.map((run) => run.elapsed)),
    delay: middle(runs.map((run) => run.delay)),
    cpu: { node: after.node - before.node, database: after.database - before.database },
  };
}

type SizeFigures = { asks: Map<string, number>; counts: Map<string, CountFigures> };

/** Half of the answers to each question came sooner than this, in milliseconds. */
async function measureSize(count: number): Promise<SizeFigures> {
  const service = await startService(Number(PERSONS_PORT));
  try {
    const database = await openDatabase({ dataDir: service.folder });
    try {
      await seedPersons(database.db, count);
    } finally {
      await database.close();
    }
    const asks = new Map<string, number>();
    for (const { name, path } of ASKS) {
      await timeOf(service, path);
      const times: number[] = [];
      for (let i = 0; i < REPEATS; i++) times.push(await timeOf(service, path));
      asks.set(name, middle(times));
    }
    const stop = startProbe(service);
    await delay(IDLE_MS);
    const usual = middle(await stop());
    const counts = new Map<string, CountFigures>();
    for (const each of COUNTS) counts.set(each.name, await measureCount(service, each, usual));
    return { asks, counts };
  } finally {
    await service.stop();
  }
}

const cell = (value: number, digits = 1) => value.toFixed(digits).padStart(10);
const verdict = (value: number, most: number) => (value <= most ? `  at most ${most}` : `  ABOVE ${most}`);
/** Ten times the people may take so much longer where cost does not grow with them: deeper indexes, colder memory. */
const GROWTH_MAX = 2.5;
/** Below this, differences are of the clock and of the machine. */
const NOISE_MS = 15;
const ASK_MS = 200;
const COUNT_MS = 5_000;
const DELAY_MS = 20;
/** How long requests are measured beside which nothing else runs. */
const IDLE_MS = 2_000;

/** What asking for people costs, at a tenth of the size and at the size. */
export async function benchPersons(): Promise<void> {
  const count = Number(PERSONS);
  console.info(`\npeople: ${(count / 10).toLocaleString("en")} and ${count.toLocaleString("en")}; p50 in ms`);
  console.info(`${"".padEnd(32)}     tenth      full    growth`);
  const tenth = await measureSize(count / 10);
  const full = await measureSize(count);
  for (const { name } of ASKS) {
    const [before = Number.NaN, after = Number.NaN] = [tenth.asks.get(name), full.asks.get(name)];
    const growth = after / before;
    const grows = growth > GROWTH_MAX && after > NOISE_MS ? `; ABOVE ${GROWTH_MAX}x` : "";
    console.info(
      `${name.padEnd(32)}${cell(before)}${cell(after)}${cell(growth, 2)}x${verdict(after, ASK_MS)}${grows}`,
    );
  }
  console.info(
    `\n${"counting everybody".padEnd(32)}     tenth      full             longest delay of others   CPU s: node, database`,
  );
  for (const { name } of COUNTS) {
    const [before, after] = [tenth.counts.get(name), full.counts.get(name)];
    if (!before || !after) continue;
    console.info(
      `${name.padEnd(32)}${cell(before.elapsed, 0)}${cell(after.elapsed, 0)}${verdict(after.elapsed, COUNT_MS)}${cell(after.delay)}${verdict(after.delay, DELAY_MS)}${cell(after.cpu.node)}${cell(after.cpu.database)}`,
    );
  }
}

/** `node bench/persons.ts` measures people alone. */
if (import.meta.main) await benchPersons();
