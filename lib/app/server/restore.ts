import { basename } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { type Checkpoint, keysOf } from "#lib/audit/keys.ts";
import { noteRestored } from "#lib/audit/restored.ts";
import { lockSealing, selectLastCheckpoint } from "#lib/audit/store.ts";
import { findEncryptionProblem } from "#lib/flags/feature_flags/filters/encryption.ts";
import { keepErasures } from "#lib/people/erasures/erase.ts";
import { type ErasureRow, selectAllErasures } from "#lib/people/erasures/store.ts";
import { restartCopy } from "#lib/people/events/history/outbox-store.ts";
import { config, StartError } from "#lib/platform/config.ts";
import {
  checkBackup,
  type Head,
  readBackup,
  type TableHead,
  type Tail,
  type Tally,
} from "#lib/platform/db/backup-file.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { applyMigration, lockMigrations, type Migration, readMigrations } from "#lib/platform/db/migrate.ts";
import { publishGap } from "#lib/platform/db/notify.ts";
import { type Summary, tablesOf } from "./backup.ts";
import { runCommand } from "./command.ts";

const quoted = pg.escapeIdentifier;

/**
 * Puts the database back to what a backup holds, in one transaction, while the application goes on; then
 * every process forgets what it remembered. A backup of an older version is brought up to this one.
 *
 * People who were erased since the backup was taken are erased again, as far as the database knows of it.
 *
 * @param options.encryptionKey with which erased people are found
 * @param options.folder of migrations, for tests
 * @throws StartError, with nothing changed, when the file is damaged or of a newer version
 */
export async function restore(
  database: Database,
  file: string,
  { encryptionKey, folder }: { encryptionKey?: Uint8Array; folder?: string } = {},
): Promise<Summary> {
  const known = readMigrations(folder);
  // Before anything is touched.
  const { head, tallies } = await checkBackup(file);
  const level = levelOf(head, known, file);
  const client = await database.connect();
  try {
    await client.query("begin");
    await client.query("set local idle_in_transaction_session_timeout = 0");
    await lockMigrations(client);
    const erasures = await readErasures(client);
    const replaced = await readChainEnd(client);
    await prepareSchema(client, known, level);
    await reload(client, file, tallies);
    for (const migration of known.slice(level)) await applyMigration(client, migration);
    await restartCopy(drizzle(client));
    await keepErasures(drizzle(client), erasures, encryptionKey);
    if (encryptionKey) await noteRestoration(client, replaced, { head, file, encryptionKey });
    await publishGap(drizzle(client));
    await client.query("commit");
  } finally {
    await client.end();
  }
  const rows = [...tallies.values()].reduce((sum, tally) => sum + tally.rows, 0);
  return { tables: tallies.size, rows };
}

/** The erasures that this database knows of; none before it had the table. */
async function readErasures(client: pg.Client): Promise<ErasureRow[]> {
  const { rows } = await client.query("select to_regclass('public.erasures') is not null as found");
  return rows[0]?.found ? selectAllErasures(drizzle(client)) : [];
}

/** Where the audit log ends in this database, and nothing is added from now on; null before it had one. */
async function readChainEnd(client: pg.Client): Promise<Checkpoint | null> {
  const { rows } = await client.query("select to_regclass('public.audit_checkpoints') is not null as found");
  if (!rows[0]?.found) return null;
  const db = drizzle(client);
  await lockSealing(db);
  return (await selectLastCheckpoint(db))?.checkpoint ?? null;
}

/** The restored log says that it was restored, and which one it replaces. */
async function noteRestoration(
  client: pg.Client,
  replaced: Checkpoint | null,
  { head, file, encryptionKey }: { head: Head; file: string; encryptionKey: Uint8Array },
): Promise<void> {
  const { rows } = await client.query("select to_regclass('public.audit_notes') is not null as found");
  if (!rows[0]?.found) return;
  const keys = keysOf({ encryption_key: Buffer.from(encryptionKey), audit: config().audit });
  await noteRestored(drizzle(client), keys, replaced, {
    file: basename(file),
    taken_at: head.created_at,
  });
}

/** How many of our migrations the backup's rows fit. */
function levelOf(head: Head, known: Migration[], file: string): number {
  head.migrations.forEach(({ tag, hash }, i) => {
    const ours = known[i];
    if (ours?.tag === tag && ours.hash === hash) return;
    const reason = ours ? "a different build" : "a newer version";
    throw new StartError(
      `${file} is a backup of ${reason} of Switchyard (it has ${tag}). Nothing was changed.`,
    );
  });
  return head.migrations.length;
}

/** Empties the tables; for an older backup they are recreated as they were then. */
async function prepareSchema(client: pg.Client, known: Migration[], level: number): Promise<void> {
  const { rowCount } = await client.query("select 1 from schema_migrations");
  if (rowCount !== level) {
    await client.query(`drop table ${await tableList(client)} cascade`);
    await client.query("delete from schema_migrations");
    for (const migration of known.slice(0, level)) await applyMigration(client, migration);
  }
  await client.query(`truncate ${await tableList(client)} cascade`);
}

async function tableList(client: pg.Client): Promise<string> {
  return (await tablesOf(client)).map(({ table }) => quoted(table)).join(", ");
}

/** Foreign keys are checked once for all rows at the end, and so ask for no order among the tables. */
async function reload(client: pg.Client, file: string, tallies: Map<string, Tally>): Promise<void> {
  const { rows: keys } = await client.query<{ on: string; name: string; definition: string }>(`
    select conrelid::regclass::text as on, conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`);
  for (const { on, name } of keys) await client.query(`alter table ${on} drop constraint ${quoted(name)}`);
  const { tail } = await readBackup(file, (table, rows) => copyIn(client, table, rows, tallies));
  for (const { on, name, definition } of keys) {
    await client.query(`alter table ${on} add constraint ${quoted(name)} ${definition}`);
  }
  await setSequences(client, tail);
}

async function copyIn(
  client: pg.Client,
  { table, columns }: TableHead,
  rows: AsyncIterable<Buffer>,
  tallies: Map<string, Tally>,
): Promise<void> {
  const target = client.query(
    copyFrom(`copy ${quoted(table)} (${columns.map(quoted).join(", ")}) from stdin`),
  );
  await pipeline(Readable.from(rows, { objectMode: false }), target);
  if (target.rowCount === tallies.get(table)?.rows) return;
  throw new StartError(
    `The backup does not have the stated number of rows for ${table}. Nothing was changed.`,
  );
}

async function setSequences(client: pg.Client, { sequences }: Tail): Promise<void> {
  for (const { name, last_value } of sequences) {
    // Never called: the next value is the first.
    const call = last_value === null ? "setval($1::regclass, 1, false)" : "setval($1::regclass, $2, true)";
    await client.query(`select ${call}`, last_value === null ? [quoted(name)] : [quoted(name), last_value]);
  }
}

if (import.meta.main) {
  await runCommand("npm run restore -- FILE", async (database, file) => {
    const { encryptionKey, encryptionKeySource } = config();
    const { tables, rows } = await restore(database, file, { encryptionKey });
    const problem = await findEncryptionProblem(database.db, Buffer.from(encryptionKey), encryptionKeySource);
    const done = `${rows} rows of ${tables} tables were restored from ${file}.`;
    return problem ? `${done}\n${problem}` : done;
  });
}
