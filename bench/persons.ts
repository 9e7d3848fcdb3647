import { sql } from "drizzle-orm";
import { type Db, openDatabase } from "#lib/platform/db/connect.ts";
import { type BenchService, startService } from "./service.ts";

const { PERSONS = "1000000", PERSONS_PORT = "4192" } = process.env;

/** People with email addresses, names and a handful of properties; half of the ids are random, as browsers make them. */
async function seedPersons(db: Db, count: number): Promise<void> {
  await db.execute(sql`
    with made as (
      insert into persons (project_id, properties, is_identified, created_at)
      select 1, jsonb_build_object(
          'email', (array['ada','bob','cleo','dan','eve','finn','gus','hana'])[1 + n % 8] || '.' || substr(md5(n::text), 1, 6) || '@corp.example',
          'name', (array['Ada','Bob','Cleo','Dan'])[1 + n % 4] || ' ' || substr(md5(n::text), 7, 7),
          'plan', (array['free','free','free','pro','team'])[1 + n % 5], 'country', (array['DE','FR','US','GB'])[1 + n % 4],
          'seats', n % 50, 'n', n),
        true, now() - n * interval '1 second'
      from generate_series(1, ${count}::int) n order by n
      returning id, properties
    )
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select 1, case when (properties ->> 'n')::int % 2 = 0 then gen_random_uuid()::text else 'user-' || (properties ->> 'n') end, id
    from made`);
  for (const table of ["persons", "person_distinct_ids"])
    await db.execute(sql.raw(`vacuum analyze ${table}`));
}

type Ask = {
  name: string;
  path: string;
  body?: unknown;
  /** Whether it may cost more the more people there are. */
  grows: boolean;
};

const list = "/api/projects/1/persons/?limit=50";
const flags = "/api/projects/1/feature_flags/";
const pro = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
const where = (row: object) => `${list}&properties=${encodeURIComponent(JSON.stringify([row]))}`;
const change = { groups: [{ properties: [pro], rollout_percentage: 40 }] };

const ASKS: Ask[] = [
  { name: "first page of people", path: list, grows: false },
  { name: "hundredth page of people", path: `${list}&offset=5000`, grows: false },
  { name: "search: one person's address", path: `${list}&search=ada.7f39f8`, grows: false },
  { name: "search: nobody", path: `${list}&search=zzzqqq`, grows: false },
  { name: "search: everybody's domain", path: `${list}&search=corp.example`, grows: false },
  { name: "search: a first name", path: `${list}&search=Cleo`, grows: false },
  { name: "search: part of an id", path: `${list}&search=user-4711`, grows: false },
  { name: "search: two letters", path: `${list}&search=ad`, grows: false },
  { name: "filter: a fifth of the people", path: where(pro), grows: false },
  { name: "filter: one person", path: where({ key: "n", value: 77 }), grows: false },
  { name: "who changes, a part", path: `${flags}who_changes/`, body: { filters: change }, grows: false },
  {
    name: "who matches, everybody",
    path: `${flags}user_blast_radius/`,
    body: { condition: { properties: [pro] } },
    grows: true,
  },
];

const REPEATS = 7;

async function timeOf(service: BenchService, { path, body }: Ask): Promise<number> {
  const began = performance.now();
  const response = await fetch(service.base + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return performance.now() - began;
}

/** Half of the answers to each question came sooner than this, in milliseconds. */
async function measureSize(count: number): Promise<Map<string, number>> {
  const service = await startService(Number(PERSONS_PORT));
  try {
    const database = await openDatabase({ dataDir: service.folder });
    try {
      await seedPersons(database.db, count);
    } finally {
      await database.close();
    }
    const medians = new Map<string, number>();
    for (const ask of ASKS) {
      await timeOf(service, ask);
      const times: number[] = [];
      for (let i = 0; i < REPEATS; i++) times.push(await timeOf(service, ask));
      medians.set(ask.name, times.sort((a, b) => a - b)[REPEATS >> 1] ?? Number.NaN);
    }
    return medians;
  } finally {
    await service.stop();
  }
}

const cell = (value: number, digits = 1) => value.toFixed(digits).padStart(10);
/** Ten times the people may take so much longer where cost does not grow with them: deeper indexes, colder memory. */
const GROWTH_MAX = 2.5;
/** Below this, differences are of the clock and of the machine. */
const NOISE_MS = 15;

/** What asking for people costs, at a tenth of the size and at the size. */
export async function benchPersons(): Promise<void> {
  const count = Number(PERSONS);
  console.info(`\npeople: ${(count / 10).toLocaleString("en")} and ${count.toLocaleString("en")}; p50 in ms`);
  console.info(`${"".padEnd(32)}     tenth      full    growth`);
  const tenth = await measureSize(count / 10);
  const full = await measureSize(count);
  for (const { name, grows } of ASKS) {
    const [before = Number.NaN, after = Number.NaN] = [tenth.get(name), full.get(name)];
    const growth = after / before;
    const kept = growth <= GROWTH_MAX || after <= NOISE_MS;
    const verdict = grows ? "  grows with people" : kept ? "" : `  ABOVE ${GROWTH_MAX}x`;
    console.info(`${name.padEnd(32)}${cell(before)}${cell(after)}${cell(growth, 2)}x${verdict}`);
  }
}
