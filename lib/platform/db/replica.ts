import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { log } from "#lib/platform/log.ts";
import { clientClass } from "./client.ts";
import { sessionSettings } from "./connect.ts";
import { asDatabaseUnavailable, deepErrorCode } from "./errors.ts";
import type { Db } from "./types.ts";

/** A standby server that follows the database, for large reads that need not have the last second. */
export type Replica = {
  /**
   * What a project's large reads are answered from.
   *
   * @returns null where only the database itself will do: the replica does not answer, is too far behind, or does not
   *   have the project's last change yet
   */
  forReads(projectId: number): { db: Db; as_of: Date } | null;
  /** Tells that something of a project has just been changed: who changed it expects to read it. */
  changed(projectId: number): void;
  readonly status: ReplicaStatus;
  close(): Promise<void>;
};

type ReplicaStatus = {
  /** Up to which moment it has everything that was committed; null: not known. */
  as_of: Date | null;
  /** Why reads are answered by the database itself; null: they are not. */
  problem: string | null;
};

const CHECK_MS = 1_000;
/** A replica that is further behind is not used. */
const REPLICA_LAG_MAX_MS = 30_000;
const CONNECT_MS = 1_000;
/** Projects whose changes the replica may still lack. */
const CHANGES_MAX = 10_000;

/** Whether a read failed for a reason that the database itself does not have: it can be asked instead. */
export const replicaFailed = (error: unknown): boolean =>
  // A standby breaks off statements that need rows which the database has removed since.
  deepErrorCode(error) === "40001" || asDatabaseUnavailable(error) !== null;

/** A position in the log of changes that both servers agree on. */
const position = (lsn: string) => `pg_wal_lsn_diff(${lsn}, '0/0')::text`;

const PAGE_BYTES = 8_192n;
const HEADERS_BYTES = [24n, 40n];

/** Where the log ends, as a standby says it: without the header of a page on which there is nothing yet. */
function endOf(inserted: string): bigint {
  const lsn = BigInt(inserted);
  const inPage = lsn % PAGE_BYTES;
  return HEADERS_BYTES.includes(inPage) ? lsn - inPage : lsn;
}

/**
 * Follows a replica: once a second it notes how far the database has come, and what of that the replica has.
 *
 * @param primary connections to the database itself
 */
export function openReplica(connectionString: string, primary: pg.Pool): Replica {
  const pool = new pg.Pool({
    connectionString,
    ...sessionSettings("request"),
    connectionTimeoutMillis: CONNECT_MS,
    Client: clientClass(undefined, CONNECT_MS),
    max: primary.options.max,
    idleTimeoutMillis: 60_000,
  });
  // An idle connection that breaks is replaced by the next query's.
  pool.on("error", () => undefined);
  const db = drizzle(pool);
  /** How far the database had come, and when; the oldest first. */
  let passed: { at: Date; lsn: bigint }[] = [];
  let asOf: Date | null = null;
  let problem: string | null = "it has not been asked yet";
  const changes = new Map<number, number>();

  const check = async (): Promise<string | null> => {
    const at = new Date();
    const inserted = await primary.query<{ lsn: string }>(
      `select ${position("pg_current_wal_insert_lsn()")} as lsn`,
    );
    passed.push({ at, lsn: endOf(inserted.rows[0]?.lsn ?? "0") });
    const { rows } = await pool.query<{ lsn: string | null }>(
      `select ${position("pg_last_wal_replay_lsn()")} as lsn`,
    );
    const replayed = rows[0]?.lsn;
    if (replayed === null || replayed === undefined) return "it does not follow any database";
    const has = passed.findLast(({ lsn }) => lsn <= BigInt(replayed));
    if (has) {
      asOf = has.at;
      passed = passed.filter((each) => each.at > has.at);
      for (const [id, changedAt] of changes) if (changedAt < has.at.getTime()) changes.delete(id);
    }
    passed = passed.slice(-(REPLICA_LAG_MAX_MS / CHECK_MS));
    if (asOf === null) return "it has not caught up yet";
    return Date.now() - asOf.getTime() <= REPLICA_LAG_MAX_MS ? null : "it is too far behind";
  };

  const note = (next: string | null) => {
    if (next === problem) return;
    if (next !== null) log().warn(`The read replica is not used: ${next}.`);
    else log().info("The read replica is used.");
    problem = next;
  };

  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const follow = async (): Promise<void> => {
    try {
      note(await check());
    } catch (error) {
      // Only the code: what the driver says may quote the connection string.
      note(
        asDatabaseUnavailable(error)
          ? "it cannot be reached"
          : `it cannot be asked (${deepErrorCode(error)})`,
      );
    }
    if (!closed) timer = setTimeout(follow, CHECK_MS).unref();
  };
  const first = follow();

  return {
    forReads(projectId) {
      const tooOld = Date.now() - REPLICA_LAG_MAX_MS;
      if (problem !== null || asOf === null || asOf.getTime() < tooOld || changes.has(projectId)) return null;
      return { db, as_of: asOf };
    },
    changed(projectId) {
      changes.set(projectId, Date.now());
      // So many at once: until it has caught up with them, it is of no use.
      if (changes.size > CHANGES_MAX) {
        changes.clear();
        passed = [];
        asOf = null;
        note("it does not have recent changes yet");
      }
    },
    get status() {
      return { as_of: asOf, problem };
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await first;
      await pool.end();
    },
  };
}
