import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { PgDialect } from "drizzle-orm/pg-core";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import type { Db } from "./connect.ts";

/**
 * A row of a binary COPY: where each field begins in `bytes`, and its length; -1 is null. The row is good only
 * until the next one is visited.
 */
export type CopiedRow = { bytes: Buffer; starts: Int32Array; lengths: Int32Array };

/** One moment of the database, read by a connection of its own. */
export type Snapshot = {
  db: Db;
  /** Visits every row of a query, as PostgreSQL's binary format has it: large reads, without objects. */
  copy(query: SQL, visit: (row: CopiedRow) => void): Promise<void>;
};

/** Of a row: PostgreSQL has no more columns in an answer. */
const FIELDS_MAX = 1_664;
/** A signature, flags, and the length of what follows. */
const HEADER = 11 + 4 + 4;

/** Takes rows out of chunks that may end anywhere. */
class Rows {
  readonly #visit: (row: CopiedRow) => void;
  readonly #starts = new Int32Array(FIELDS_MAX);
  readonly #lengths = new Int32Array(FIELDS_MAX);
  #rest: Buffer = Buffer.alloc(0);
  #begun = false;

  constructor(visit: (row: CopiedRow) => void) {
    this.#visit = visit;
  }

  /** Where the row at `from` ends; -1 where it is not all there, or is no row but the end. */
  #measure(bytes: Buffer, from: number): number {
    if (from + 2 > bytes.length) return -1;
    const fields = bytes.readInt16BE(from);
    let at = from + 2;
    for (let i = 0; i < fields; i++) {
      if (at + 4 > bytes.length) return -1;
      const length = bytes.readInt32BE(at);
      this.#starts[i] = at + 4;
      this.#lengths[i] = length;
      at += 4 + Math.max(0, length);
    }
    return fields < 0 || at > bytes.length ? -1 : at;
  }

  take(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    if (!this.#begun) {
      if (bytes.length < HEADER) {
        this.#rest = bytes;
        return;
      }
      at = HEADER + bytes.readInt32BE(HEADER - 4);
      this.#begun = true;
    }
    for (let end = this.#measure(bytes, at); end >= 0; end = this.#measure(bytes, at)) {
      this.#visit({ bytes, starts: this.#starts, lengths: this.#lengths });
      at = end;
    }
    this.#rest = bytes.subarray(at);
  }
}

const poolOf = (db: Db): pg.Pool => {
  if ("$client" in db && db.$client instanceof pg.Pool) return db.$client;
  throw new TypeError("A snapshot is taken of the database, not inside a transaction.");
};

/** Reads in one snapshot of the database, in a transaction that writes nothing. */
export async function inSnapshot<T>(db: Db, read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const client = await poolOf(db).connect();
  const copy: Snapshot["copy"] = async (query, visit) => {
    const { sql } = new PgDialect().sqlToQuery(query.inlineParams());
    const rows = new Rows(visit);
    for await (const chunk of client.query(copyTo(`copy (${sql}) to stdout (format binary)`)))
      rows.take(chunk);
  };
  let broken: Error | undefined;
  try {
    await client.query("begin isolation level repeatable read read only");
    const found = await read({ db: drizzle(client), copy });
    await client.query("commit");
    return found;
  } catch (error) {
    // Who leaves a read in the middle leaves rows on their way: the connection goes, and its transaction with it.
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(broken);
  }
}
