import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { verify } from "#lib/app/rollups.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { eventually, PROJECT_TOKEN, type Process, startProcess } from "#testing/processes.ts";
import { setReadOnly } from "#testing/read-only.ts";
import { layLine } from "./line.ts";

export const FAULTS = ["frozen", "gone", "refusing", "read-only"] as const;
type Fault = (typeof FAULTS)[number];

/** What a process did while its database was away. */
export type Outcome = {
  fault: Fault;
  /** Of the reads that SDKs make, by name: how many, and the slowest per cent, once the fault was known. In ms. */
  reads: Record<string, { count: number; p99: number }>;
  /** The longest that anything waited while the fault was not known yet, in ms. */
  slowest_at_first: number;
  accepted_events: number;
  refused_writes: number;
  /** From the end of the fault to the first successful write, in ms. */
  recovered_after: number;
  /** What was not as it has to be, in words. */
  problems: string[];
};

/** By then a process has noticed; nothing may have waited much longer. */
const KNOWN_AFTER_MS = 1_200;

type Call = { name: string; at: number; ms: number; status: number; headers: Headers; json: unknown };

const everyone = { groups: [{ properties: [], rollout_percentage: 100 }] };
const pros = {
  groups: [
    {
      properties: [{ key: "plan", type: "person", operator: "exact", value: ["pro"] }],
      rollout_percentage: 100,
    },
  ],
};

async function prepare(process: Process): Promise<void> {
  const send = async (path: string, body: unknown, headers?: Record<string, string>) => {
    const answer = await process.call("POST", path, body, headers);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  await send("/api/projects/1/feature_flags/", { key: "for-all", active: true, filters: everyone });
  await send("/api/projects/1/feature_flags/", { key: "for-pros", active: true, filters: pros });
  const question = { type: "open", question: "Why?" };
  const survey = {
    name: "Why",
    type: "popover",
    questions: [question],
    start_date: new Date().toISOString(),
  };
  await send("/api/projects/1/surveys/", survey);
  const identify = { event: "$identify", distinct_id: "ann", properties: { $set: { plan: "pro" } } };
  await send("/batch", { api_key: PROJECT_TOKEN, batch: [identify] }, {});
}

/** What SDKs ask for, and what of the answer shows that it is the right one. */
const READS: Record<
  string,
  { call: (process: Process) => ReturnType<Process["call"]>; isRight: (json: never) => boolean }
> = {
  flags: {
    call: (process) =>
      process.call(
        "POST",
        "/flags?v=2",
        { token: PROJECT_TOKEN, distinct_id: "ann", person_properties: { plan: "pro" } },
        {},
      ),
    isRight: ({ flags }: { flags: Record<string, { enabled: boolean }> }) =>
      flags["for-all"]?.enabled === true && flags["for-pros"]?.enabled === true,
  },
  "flags of a stored person": {
    call: (process) => process.call("POST", "/flags?v=2", { token: PROJECT_TOKEN, distinct_id: "ann" }, {}),
    isRight: ({
      flags,
      errorsWhileComputingFlags,
    }: {
      flags: Record<string, { enabled: boolean; failed?: boolean }>;
      errorsWhileComputingFlags: boolean;
    }) =>
      flags["for-all"]?.enabled === true &&
      (flags["for-pros"]?.enabled === true ||
        (flags["for-pros"]?.failed === true && errorsWhileComputingFlags)),
  },
  definitions: {
    call: (process) => process.call("GET", "/flags/definitions?send_cohorts"),
    isRight: ({ flags }: { flags: unknown[] }) => flags.length >= 2,
  },
  ofrep: {
    call: (process) =>
      process.call(
        "POST",
        "/ofrep/v1/evaluate/flags",
        { context: { targetingKey: "ann", plan: "pro" } },
        { authorization: `Bearer ${PROJECT_TOKEN}` },
      ),
    isRight: ({ flags }: { flags: { key: string; value: unknown }[] }) =>
      flags.some(({ key, value }) => key === "for-pros" && value === true),
  },
  configuration: {
    call: (process) => process.call("GET", `/array/${PROJECT_TOKEN}/config`, undefined, {}),
    isRight: ({ hasFeatureFlags }: { hasFeatureFlags: boolean }) => hasFeatureFlags,
  },
  surveys: {
    call: (process) => process.call("GET", `/api/surveys?token=${PROJECT_TOKEN}`, undefined, {}),
    isRight: ({ surveys }: { surveys: unknown[] }) => surveys.length === 1,
  },
};

const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
};

