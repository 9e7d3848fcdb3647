/**
 * How long figures of experiments take: `node bench/experiments.ts`, or with the others by `npm run bench`.
 * EXPERIMENT_EVENTS events (a million unless given) by a tenth as many people, all of them in one experiment, a
 * twentieth in each of nineteen others; each has five metrics. Reading is measured at a tenth of the size, too.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createHandle } from "#lib/app/api.ts";
import { createRuntime } from "#lib/app/runtime.ts";
import { closeExperimentDays } from "#lib/experiments/results/jobs.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import { openDatabase } from "#lib/platform/db/connect.ts";
import { migrate } from "#lib/platform/db/migrate.ts";
import { DAYS, flagKey, loading, SMALL_SHARE, seedCalls, seedEvents, seedPeople } from "./experiment-seed.ts";
import { cpuSeconds } from "./service.ts";

const EVENTS = Number(process.env.EXPERIMENT_EVENTS ?? 1_000_000);
const EXPERIMENTS = 20;
const READS = 200;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

type Api = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;
type Made = { id: number; metrics: { uuid: string; fingerprint: string }[] };

const seconds = (since: number) => (performance.now() - since) / 1_000;

/** CPU time of this process and its database: what a busy machine makes of the clock does not change it. */
const spent = () => {
  const { node, database } = cpuSeconds(process.pid);
  return node + database;
};
const started = () => ({ at: performance.now(), cpu: spent() });
const took = (since: ReturnType<typeof started>) => {
  const elapsed = seconds(since.at);
  return { value: elapsed, text: `${elapsed.toFixed(1)} s (${(spent() - since.cpu).toFixed(1)} s of CPU)` };
};
const source = (event: number, fields = {}) => ({ kind: "EventsNode", event: `event ${event}`, ...fields });
const metric = (name: string, fields: object) => ({ kind: "ExperimentMetric", name, ...fields });

const metricsOf = (n: number) => [
  metric("count", { metric_type: "mean", source: source(n % 10) }),
  metric("sum", {
    metric_type: "mean",
    source: source((n + 1) % 10, { math: "sum", math_property: "amount" }),
  }),
  metric("funnel", { metric_type: "funnel", series: [source((n + 2) % 10), source((n + 3) % 10)] }),
  metric("ratio", {
    metric_type: "ratio",
    numerator: source((n + 4) % 10, { math: "sum", math_property: "amount" }),
    denominator: source((n + 5) % 10),
  }),
  metric("retention", {
    metric_type: "retention",
    start_event: source((n + 6) % 10),
    completion_event: source((n + 6) % 10),
    retention_window_start: 1,
    retention_window_end: 7,
    retention_window_unit: "day",
  }),
];

