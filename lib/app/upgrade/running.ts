import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Config, StartError } from "#lib/platform/config.ts";
import { type Database, openDatabase } from "#lib/platform/db/connect.ts";
import { POSTGRES_MAJOR } from "#lib/platform/db/embedded/layout.ts";

/**
 * Opens the database of the running version as it is: nothing is made or migrated.
 *
 * @throws StartError when there is none, or it cannot be reached
 */
export async function openRunning(settings: Config): Promise<Database> {
  const { databaseUrl, dataDir } = settings;
  if (databaseUrl === undefined && !existsSync(join(dataDir, "postgres", String(POSTGRES_MAJOR))))
    throw new StartError(
      `There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL as for the running version, or name its folder with --earlier.`,
    );
  const opened = await openDatabase({ databaseUrl, dataDir, poolSize: 2 });
  const { rows } = await opened.pool.query<{ found: boolean }>(
    "select to_regclass('schema_migrations') is not null as found",
  );
  if (rows[0]?.found) return opened;
  await opened.close();
  throw new StartError(`${opened.description} is not a database of Switchyard.`);
}
