import { randomBytes } from "node:crypto";
import { existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { type Config, StartError } from "#lib/platform/config.ts";
import { type Database, openDatabase } from "#lib/platform/db/connect.ts";
import { withDatabase } from "#lib/platform/db/connection-string.ts";
import { deepErrorCode } from "#lib/platform/db/errors.ts";
import type { CleanUp } from "./clean-up.ts";

/** Where databases of a rehearsal are made. */
export type Copies = {
  /** In words. */
  description: string;
  /** Makes a database, empty or with what another one has, to which nobody may be connected. @returns how to reach it */
  create(name: string, template?: string): Promise<string>;
};

/** What a copy loses in a crash, the next rehearsal makes again. */
const SETTINGS = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", shared_buffers: "64MB" };

/**
 * Beside the configured database: on the same server, or in an embedded server of its own in `folder`. Everything is
 * removed by the clean-up.
 */
export async function openCopies(settings: Config, folder: string, cleanUp: CleanUp): Promise<Copies> {
  const { databaseUrl, dataDir } = settings;
  const runtimeDir = join(dataDir, "runtime");
  const root = await openDatabase({
    databaseUrl,
    dataDir: folder,
    poolSize: 1,
    settings: SETTINGS,
    // The same programs, where they are not shared anyway.
    ...(existsSync(runtimeDir) && { runtimeDir }),
  });
  cleanUp.later(() => root.close());
  // Outside the pool, whose statements may not take long.
  const client = await root.connect();
  cleanUp.later(() => client.end());
  const { host, port, user } = root.pool.options;
  const url =
    databaseUrl ?? `postgres://${user}@localhost/x?host=${encodeURIComponent(`${host}`)}&port=${port}`;
  const prefix = `switchyard_rehearsal_${randomBytes(4).toString("hex")}`;
  return {
    description: databaseUrl === undefined ? `an embedded server in ${folder}` : root.description,
    async create(name, template) {
      const database = `${prefix}_${name}`;
      const from = template === undefined ? "" : ` template ${prefix}_${template}`;
      await client.query(`create database ${database}${from}`).catch((error: unknown) => {
        throw explain(error);
      });
      // Those of an embedded server end with its folder.
      if (databaseUrl !== undefined)
        cleanUp.later(async () => {
          await client.query(`drop database if exists ${database} with (force)`);
        });
      return withDatabase(url, database);
    },
  };
}

function explain(error: unknown): unknown {
  if (deepErrorCode(error) !== "42501") return error;
  return new StartError(
    "The user of DATABASE_URL may not create databases, which a rehearsal needs: grant it CREATEDB (ALTER ROLE … CREATEDB).",
  );
}

/** What is written of a database: its snapshot and two copies. */
const TIMES = 3;
const megabytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MB`;

/**
 * Refuses before anything is written where the disk of DATA_DIR has no room for the copies of the embedded database.
 *
 * @throws StartError with what is needed and what is free
 */
export async function requireSpace({ pool }: Database, { dataDir }: Config): Promise<void> {
  const { rows } = await pool.query<{ bytes: number }>(
    "select pg_database_size(current_database()) as bytes",
  );
  const needed = (rows[0]?.bytes ?? 0) * TIMES;
  const { bavail, bsize } = statfsSync(dataDir);
  if (bavail * bsize >= needed) return;
  throw new StartError(
    `A rehearsal needs ${megabytes(needed)} on the disk of ${dataDir}, and ${megabytes(bavail * bsize)} are free.`,
  );
}