async function open() {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-experiments-"));
  const database = await openDatabase({ databaseUrl: undefined, dataDir: folder });
  await migrate(database);
  const first = await bootstrap(database.db, {});
  if (!first) throw new Error("The database is not empty.");
  const runtime = createRuntime(database.db, { encryption_key: Buffer.alloc(32, 7) });
  const handle = createHandle(runtime, {
    limits: { management: 0, definitions: 0, events: 0 },
    version: "bench",
  });
  const api: Api = async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${first.personal_api_key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await handle(new Request(`http://bench.test${path}`, init));
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const close = async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { db: database.db, runtime, api, close };
}

type Service = Awaited<ReturnType<typeof open>>;

const ROOT = "/api/projects/1/experiments/";

/** Waits for a first computation that takes longer than an answer waits. */
async function untilReady(api: Api, id: number): Promise<void> {
  for (;;) if ((await api("GET", `${ROOT}${id}/results/`)).state === "ready") return;
}

async function seed({ db }: Service, events: number, start: number, now: number): Promise<number> {
  const people = Math.max(1_000, Math.round(events / 10));
  await loading(db, async () => {
    await seedPeople(db, 1, people);
    for (let n = 0; n < EXPERIMENTS; n += 1)
      await seedCalls(
        db,
        flagKey(n),
        { first: 1, last: people, one_in: n === 0 ? 1 : SMALL_SHARE, turn: n },
        start,
        now - DAY_MS,
      );
    const calls = people + ((EXPERIMENTS - 1) * people) / SMALL_SHARE;
    await seedEvents(db, events - calls, people, start, now - HOUR_MS);
  });
  return people;
}

const create = async (api: Api, n: number, start: number, metrics: object[]) =>
  (await api("POST", ROOT, {
    name: `Experiment ${n}`,
    feature_flag_key: flagKey(n),
    start_date: new Date(start).toISOString(),
    metrics,
  })) as unknown as Made;

/** A day later: a tenth of the events is new, and so are some of the people. */
async function arrive({ db }: Service, events: number, people: number, from: number): Promise<number> {
  const fresh = Math.round(events / 10);
  const newcomers = Math.round(people / 50);
  await seedPeople(db, people + 1, people + newcomers);
  for (let n = 0; n < EXPERIMENTS; n += 1) {
    const among = { first: people + 1, last: people + newcomers, one_in: n === 0 ? 1 : SMALL_SHARE, turn: n };
    await seedCalls(db, flagKey(n), among, from, from + DAY_MS);
  }
  await seedEvents(db, fresh - newcomers * 2, people + newcomers, from, from + DAY_MS);
  return fresh;
}

const milliseconds = (value: number): Figure => ({ value, text: `${value.toFixed(1)} ms` });

async function readSeries(api: Api, { id, metrics: [first] }: Made): Promise<number> {
  const path = `${ROOT}${id}/timeseries_results/?metric_uuid=${first?.uuid}&fingerprint=${first?.fingerprint}`;
  const times: number[] = [];
  for (let i = 0; i < READS; i += 1) {
    const since = performance.now();
    await api("GET", path);
    times.push(performance.now() - since);
  }
  return times.sort((a, b) => a - b)[READS >> 1] ?? Number.NaN;
}

type Figure = { value: number; text: string };

/** What the floors are said of: ten million events, and an experiment of a million units. */
const FULL = 10_000_000;

/** A figure, and whether it is good enough, if there is a floor. */
function line(what: string, { value, text }: Figure, floor?: { below: number; unit: string }): void {
  const held = floor && value <= floor.below ? "pass" : "FAIL";
  const size = EVENTS < FULL ? ` (of ${FULL} events; these are ${EVENTS})` : "";
  const verdict = floor ? `${held}: at most ${floor.below}${floor.unit}${size}` : "";
  console.info(`${what.padEnd(60)}${text.padStart(28)}   ${verdict}`);
}

async function closeDays({ runtime, db }: Service, now: Date): Promise<void> {
  const signal = new AbortController().signal;
  const store = async () => undefined;
  await closeExperimentDays.execute({ runtime, db, now, key: "", payload: null, signal, store });
}

/** @returns median of reading 90 days, in milliseconds */
async function run(events: number, only: "reading" | "everything"): Promise<number> {
  const service = await open();
  const { api } = service;
  try {
    const now = Date.now();
    const start = Math.floor(now / DAY_MS) * DAY_MS - DAYS * DAY_MS;
    const began = performance.now();
    const people = await seed(service, events, start, now);
    if (only === "everything")
      console.info(`${events} events by ${people} people, made in ${seconds(began).toFixed(0)} s`);
    const first = await create(api, 0, start, metricsOf(0).slice(0, 1));
    const since = started();
    await untilReady(api, first.id);
    if (only === "everything")
      line(`first computation of one metric, ${people} units`, took(since), { below: 30, unit: " s" });
    const p50 = await readSeries(api, first);
    if (only === "reading") return p50;
    line("timeseries_results of 90 days, p50", milliseconds(p50), { below: 50, unit: " ms" });
    await api("PATCH", `${ROOT}${first.id}/`, { metrics: metricsOf(0) });
    for (let n = 1; n < EXPERIMENTS; n += 1) await create(api, n, start, metricsOf(n));
    const before = started();
    await closeDays(service, new Date(now));
    for (let n = 1; n <= EXPERIMENTS; n += 1) await untilReady(api, n);
    line("first computation of 20 experiments with 5 metrics each", took(before));
    const fresh = await arrive(service, events, people, now);
    const daily = started();
    await closeDays(service, new Date(now + 2 * DAY_MS));
    line(`daily update of all over ${fresh} new events`, took(daily), { below: 60, unit: " s" });
    const idle = performance.now();
    await api("GET", `${ROOT}1/results/`);
    line("results with nothing new", milliseconds(seconds(idle) * 1_000));
    return p50;
  } finally {
    await service.close();
  }
}

/** Prints the figures of experiments. */
export async function benchExperiments(): Promise<void> {
  console.info(`\nExperiments: ${cpus().length} cores, ${EVENTS} events (EXPERIMENT_EVENTS).`);
  const small = await run(EVENTS / 10, "reading");
  const large = await run(EVENTS, "everything");
  line("the same reading at a tenth of the events", milliseconds(small));
  const ratio = large / small;
  line("as long at ten times the events", { value: ratio, text: ratio.toFixed(2) }, { below: 1.3, unit: "" });
}

if (import.meta.main) await benchExperiments();