type Options = {
  fault: Fault;
  seconds: number;
  /** The database, reached without the line. */
  database: Database;
  /** Where it is, and how a process connects to it through the line. */
  target: { host: string; port: number };
  urlAt: (port: number) => string;
  /** What reads may take once the fault is known: the slowest per cent, in ms. */
  p99_ms: number;
};

/** What is wrong with what SDKs get. */
async function wrongReads(process: Process, isStale: boolean): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, { call, isRight }] of Object.entries(READS)) {
    const { status, headers, text, json } = await call(process);
    if (status !== 200 || !isRight(json as never)) problems.push(`${name}: ${status} ${text.slice(0, 200)}`);
    if (headers.has("switchyard-stale-since") !== isStale)
      problems.push(`${name}: stale should be ${isStale}`);
  }
  return problems;
}

/** Starts a process whose embedded server refuses its settings, and then corrects them. */
export async function startWithBrokenServer(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-fault-"));
  const settings = join(folder, "postgres/18/postgresql.auto.conf");
  const running: Process[] = [];
  const start = async () => {
    const started = await startProcess({ DATA_DIR: folder });
    running.push(started);
    return started;
  };
  try {
    const first = await start();
    await prepare(first);
    const problems = await wrongReads(first, false);
    await first.end("SIGTERM");
    const before = readFileSync(settings, "utf8");
    writeFileSync(settings, "nonsense\n");
    const next = await start();
    problems.push(...(await wrongReads(next, true)));
    writeFileSync(settings, before);
    await eventually(async () => {
      const body = { key: "again", active: false, filters: everyone };
      return (await next.call("POST", "/api/projects/1/feature_flags/", body)).status === 201 || undefined;
    }, next.output);
    problems.push(...(await wrongReads(next, false)));
    await next.end("SIGTERM");
    return problems;
  } finally {
    for (const each of running) await each.end("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a process whose database is not there, with the memory of one that has ended, and then brings the database back. */
export async function startWithoutDatabase({
  target,
  urlAt,
}: Pick<Options, "target" | "urlAt">): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-fault-"));
  const line = await layLine(target);
  const env = { DATABASE_URL: urlAt(line.port), DATA_DIR: folder };
  const problems: string[] = [];
  const running: Process[] = [];
  const start = async () => {
    const started = await startProcess(env);
    running.push(started);
    return started;
  };
  const readAll = async (process: Process, isStale: boolean) =>
    void problems.push(...(await wrongReads(process, isStale)));
  try {
    const first = await start();
    await prepare(first);
    await readAll(first, false);
    await first.end("SIGTERM");
    for (const state of ["refusing", "gone"] as const) {
      await line.set(state);
      const next = await start();
      await readAll(next, true);
      const uuid = uuidv7();
      const batch = [{ event: "kept", distinct_id: "ann", uuid }];
      const sent = await next.call("POST", "/batch", { api_key: PROJECT_TOKEN, batch }, {});
      if (sent.status !== 200) problems.push(`an event: ${sent.status} ${sent.text}`);
      await line.set("open");
      await eventually(async () => {
        const body = { key: `back-from-${state}`, active: false, filters: everyone };
        return (await next.call("POST", "/api/projects/1/feature_flags/", body)).status === 201 || undefined;
      }, next.output);
      await eventually(async () => {
        const { json } = await next.call("GET", "/api/projects/1/events/?event=kept&limit=100");
        return json.results.some((event: { id: string }) => event.id === uuid) || undefined;
      }, next.output);
      await readAll(next, false);
      await next.end("SIGTERM");
    }
    return problems;
  } finally {
    for (const each of running) await each.end("SIGKILL");
    await line.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Takes the database away from a process that serves, for a while, and reports what the process did. */
export async function takeDatabaseAway(options: Options): Promise<Outcome> {
  const { fault, seconds, database, target, urlAt } = options;
  const folder = mkdtempSync(join(tmpdir(), "switchyard-fault-"));
  const line = await layLine(target);
  const process = await startProcess({
    DATABASE_URL: urlAt(line.port),
    DATA_DIR: folder,
    SDK_RATE_LIMIT_PER_MINUTE: "0",
  });
  const problems: string[] = [];
  const calls: Call[] = [];
  const accepted: string[] = [];
  let began = 0;
  const timed = async (name: string, call: () => ReturnType<Process["call"]>): Promise<Call> => {
    const start = performance.now();
    const { status, headers, json } = await call();
    const now = performance.now();
    const made = { name, at: start - began, ms: now - start, status, headers, json };
    calls.push(made);
    return made;
  };
  const record = (problem: string) => problems.length < 20 && problems.push(problem);
  try {
    await prepare(process);
    for (const { call } of Object.values(READS)) await call(process);
    began = performance.now();
    if (fault === "read-only") await setReadOnly(database, true);
    else await line.set(fault);
    const isOver = () => performance.now() - began > seconds * 1000;
    const repeat = async (pause: number, work: () => Promise<void>) => {
      while (!isOver()) {
        await work();
        await delay(pause);
      }
    };
    await Promise.all([
      ...Object.entries(READS).map(([name, { call, isRight }]) =>
        repeat(20, async () => {
          const { at, status, headers, json } = await timed(name, () => call(process));
          if (status !== 200 || !isRight(json as never))
            record(`${name} after ${Math.round(at)} ms: ${status} ${JSON.stringify(json).slice(0, 200)}`);
          const isMarked = headers.has("switchyard-stale-since");
          if (at > KNOWN_AFTER_MS && isMarked !== (fault !== "read-only"))
            record(`${name} after ${Math.round(at)} ms: ${isMarked ? "" : "not "}marked as stale`);
        }),
      ),
      repeat(40, async () => {
        const uuid = uuidv7();
        const event = { event: "during", distinct_id: "ann", uuid, properties: { $set: { last: uuid } } };
        const { at, status, json } = await timed("ingest", () =>
          process.call("POST", "/batch", { api_key: PROJECT_TOKEN, batch: [event] }, {}),
        );
        if (status === 200) accepted.push(uuid);
        else record(`an event after ${Math.round(at)} ms: ${status} ${JSON.stringify(json)}`);
      }),
      repeat(100, async () => {
        const body = { key: `during-${uuidv7()}`, active: false, filters: everyone };
        const { at, status, headers } = await timed("write", () =>
          process.call("POST", "/api/projects/1/feature_flags/", body),
        );
        if (status !== 503 || !headers.has("retry-after"))
          record(`a write after ${Math.round(at)} ms: ${status}`);
      }),
    ]);
    const restored = performance.now();
    if (fault === "read-only") await setReadOnly(database, false);
    else await line.set("open");
    await eventually(async () => {
      const body = { key: `after-${uuidv7()}`, active: false, filters: everyone };
      return (await process.call("POST", "/api/projects/1/feature_flags/", body)).status === 201 || undefined;
    }, process.output);
    const recovered = performance.now() - restored;
    const stored = async () => {
      const { rows } = await database.pool.query<{ uuid: string }>(
        "select uuid from events where event = 'during'",
      );
      return rows.map(({ uuid }) => uuid);
    };
    await eventually(async () => (await stored()).length >= accepted.length || undefined, process.output);
    const found = await stored();
    if (new Set(found).size !== found.length) record("an event is stored twice");
    for (const uuid of accepted)
      if (!found.includes(uuid)) record(`event ${uuid} was accepted and is not stored`);
    const { rows } = await database.pool.query(
      "select properties ->> 'last' as last from persons where properties ? 'last'",
    );
    if (rows[0]?.last !== accepted.at(-1))
      record("the events were not stored in the order in which they came");
    for (const { rollup, differences } of await verify(database.db))
      if (differences !== 0) record(`npm run verify: ${rollup} differs`);
    const known = calls.filter(({ at }) => at > KNOWN_AFTER_MS);
    const readsOf = (name: string) => {
      const own = known.filter((call) => call.name === name).map(({ ms }) => ms);
      return { count: own.length, p99: percentile(own, 0.99) };
    };
    const reads = Object.fromEntries(Object.keys(READS).map((name) => [name, readsOf(name)]));
    for (const [name, { p99 }] of Object.entries(reads))
      if (p99 > options.p99_ms) record(`${name}: the slowest per cent took ${p99} ms`);
    const writes = known.filter(({ name }) => name === "write");
    const slowestWrites = percentile(
      writes.map(({ ms }) => ms),
      0.99,
    );
    if (slowestWrites > options.p99_ms)
      record(`writes: the slowest per cent was refused after ${slowestWrites} ms`);
    return {
      fault,
      reads,
      slowest_at_first: Math.round(
        Math.max(...calls.filter(({ at }) => at <= KNOWN_AFTER_MS).map(({ ms }) => ms)),
      ),
      accepted_events: accepted.length,
      refused_writes: calls.filter(({ name, status }) => name === "write" && status === 503).length,
      recovered_after: Math.round(recovered),
      problems,
    };
  } finally {
    await process.end("SIGTERM");
    await line.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
