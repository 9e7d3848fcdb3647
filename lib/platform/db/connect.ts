import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "drizzle-orm/logger";
import { drizzle } from "drizzle-orm/node-postgres";
import { PgTransaction, type PgTransactionConfig } from "drizzle-orm/pg-core";
import pg from "pg";
import { config, StartError } from "#lib/platform/config.ts";
import { createAvailability } from "./availability.ts";
import { clientClass, type Gate, textOf, traced } from "./client.ts";
import { checkTrial, withCheck } from "./commit-check.ts";
import { COMMIT_WITHOUT_WAITING, createFlush } from "./durability.ts";
import { asDatabaseUnavailable, deepErrorCode } from "./errors.ts";
import { createNotifications } from "./notify.ts";
import { looksLikeWrite, unlessReadOnly } from "./read-only.ts";
import type { Database, Db, Tx } from "./types.ts";

export type { Availability } from "./availability.ts";
export { asDatabaseUnavailable, DatabaseUnavailable } from "./errors.ts";
export type { Database, Db, Tx } from "./types.ts";

/**
 * How long a statement may take, in ms, by who waits for it: a request; a job; a command or a migration, on a connection
 * of its own. The database breaks off what takes longer.
 */
export const STATEMENT_LIMITS_MS = { request: 60_000, job: 900_000, command: 6 * 3_600_000 } as const;

/** How long anything waits for a connection of a pool. */
const POOL_WAIT_MS = 1_000;
/** How long a connection outside the pools may take to be made. */
const CONNECT_MS = 15_000;
/** A pool waits as long for the embedded server, so that it has time left to connect. */
const GATE_SHARE = 0.8;
/** Connections for jobs, and for evaluation, at most. */
const JOB_CONNECTIONS = 4;
const EVALUATION_CONNECTIONS = 4;

export type OpenOptions = {
  /** A PostgreSQL server; without it the embedded one is started in, or joined on, `dataDir`. */
  databaseUrl?: string | undefined;
  dataDir: string;
  /** Connections for requests at most. */
  poolSize?: number;
  /** Where to keep the embedded server's programs instead of DATA_DIR/runtime. */
  runtimeDir?: string;
  /**
   * When it last answered, where a process can do without it: a server that does not answer now is then taken to be
   * away, instead of stopping the start.
   */
  lastAnswer?: Date | undefined;
  /** Settings of the embedded server on top of ours, for tests. */
  settings?: Record<string, string>;
};

/**
 * Opens the database that the options name. It does not migrate.
 *
 * @throws StartError in one sentence when the database cannot be started or reached
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { databaseUrl, dataDir, poolSize, runtimeDir, settings, lastAnswer } = options;
  if (databaseUrl !== undefined) {
    const connection = { connectionString: databaseUrl };
    const opened = connectTo({
      kind: "server",
      description: withoutSecrets(databaseUrl),
      connection,
      poolSize,
    });
    await firstContact(opened, lastAnswer);
    return opened;
  }
  // Loaded only here: a process on DATABASE_URL never touches the supervisor.
  const { Supervisor } = await import("#lib/platform/db/embedded/supervisor.ts");
  const supervisor = await Supervisor.start({
    dataDir,
    ...(runtimeDir !== undefined && { runtimeDir }),
    ...(settings !== undefined && { settings }),
    canWait: lastAnswer !== undefined,
  });
  const { host, port, user } = supervisor.isDown ? supervisor.place : await supervisor.address();
  const opened = connectTo({
    kind: "embedded",
    description: `embedded PostgreSQL in ${dataDir}`,
    connection: { host, port, user, database: supervisor.database },
    poolSize,
    gate: (patienceMs) => supervisor.address(patienceMs),
    release: () => supervisor.close(),
  });
  if (supervisor.isDown && lastAnswer) opened.notifications.startAway(lastAnswer);
  return opened;
}

type Target = {
  kind: Database["kind"];
  description: string;
  connection: pg.ClientConfig;
  poolSize?: number | undefined;
  /** How long anything waits for a connection of a pool, in ms; a second unless given. */
  poolWaitMs?: number | undefined;
  gate?: Gate;
  release?: () => Promise<void>;
};

/** Connections for requests, where one process has the listener for itself; several share them. */
const CONNECTIONS = 16;
const LEAST_CONNECTIONS = 8;

/** Statements that still run when everything else has ended are given up after that: those of jobs may take minutes. */
const END_MS = 2_000;

/** What is the same for every connection. */
export const sessionSettings = (limit: keyof typeof STATEMENT_LIMITS_MS): pg.ClientConfig => ({
  application_name: "switchyard",
  keepAlive: true,
  // Days and hours in SQL mean UTC, whatever the server's own zone is.
  options: `-c TimeZone=UTC -c statement_timeout=${STATEMENT_LIMITS_MS[limit]}`,
});

