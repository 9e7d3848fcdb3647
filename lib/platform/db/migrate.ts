import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { z } from "zod";
import { StartError } from "#lib/platform/config.ts";
import { deepErrorCode } from "./errors.ts";
import type { Database } from "./types.ts";

/** Serialises migrations and nothing else; any number will do as long as it never changes. */
const LOCK = 7_294_300;

const journalSchema = z.object({ entries: z.array(z.object({ idx: z.number(), tag: z.string() })) });

export type Migration = {
  idx: number;
  tag: string;
  hash: string;
  /** Whether versions that do not know it can go on working with the database. */
  additive: boolean;
  statements: string[];
};

/** The first line of a migration that only adds what earlier versions do not have to know. */
const ADDITIVE = "-- additive\n";

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
    return {
      idx,
      tag,
      hash,
      additive: text.startsWith(ADDITIVE),
      statements: text.split("--> statement-breakpoint"),
    };
  });
}

const appliedSchema = z.array(
  z.object({
    idx: z.number(),
    tag: z.string(),
    hash: z.string(),
    additive: z.boolean(),
    applied_at: z.date(),
  }),
);

export type AppliedMigration = z.infer<typeof appliedSchema>[number];

/** The migrations that a database has, in order. */
export async function appliedMigrations(client: pg.ClientBase | pg.Pool): Promise<AppliedMigration[]> {
  // Databases of earlier versions do not have the column.
  const { rows } = await client.query(
    `select idx, tag, hash, applied_at, coalesce((to_jsonb(m) ->> 'additive')::boolean, false) as additive
      from schema_migrations m order by idx`,
  );
  return appliedSchema.parse(rows);
}

/** The migrations still to apply, after checking that those applied are the ones we know. */
function pending(known: Migration[], applied: readonly AppliedMigration[]): Migration[] {
  for (const { idx, tag, hash, additive } of applied) {
    const ours = known.find((migration) => migration.idx === idx);
    if (!ours && additive) continue;
    if (!ours) {
      throw new StartError(
        `The database was migrated by a newer version of Switchyard, and this one cannot work with what ${tag} changed: start that version or a later one.`,
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
 * processes started together neither collide nor see a half of it. A newer version's schema is left as it is.
 *
 * @returns the tags applied now
 * @throws StartError when the database is from a newer version that changed more than it added
 */
export async function migrate(database: Database, folder?: string): Promise<string[]> {
  const known = readMigrations(folder);
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyPending(database, known);
    } catch (error) {
      if (deepErrorCode(error) !== DEADLOCK || attempt === ATTEMPTS) throw error;
      await delay(Math.random() * PAUSE_MS);
    }
  }
}

/** Requests to an earlier version, which goes on meanwhile, can hold what a migration needs and wait for what it holds. */
const DEADLOCK = "40P01";
const ATTEMPTS = 20;
const PAUSE_MS = 500;

/** Of the two, the request is broken off, which begins again by itself; only a superuser can have it so. */
const GOES_FIRST = `do $$ begin
  perform set_config('deadlock_timeout', '10min', true);
exception when insufficient_privilege then null;
end $$`;

async function applyPending(database: Database, known: Migration[]): Promise<string[]> {
  const client = await database.connect();
  try {
    await client.query("begin");
    await lockMigrations(client);
    const todo = pending(known, await appliedMigrations(client));
    if (todo.length > 0) await client.query(GOES_FIRST);
    for (const migration of todo) await applyMigration(client, migration);
    await client.query("commit");
    return todo.map(({ tag }) => tag);
  } finally {
    await client.end();
  }
}

/** Keeps every other process from changing the schema until the transaction ends; makes the record of it if need be. */
export async function lockMigrations(client: pg.Client): Promise<void> {
  await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
  await client.query(
    `create table if not exists schema_migrations
      (idx integer primary key, tag text not null, hash text not null, applied_at timestamptz not null default now())`,
  );
  // Only where it is missing: the lock that it takes would keep others from reading the record meanwhile.
  await client.query(`do $$ begin
    if not exists (select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'additive') then
      alter table schema_migrations add column additive boolean not null default false;
    end if;
  end $$`);
}

/** Applies one migration and records it, in the caller's transaction. */
export async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  const { idx, tag, hash, additive, statements } = migration;
  for (const statement of statements) await client.query(statement);
  await client.query("insert into schema_migrations (idx, tag, hash, additive) values ($1, $2, $3, $4)", [
    idx,
    tag,
    hash,
    additive,
  ]);
}

let own: Migration[] | undefined;

/** Whether this version can work with the database: its own migrations are applied, and any others only added. */
export async function isCompatible(database: Database, folder?: string): Promise<boolean> {
  own ??= readMigrations();
  const known = folder === undefined ? own : readMigrations(folder);
  const applied = await appliedMigrations(database.pool);
  const isApplied = ({ idx, tag }: Migration) => applied.some((done) => done.idx === idx && done.tag === tag);
  const isKnown = ({ idx }: { idx: number }) => known.some((migration) => migration.idx === idx);
  return known.every(isApplied) && applied.every((done) => done.additive || isKnown(done));
}
