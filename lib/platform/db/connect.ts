import { setTimeout as delay } from "node:timers/promises";
import { drizzle } from "drizzle-orm/node-postgres";
import { PgTransaction, type PgTransactionConfig } from "drizzle-orm/pg-core";
import pg from "pg";
import { config, StartError } from "#lib/platform/config.ts";
import { createAvailability } from "./availability.ts";
import { clientClass, type Gate } from "./client.ts";
import { asDatabaseUnavailable, deepErrorCode } from "./errors.ts";
import { createNotifications } from "./notify.ts";
import type { Database, Db, Tx } from "./types.ts";

export type { Availability } from "./availability.ts";
export { asDatabaseUnavailable, DatabaseUnavailable } from "./errors.ts";
export type { Database, Db, Tx } from "./types.ts";

export type OpenOptions = {
  /** A PostgreSQL server; without it the embedded one is started in, or joined on, `dataDir`. */
  databaseUrl?: string | undefined;
  dataDir: string;
  /** Connections at most. */
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
  });
  const { host, port, user } = await supervisor.address();
  return connectTo({
    kind: "embedded",
    description: `embedded PostgreSQL in ${dataDir}`,
    connection: { host, port, user, database: supervisor.database },
    poolSize,
    gate: () => supervisor.address(),
    release: () => supervisor.close(),
  });
}

type Target = {
  kind: Database["kind"];
  description: string;
  connection: pg.ClientConfig;
  poolSize?: number | undefined;
  gate?: Gate;
  release?: () => Promise<void>;
};

/** Connections in a pool, where one process has the listener for itself; several share them. */
const CONNECTIONS = 20;
const LEAST_CONNECTIONS = 8;

/** A database at a known address, as `openDatabase` makes it once it has one. Connects on first use. */
export function connectTo({
  kind,
  description,
  connection,
  poolSize = CONNECTIONS,
  gate,
  release,
}: Target): Database {
  const settings: pg.ClientConfig = {
    ...connection,
    application_name: "switchyard",
    connectionTimeoutMillis: 15_000,
    keepAlive: true,
    // Days and hours in SQL mean UTC, whatever the server's own zone is.
    options: "-c TimeZone=UTC",
  };
  const { availability, ...reports } = createAvailability();
  const Pooled = clientClass(gate, availability);
  const pool = new pg.Pool({ ...settings, Client: Pooled, max: poolSize, idleTimeoutMillis: 60_000 });
  // An idle connection that breaks is replaced by the next query's; without a listener it would end the process.
  pool.on("error", () => undefined);
  const Client = clientClass(gate);
  const connect = async () => {
    const client = new Client(settings);
    await client.connect();
    return client;
  };
  const notifications = createNotifications(connect, reports);
  let closed: Promise<void> | undefined;
  const shut = async () => {
    await notifications.close();
    await pool.end();
    await release?.();
  };
  const close = () => {
    closed ??= shut();
    return closed;
  };
  return { db: drizzle(pool), pool, kind, description, availability, notifications, connect, close };
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
  const startAway = () => {
    if (lastAnswer && opened.availability.away_since === null) opened.notifications.startAway(lastAnswer);
  };
  const late = lastAnswer && setTimeout(startAway, FIRST_CONTACT_MS);
  try {
    const { rows } = await opened.pool.query<{ version: number }>(
      "select current_setting('server_version_num')::int as version",
    );
    const version = rows[0]?.version ?? 0;
    if (version < 150_000) throw new StartError("DATABASE_URL must point to PostgreSQL 15 or later.");
  } catch (error) {
    if (lastAnswer && asDatabaseUnavailable(error)) return startAway();
    await opened.close();
    if (error instanceof StartError) throw error;
    throw new StartError(`${opened.description} cannot be used: ${reasonOf(error)}.`);
  } finally {
    clearTimeout(late);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  return inner === undefined ? error.message : reasonOf(inner);
}

const RETRIES = 5;

/**
 * Runs `work` in a transaction, again (from the start, a few times) when the database broke it off to
 * resolve a deadlock or a serialization conflict. Inside a transaction it joins that one.
 *
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
      return await db.transaction(work, options);
    } catch (error) {
      const code = deepErrorCode(error);
      if ((code !== "40001" && code !== "40P01") || attempt > RETRIES)
        throw asDatabaseUnavailable(error) ?? error;
      await delay(Math.random() * 10 * 2 ** attempt);
    }
  }
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
