/**
 * What an installation needs: `SIZES=1,10 npm run sizing` sends that many million events through `/batch/`, a tenth
 * as many people, calls of flags, purchases and survey answers among them, and prints at each size what is on disk, how
 * fast more is stored and how long reads take. Everything, the client too, is on one machine.
 */
import { availableParallelism } from "node:os";
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import { type Db, openDatabase } from "#lib/platform/db/connect.ts";
import { type BenchService, cpuSeconds, startService } from "./service.ts";

const MILLION = 1_000_000;
const { SIZES = "1,10", SIZING_PORT = "4193" } = process.env;
const sizes = SIZES.split(",").map((size) => Number(size) * MILLION);

const DAY_MS = 86_400_000;
const DAYS = 90;
const BATCH = 500;
const SENDERS = 6;
const READS = 21;
/** Every so many events somebody new comes. */
const EVENTS_OF_PERSON = 10;

const end = Date.now();

type Subjects = {
  flag: string;
  flag_id: number;
  survey: string;
  experiment_id: number;
  person_uuid?: string;
};

async function createSubjects({ api }: BenchService): Promise<Subjects> {
  const root = "/api/projects/1";
  const flag = "new-checkout";
  const purchase = { kind: "EventsNode", event: "purchase", math: "sum", math_property: "amount" };
  const experiment = await api("POST", `${root}/experiments/`, {
    name: "Checkout",
    feature_flag_key: flag,
    start_date: new Date(end - 14 * DAY_MS).toISOString(),
    metrics: [{ kind: "ExperimentMetric", metric_type: "mean", name: "Revenue", source: purchase }],
  });
  const survey = await api("POST", `${root}/surveys/`, {
    name: "Satisfaction",
    type: "popover",
    questions: [{ id: "why", type: "rating", display: "number", scale: 10, question: "How was it?" }],
    start_date: new Date(end - DAYS * DAY_MS).toISOString(),
  });
  const response = (await api("GET", `${root}/feature_flags/?search=${flag}`)) as unknown as {
    results: { id: number }[];
  };
  return {
    flag,
    flag_id: response.results[0]?.id ?? 0,
    survey: String(survey.id),
    experiment_id: experiment.id,
  };
}

const page = (n: number) => ({
  $current_url: `https://shop.example/catalogue/${n % 1_000}`,
  $browser: "Firefox",
  $session_id: `session-${Math.floor(n / 5)}`,
  $lib: "web",
});

/** The nth event of all: of twenty, ten page views, five calls of a flag, two purchases, two people, one answer. */
function eventOf(n: number, { flag, survey }: Subjects) {
  const person =
    n % 3 === 0 ? Math.floor(n / EVENTS_OF_PERSON) : (n * 7_919) % Math.ceil((n + 1) / EVENTS_OF_PERSON);
  const base = {
    uuid: uuidv7(),
    distinct_id: `person-${person}`,
    timestamp: new Date(end - DAYS * DAY_MS + ((n % MILLION) / MILLION) * DAYS * DAY_MS).toISOString(),
  };
  const kind = n % 20;
  if (kind < 10) return { ...base, event: "$pageview", properties: page(n) };
  if (kind < 15)
    return {
      ...base,
      event: "$feature_flag_called",
      properties: {
        ...page(n),
        $feature_flag: flag,
        $feature_flag_response: person % 2 ? "test" : "control",
      },
    };
  if (kind < 17)
    return {
      ...base,
      event: "purchase",
      properties: { ...page(n), amount: (n % 10_000) / 100, plan: "pro" },
    };
  if (kind < 19)
    return {
      ...base,
      event: "$identify",
      properties: {
        $set: {
          email: `person-${person}@corp.example`,
          name: `Person ${person}`,
          plan: person % 3 ? "free" : "pro",
        },
      },
    };
  const answer = { $survey_id: survey, $survey_completed: true, $survey_response_why: String(n % 11) };
  return { ...base, event: "survey sent", properties: answer };
}

