import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { z } from "zod";
import { StartError } from "#lib/platform/config.ts";
import type { Database } from "./types.ts";

/** Serialises migrations and nothing else; any number will do as long as it never changes. */
const LOCK = 7_294_300;

const journalSchema = z.object({ entries: z.array(z.object({ idx: z.number(), tag: z.string() })) });

export type Migration = { idx: number; tag: string; hash: string; statements: string[] };

/** Node has this file's own folder; bundles do not, and are started from the project's. */
function defaultFolder(): string {
  const beside = import.meta.dirname ? join(import.meta.dirname, "migrations") : "";
  return beside && existsSync(beside) ? beside : join(process.cwd(), "lib", "platform", "db", "migrations");
}

/** The migrations that this version of the code brings, in order. */
export function readMigrations(folder = defaultFolder()): Migration[] {
  const journal = journalSchema.parse(
    JSON.parse(readFileSync(join(folder, "meta", "_journal.json"), "utf8")),
  );
  return journal.entries.map(({ idx, tag }) => {
    const text = readFileSync(join(folder, `${tag}.sql`), "utf8");
    const hash = createHash("sha256").update(text).digest("hex");
    return { idx, tag, hash, statements: text.split("--> statement-breakpoint") };
  });
}

const appliedSchema = z.array(z.object({ idx: z.number(), tag: z.string(), hash: z.string() }));

async function appliedMigrations(client: pg.ClientBase | pg.Pool) {
  const { rows } = await client.query("select idx, tag, hash from schema_migrations order by idx");
  return appliedSchema.parse(rows);
}

/** The migrations still to apply, after checking that those applied are the ones we know. */
function pending(known: Migration[], applied: z.infer<typeof appliedSchema>): Migration[] {
  for (const { idx, tag, hash } of applied) {
    const ours = known.find((migration) => migration.idx === idx);
    if (!ours) {
      throw new StartError(
        `The database was migrated by a newer version of Switchyard (it has ${tag}): start that version or a later one.`,
      );
    }
    if (ours.tag !== tag || ours.hash !== hash) {
      throw new StartError(
        `The database was created with a different version of migration ${tag}: applied migrations never change, so it belongs to a different build.`,
      );
    }
  }
  return known.filter(({ idx }) => !applied.some((done) => done.idx === idx));
}

/**
 * Brings the database to this version's schema: everything in one transaction under a lock, so that
 * processes started together neither collide nor see a half of it.
 *
 * @returns the tags applied now
 * @throws StartError when the database is from a newer version
 */
export async function migrate(database: Database, folder?: string): Promise<string[]> {
  const known = readMigrations(folder);
  const client = await database.connect();
  try {
    await client.query("begin");
    await lockMigrations(client);
    await client.query(
      `create table if not exists schema_migrations
        (idx integer primary key, tag text not null, hash text not null, applied_at timestamptz not null default now())`,
    );
    const todo = pending(known, await appliedMigrations(client));
    for (const migration of todo) await applyMigration(client, migration);
    await client.query("commit");
    return todo.map(({ tag }) => tag);
  } finally {
    await client.end();
  }
}

/** Keeps every other process from changing the schema until the transaction ends. */
export async function lockMigrations(client: pg.Client): Promise<void> {
  await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
}

/** Applies one migration and records it, in the caller's transaction. */
export async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  const { idx, tag, hash, statements } = migration;
  for (const statement of statements) await client.query(statement);
  await client.query("insert into schema_migrations (idx, tag, hash) values ($1, $2, $3)", [idx, tag, hash]);
}

let own: Migration[] | undefined;

/** Whether the database is at exactly this version's schema. */
export async function isCurrent(database: Database, folder?: string): Promise<boolean> {
  own ??= readMigrations();
  const known = folder === undefined ? own : readMigrations(folder);
  const applied = await appliedMigrations(database.pool);
  const last = (list: { idx: number; tag: string }[]) => `${list.length} ${list.at(-1)?.tag}`;
  return last(known) === last(applied);
}