/** A database at a known address, as `openDatabase` makes it once it has one. Connects on first use. */
export function connectTo(target: Target): Database {
  const {
    kind,
    description,
    connection,
    poolSize = CONNECTIONS,
    poolWaitMs = POOL_WAIT_MS,
    gate,
    release,
  } = target;
  const settingsFor = (limit: keyof typeof STATEMENT_LIMITS_MS): pg.ClientConfig => ({
    ...connection,
    ...sessionSettings(limit),
    connectionTimeoutMillis: limit === "command" ? CONNECT_MS : poolWaitMs,
  });
  const { availability, ...reports } = createAvailability();
  const Pooled = clientClass(gate, poolWaitMs * GATE_SHARE, availability);
  const newPool = (settings: pg.ClientConfig, max: number) => {
    const made = new pg.Pool({ ...settings, Client: Pooled, max, idleTimeoutMillis: 60_000 });
    // An idle connection that breaks is replaced by the next query's; without a listener it would end the process.
    made.on("error", () => undefined);
    return made;
  };
  const flushPool = newPool(settingsFor("request"), 1);
  const flush = createFlush(flushPool);
  const poolFor = (limit: "request" | "job", max: number) => {
    const settings = settingsFor(limit);
    const made = newPool({ ...settings, options: `${settings.options} ${COMMIT_WITHOUT_WAITING}` }, max);
    flushes.set(made, flush);
    made.query = traced(durableWrites(made));
    return made;
  };
  const pool = poolFor("request", poolSize);
  const jobPool = poolFor("job", JOB_CONNECTIONS);
  const evaluationPool = poolFor("request", EVALUATION_CONNECTIONS);
  const Client = clientClass(gate, CONNECT_MS * GATE_SHARE);
  const connect = async () => {
    const client = new Client(settingsFor("command"));
    await client.connect();
    return client;
  };
  const notifications = createNotifications(connect, reports);
  let closed: Promise<void> | undefined;
  const shut = async () => {
    await notifications.close();
    const ended = Promise.all([pool, jobPool, evaluationPool].map((each) => each.end()));
    // What they wrote last is still made durable.
    const flushed = ended.then(() => flushPool.end());
    await Promise.race([flushed, delay(END_MS, undefined, { ref: false })]);
    await release?.();
  };
  const close = () => {
    closed ??= shut();
    return closed;
  };
  return {
    db: drizzle(pool),
    jobs: drizzle(jobPool),
    evaluation: drizzle(evaluationPool),
    pool,
    jobPool,
    evaluationPool,
    kind,
    description,
    availability,
    notifications,
    connect,
    close,
  };
}

/** What makes the commits of a pool's connections durable. */
const flushes = new WeakMap<pg.Pool, () => Promise<void>>();

/** Statements on any connection of a pool, of which those that write are durable once they resolve. */
function durableWrites(pool: pg.Pool): pg.Pool["query"] {
  return new Proxy(pool.query.bind(pool), {
    apply(target, self, args: unknown[]) {
      const run = () => Reflect.apply(target, self, args);
      if (typeof args.at(-1) === "function" || !looksLikeWrite(textOf(args[0]))) return run();
      return unlessReadOnly(pool, run).then(async (result) => {
        await flushes.get(pool)?.();
        return result;
      });
    },
  });
}

function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return "PostgreSQL server";
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = hostname || searchParams.get("host") || "localhost";
  return `PostgreSQL at ${decodeURIComponent(host)}${port && `:${port}`}${pathname === "/" ? "" : pathname}`;
}

/** How long a process that can do without its database waits for it at first. */
const FIRST_CONTACT_MS = 3_000;

async function firstContact(opened: Database, lastAnswer: Date | undefined): Promise<void> {
  const answer = versionOf(opened);
  const late = new AbortController();
  const patience = lastAnswer
    ? [delay(FIRST_CONTACT_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined)]
    : [];
  try {
    const version = await Promise.race([answer, ...patience]);
    if (version !== undefined && version < 150_000)
      throw new StartError("DATABASE_URL must point to PostgreSQL 15 or later.");
    if (version === undefined && lastAnswer) opened.notifications.startAway(lastAnswer);
  } catch (error) {
    if (lastAnswer && asDatabaseUnavailable(error)) return opened.notifications.startAway(lastAnswer);
    await opened.close();
    if (error instanceof StartError) throw error;
    throw new StartError(`${opened.description} cannot be used: ${reasonOf(error)}.`);
  } finally {
    late.abort();
    // Whoever did not wait for it has learned enough.
    answer.catch(() => undefined);
  }
}

/** How long a start waits for a database server that is still starting up. */
const STARTING_MS = 30_000;

async function connectOnceStarted(opened: Database): Promise<pg.Client> {
  for (const deadline = performance.now() + STARTING_MS; ; await delay(100)) {
    try {
      return await opened.connect();
    } catch (error) {
      if (deepErrorCode(error) !== "57P03" || performance.now() > deadline) throw error;
    }
  }
}