/** Sends events from one number up to another. @returns how many a second were stored */
async function send(service: BenchService, subjects: Subjects, from: number, to: number): Promise<number> {
  const began = performance.now();
  let next = from;
  const sender = async () => {
    for (let first = next; first < to; first = next) {
      next += BATCH;
      const batch = Array.from({ length: Math.min(BATCH, to - first) }, (_, i) =>
        eventOf(first + i, subjects),
      );
      await service.api("POST", "/batch/", { api_key: service.token, historical_migration: true, batch });
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return (to - from) / ((performance.now() - began) / 1_000);
}

/** Bytes by table with its indexes, partitions counted with their table; those of a megabyte and more. */
async function tablesOf(db: Db): Promise<{ name: string; bytes: number }[]> {
  const { rows } = await db.execute<{ name: string; bytes: number }>(sql`
    select coalesce(i.inhparent, c.oid)::regclass::text as name, sum(pg_total_relation_size(c.oid))::float8 as bytes
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    group by 1 having sum(pg_total_relation_size(c.oid)) > ${MILLION} order by 2 desc`);
  return rows;
}

async function medianOf(service: BenchService, path: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < READS; i += 1) {
    const began = performance.now();
    await service.api("GET", path);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[READS >> 1] ?? Number.NaN;
}

const readsOf = ({ flag_id, survey, experiment_id }: Subjects) => {
  const root = "/api/projects/1";
  return {
    "latest events": `${root}/events/`,
    "latest events of a name": `${root}/events/?event=purchase`,
    "events of a person": `${root}/events/?distinct_id=person-7`,
    "search of people": `${root}/persons/?search=person-77@`,
    "calls of a flag": `${root}/feature_flags/${flag_id}/usage/`,
    "results of a survey": `${root}/surveys/${survey}/results/`,
    "results of an experiment": `${root}/experiments/${experiment_id}/results/`,
  };
};

/** Waits for a first computation that takes longer than an answer waits. @returns how long it took, in seconds */
async function computeFirst(service: BenchService, { experiment_id }: Subjects): Promise<number> {
  const began = performance.now();
  const path = `/api/projects/1/experiments/${experiment_id}/results/`;
  for (;;) {
    const answer = (await service.api("GET", path)) as unknown as { state: string };
    if (answer.state === "ready") return (performance.now() - began) / 1_000;
  }
}

const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MB`;
const line = (what: string, value: string) => console.info(`  ${what.padEnd(40)}${value.padStart(14)}`);

async function measure(
  service: BenchService,
  subjects: Subjects,
  events: number,
  rate: number,
): Promise<void> {
  const database = await openDatabase({ dataDir: service.folder });
  try {
    await database.db.execute(sql`vacuum analyze`);
    await database.db.execute(sql`checkpoint`);
    const tables = await tablesOf(database.db);
    const total = tables.reduce((sum, { bytes }) => sum + bytes, 0);
    console.info(
      `\n${events / MILLION} million events, ${events / EVENTS_OF_PERSON / MILLION} million people`,
    );
    line("on disk, a million events", megabytes((total / events) * MILLION));
    for (const { name, bytes } of tables) line(`  ${name}`, megabytes((bytes / events) * MILLION));
  } finally {
    await database.close();
  }
  line("events stored a second, the last ones", rate.toFixed(0));
  line("first results of the experiment", `${(await computeFirst(service, subjects)).toFixed(1)} s`);
  for (const [what, path] of Object.entries(readsOf(subjects)))
    line(what, `${(await medianOf(service, path)).toFixed(1)} ms`);
}

const service = await startService(Number(SIZING_PORT), String(availableParallelism()));
try {
  const subjects = await createSubjects(service);
  console.info(
    `${availableParallelism()} cores, ${SENDERS} senders of ${BATCH} events each, p50 of ${READS} reads.`,
  );
  let sent = 0;
  for (const size of sizes) {
    const before = cpuSeconds(service.pid);
    await send(service, subjects, sent, size - MILLION / 10);
    const rate = await send(service, subjects, size - MILLION / 10, size);
    const after = cpuSeconds(service.pid);
    await measure(service, subjects, size, rate);
    const cpu = after.node + after.database - before.node - before.database;
    line("CPU of a million events", `${((cpu / (size - sent)) * MILLION).toFixed(0)} s`);
    sent = size;
  }
} finally {
  await service.stop();
}
