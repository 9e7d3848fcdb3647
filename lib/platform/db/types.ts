import type { NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type pg from "pg";
import type { Availability } from "./availability.ts";

/** What queries are built on: the pool, or a transaction of it. */
export type Db = PgDatabase<NodePgQueryResultHKT, Record<string, never>>;

/** A transaction in progress; every Tx is a Db too. */
export type Tx = Parameters<Parameters<Db["transaction"]>[0]>[0];

/** A connected database and everything of this process that hangs on it. */
export type Database = {
  readonly db: Db;
  /** The same for jobs: connections of their own, on which a statement may take longer. */
  readonly jobs: Db;
  /**
   * The same for what evaluation reads: connections that no write holds, so that flags are answered while changes and
   * events wait for a slow disk.
   */
  readonly evaluation: Db;
  readonly pool: pg.Pool;
  readonly jobPool: pg.Pool;
  readonly evaluationPool: pg.Pool;
  readonly kind: "embedded" | "server";
  /** Which database this is, for people; never a secret. */
  readonly description: string;
  /** Known from the first subscription on. */
  readonly availability: Availability;
  /** Changes committed by any process on this database. */
  readonly notifications: Notifications;
  /** A connection of its own, outside the pool; the caller ends it. */
  connect(): Promise<pg.Client>;
  /** Waits for running queries, then stops what was started here (the embedded server too, if it is ours). */
  close(): Promise<void>;
};

type Handler = (payload: unknown) => void;

/** This process's subscription to changes that any process (itself included) commits. */
export type Notifications = {
  /**
   * Calls `handler` for each later commit that publishes on the topic. Resolves once nothing committed
   * from now on can be missed; call the result to stop.
   */
  subscribe(topic: string, handler: Handler): Promise<() => void>;
  /** Calls `handler` whenever messages may have been missed: everything remembered must be dropped. */
  onGap(handler: () => void): () => void;
  /** Resolves once handlers have been called for everything committed before. */
  caughtUp(): Promise<void>;
  /** Instead of a first connection: the database is away, and is connected to as soon as it answers. */
  startAway(lastAnswer: Date): void;
  close(): Promise<void>;
};
