import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { z } from "zod";
import {
  BACKUP_VERSION,
  frame,
  type Head,
  line,
  type TableHead,
  type Tail,
} from "#lib/platform/db/backup-file.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { insertBackup } from "./backups-store.ts";
import { runCommand } from "./command.ts";

export type Summary = { tables: number; rows: number };

/**
 * Writes every row as of one moment to a file, while the application goes on. The file appears only when it
 * is whole; it holds people's data and so is its owner's alone to read. DATA_DIR/secrets is not part of it.
 *
 * @param signal gives up
 */
export async function writeBackup(database: Database, file: string, signal?: AbortSignal): Promise<Summary> {
  const summary = { tables: 0, rows: 0 };
  const draft = `${file}.${process.pid}.tmp`;
  const client = await database.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    await client.query("set local idle_in_transaction_session_timeout = 0");
    const gzip = createGzip({ level: constants.Z_BEST_SPEED });
    const target = createWriteStream(draft, { mode: 0o600, flush: true });
    await pipeline(Readable.from(sections(client, summary), { objectMode: false }), gzip, target, {
      ...(signal && { signal }),
    });
    await rename(draft, file);
    return summary;
  } finally {
    await rm(draft, { force: true });
    await client.end();
  }
}

/** Takes a backup, and remembers that it was taken. A database that cannot be written to is backed up all the same. */
export async function backup(database: Database, file: string): Promise<Summary> {
  const summary = await writeBackup(database, file);
  const { size } = await stat(file);
  await insertBackup(database.db, { file: basename(file), bytes: size, rows: summary.rows }).catch(
    (error: unknown) => console.warn("The backup is complete, but was not recorded:", error),
  );
  return summary;
}

async function* sections(client: pg.Client, summary: Summary): AsyncGenerator<Buffer> {
  const tables = await tablesOf(client);
  yield line(await headOf(client, tables.length));
  for (const table of tables) {
    yield line(table);
    const columns = table.columns.map(pg.escapeIdentifier).join(", ");
    // A query, because a partitioned table has no rows of its own to copy.
    const rows = client.query(
      copyTo(`copy (select ${columns} from ${pg.escapeIdentifier(table.table)}) to stdout`),
    );
    const checksum = createHash("sha256");
    for await (const chunk of rows) {
      checksum.update(chunk);
      yield* frame(chunk);
    }
    yield Buffer.alloc(4);
    yield line({ rows: rows.rowCount, sha256: checksum.digest("hex") });
    summary.tables += 1;
    summary.rows += rows.rowCount;
  }
  yield line({ end: true, sequences: await sequencesOf(client) });
}

const migrationsSchema = z.array(z.object({ idx: z.number(), tag: z.string(), hash: z.string() }));

async function headOf(client: pg.Client, tables: number): Promise<Head> {
  const { rows } = await client.query("select idx, tag, hash from schema_migrations order by idx");
  const created_at = new Date().toISOString();
  const migrations = migrationsSchema.parse(rows);
  return { format: "switchyard-backup", version: BACKUP_VERSION, created_at, migrations, tables };
}

/**
 * Every table with rows of ours; partitions are read through the table they belong to. Numbers of transactions mean
 * nothing in another server: restored rows get that of the restoration. What is known of backups, and of the copy of the
 * events in ClickHouse, stays with the database that they were taken of.
 */
export async function tablesOf(client: pg.Client): Promise<TableHead[]> {
  const { rows } = await client.query<TableHead>(`
    select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all (array['schema_migrations', 'backups', 'event_history', 'event_history_positions',
         'event_history_deletions'])
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and a.atttypid not in ('xid8'::regtype, 'pg_snapshot'::regtype)
     group by c.relname order by c.relname`);
  return rows;
}

/** Read after the rows: a sequence moves outside transactions, and must be past all of them. */
async function sequencesOf(client: pg.Client): Promise<Tail["sequences"]> {
  const { rows } = await client.query<Tail["sequences"][number]>(
    "select sequencename as name, last_value from pg_sequences where schemaname = 'public' order by 1",
  );
  return rows;
}

if (import.meta.main) {
  await runCommand("npm run backup -- FILE", async (database, file) => {
    const { tables, rows } = await backup(database, file);
    return `${rows} rows of ${tables} tables are in ${file}. Keep DATA_DIR/secrets (or ENCRYPTION_KEY) with it: encrypted payloads need the key.`;
  });
}
