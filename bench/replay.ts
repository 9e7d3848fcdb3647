import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { type Db, openDatabase } from "#lib/platform/db/connect.ts";
import { LINES } from "#lib/platform/http/progress-schema.ts";
import { middle, startProbe, timeOf } from "./persons.ts";
import { type BenchService, cpuSeconds, startService } from "./service.ts";

const { CALLS = "1000000", CALLERS = "200000", REPLAY_PORT = "4193" } = process.env;

/** A statement may take no longer than any other. */
const SEEDED_AT_ONCE = 50_000;
const KEY = "checkout";

/** Calls of the flag over seven days, and as many of others beside them; half of the people have two distinct ids. */
async function seedCalls(db: Db, calls: number, callers: number): Promise<void> {
  await db.execute(sql`
    with made as (
      insert into persons (project_id, properties)
      select 1, jsonb_build_object('plan', (array['free','free','free','pro','team'])[1 + n % 5], 'n', n)
      from generate_series(0, ${callers}::int - 1) n order by n returning id, (properties ->> 'n')::int as n
    )
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select 1, 'user-' || n, id from made union all select 1, 'anon-' || n, id from made where n % 2 = 0`);
  for (let first = 0; first < 2 * calls; first += SEEDED_AT_ONCE)
    await db.execute(sql`
      insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
      select 1, gen_random_uuid(), '$feature_flag_called',
        case when n % 3 = 0 and (n / 2 % ${callers}::int) % 2 = 0 then 'anon-' else 'user-' end || (n / 2 % ${callers}::int),
        now() - interval '6 days' + n * (interval '6 days' / ${2 * calls}::int),
        jsonb_build_object('$feature_flag', case when n % 2 = 0 then ${KEY}::text else 'flag-' || n % 50 end,
          '$feature_flag_response', (array['control', 'test'])[1 + n / 2 % 2], '$lib', 'web', '$lib_version', '1.200.0',
          '$session_id', gen_random_uuid(), '$current_url', 'https://shop.example/checkout/' || n,
          '$browser', 'Firefox', '$os', 'Linux')
      from generate_series(${first}::int, ${Math.min(2 * calls, first + SEEDED_AT_ONCE) - 1}::int) n`);
  await db.execute(sql`
    insert into feature_flag_calls_daily (project_id, feature_flag_key, day, response, calls, last_called_at)
    select 1, properties ->> '$feature_flag', (timestamp at time zone 'UTC')::date,
      properties ->> '$feature_flag_response', count(*), max(timestamp) from events group by 1, 2, 3, 4`);
  for (const table of ["persons", "person_distinct_ids", "events"])
    await db.execute(sql.raw(`vacuum analyze ${table}`));
}

const split = (first: number) => ({
  variants: [
    { key: "control", rollout_percentage: first },
    { key: "test", rollout_percentage: 100 - first },
  ],
});
const plan = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
const filters = { groups: [{ properties: [], rollout_percentage: 100 }], multivariate: split(50) };
const DRAFTS = [
  { name: "another split", draft: { filters: { ...filters, multivariate: split(70) } } },
  {
    name: "by a property",
    draft: { filters: { ...filters, groups: [{ properties: [plan], rollout_percentage: 50 }] } },
  },
];

/** The most memory that a process has had, in MB. */
const memoryOf = (pid: number) =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024);

/** How long requests are measured beside which nothing else runs. */
const IDLE_MS = 2_000;
const SIZES = [10, 1];

async function measure(service: BenchService, id: number): Promise<void> {
  const stop = startProbe(service);
  await delay(IDLE_MS);
  const usual = middle(await stop());
  for (const { name, draft } of DRAFTS) {
    const before = cpuSeconds(service.pid);
    const stopBeside = startProbe(service);
    const elapsed = await timeOf(
      service,
      "/api/projects/1/feature_flags/replay/",
      { id, days: 7, draft },
      LINES,
    );
    const times = await stopBeside();
    const after = cpuSeconds(service.pid);
    console.info(
      `${name.padEnd(16)} ${(elapsed / 1_000).toFixed(1)} s; others delayed by ${(Math.max(...times) - usual).toFixed(0)} ms at most; CPU s: node ${(after.node - before.node).toFixed(1)}, database ${(after.database - before.database).toFixed(1)}; memory ${memoryOf(service.pid)} MB`,
    );
  }
}

/** What replaying the calls of a flag costs, at a tenth of the size and at the size. */
export async function benchReplay(): Promise<void> {
  for (const part of SIZES) {
    const service = await startService(Number(REPLAY_PORT));
    try {
      const { id } = await service.api("POST", "/api/projects/1/feature_flags/", {
        key: KEY,
        active: true,
        filters,
      });
      const database = await openDatabase({ dataDir: service.folder });
      try {
        await seedCalls(database.db, Number(CALLS) / part, Number(CALLERS) / part);
      } finally {
        await database.close();
      }
      console.info(`\n${Number(CALLS) / part} calls by ${Number(CALLERS) / part} people`);
      await measure(service, id);
    } finally {
      await service.stop();
    }
  }
}

/** `node bench/replay.ts` measures replays alone. */
if (import.meta.main) await benchReplay();