async function versionOf(opened: Database): Promise<number> {
  const client = await connectOnceStarted(opened);
  try {
    const { rows } = await client.query<{ version: number }>(
      "select current_setting('server_version_num')::int as version",
    );
    return rows[0]?.version ?? 0;
  } finally {
    await client.end();
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  return inner === undefined ? error.message : reasonOf(inner);
}

/** Null where all statements share a connection. */
function poolOf(db: Db): pg.Pool | null {
  const client = "$client" in db ? db.$client : null;
  return client instanceof pg.Pool ? client : null;
}

/** A transaction on a connection that goes back to its pool however it ends: where it cannot begin, too. */
async function transactionOn<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  options: PgTransactionConfig | undefined,
): Promise<T> {
  const pool = poolOf(db);
  if (!pool) return db.transaction(work, options);
  let writes = false;
  const logger: Logger = {
    logQuery: (text) => {
      writes ||= looksLikeWrite(text);
    },
  };
  const run = async () => {
    const client = await pool.connect();
    let isBroken = false;
    try {
      return await drizzle(client, { logger }).transaction(work, options);
    } catch (error) {
      isBroken = asDatabaseUnavailable(error) !== null;
      throw error;
    } finally {
      client.release(isBroken);
    }
  };
  if (options?.accessMode === "read only") return run();
  const result = await unlessReadOnly(pool, run);
  if (writes) await flushes.get(pool)?.();
  return result;
}

const RETRIES = 5;

/**
 * Runs `work` in a transaction, again (from the start, a few times) when the database broke it off to
 * resolve a deadlock or a serialization conflict. Inside a transaction it joins that one.
 *
 * @param options.accessMode "read only" for work that is also done while the database is read-only
 * @throws DatabaseUnavailable when the connection is lost; whatever `work` throws rolls back
 */
export async function inTransaction<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  options?: PgTransactionConfig,
): Promise<T> {
  if (db instanceof PgTransaction) return work(db);
  for (let attempt = 1; ; attempt++) {
    try {
      return await transactionOn(db, withCheck(work), options);
    } catch (error) {
      const code = deepErrorCode(error);
      if ((code !== "40001" && code !== "40P01") || attempt > RETRIES)
        throw asDatabaseUnavailable(error) ?? error;
      await delay(Math.random() * 10 * 2 ** attempt);
    }
  }
}

class TakenBack extends Error {
  readonly granted: unknown;
  constructor(granted: unknown) {
    super("Tried, and taken back.");
    this.granted = granted;
  }
}

/**
 * Tries what is going to be done later, and takes it back.
 *
 * @returns what the check of commits in force would let it through for; null where there is none
 * @throws what `work` or that check throws
 */
export async function tryOut(db: Db, work: (tx: Db) => Promise<unknown>): Promise<unknown> {
  try {
    await inTransaction(db, (tx) =>
      tx.transaction(async (part) => {
        await work(part);
        throw new TakenBack(await checkTrial(tx));
      }),
    );
  } catch (error) {
    if (error instanceof TakenBack) return error.granted;
    throw error;
  }
  return null;
}

/**
 * Reads that do not depend on one another: on connections of their own, unless they have to share one.
 *
 * @param queries not run yet, as the query builder makes them
 */
export async function readConcurrently<T extends readonly PromiseLike<unknown>[]>(
  db: Db,
  ...queries: T
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  if (poolOf(db)) return Promise.all(queries);
  const results: unknown[] = [];
  for (const query of queries) results.push(await query);
  return results as { -readonly [I in keyof T]: Awaited<T[I]> };
}

const slot = Symbol.for("switchyard.database");
const shared: typeof globalThis & { [slot]?: Promise<Database> | undefined } = globalThis;

/**
 * The process's one database, opened and migrated on first use and shared by every copy of this module
 * that bundlers make.
 *
 * @param lastAnswer for a process that can do without it at first; see OpenOptions. It then has to be migrated later
 * @throws StartError when it cannot be opened; the next call tries again
 */
export function database(lastAnswer?: Date): Promise<Database> {
  shared[slot] ??= openShared(lastAnswer).catch((error: unknown) => {
    shared[slot] = undefined;
    throw error;
  });
  return shared[slot];
}

async function openShared(lastAnswer: Date | undefined): Promise<Database> {
  const { databaseUrl, dataDir, processes } = config();
  const poolSize = Math.max(LEAST_CONNECTIONS, Math.ceil(CONNECTIONS / processes));
  const opened = await openDatabase({ databaseUrl, dataDir, lastAnswer, poolSize });
  if (opened.availability.away_since !== null) return opened;
  try {
    const { migrate } = await import("./migrate.ts");
    await migrate(opened);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}
