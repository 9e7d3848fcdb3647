import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { sizeOfSpool } from "#lib/people/events/spool.ts";
import { type Config, StartError } from "#lib/platform/config.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { type AppliedMigration, appliedMigrations } from "#lib/platform/db/migrate.ts";
import { openRunning } from "./running.ts";
import type { Version } from "./version.ts";

type WayBack = {
  settings: Config;
  /** The version to return to; undefined: whichever ran before the schema last changed. */
  earlier: Version | undefined;
  say: (line: string) => void;
};

/**
 * Finds out whether the earlier version can be started on the database as it is, so that nothing is lost, and says what
 * to do. Changes nothing.
 *
 * @returns whether it can
 */
export async function findWayBack({ settings, earlier, say }: WayBack): Promise<boolean> {
  const running = await openRunning(settings);
  try {
    const since = await migrationsSince(running, earlier);
    const tags = since.map(({ tag }) => tag).join(", ");
    const more = since.filter(({ additive }) => !additive).map(({ tag }) => tag);
    if (more.length > 0) {
      await refuse(running, since, more, say);
      return false;
    }
    if (earlier && since.length > 0 && !(await accepts(earlier, running)))
      throw new StartError(
        `The version in ${earlier.folder} does not work with a database to which a later one has added (${tags}). Nothing was changed.`,
      );
    const { files } = sizeOfSpool(join(settings.dataDir, "spool"));
    if (files > 0) {
      say(`${files} files of events wait in ${settings.dataDir}/spool: let this version store them first.`);
      return false;
    }
    say(since.length > 0 ? `${tags}: only additions to the schema.` : "The schema has not changed since.");
    say(
      `The earlier version works with this database as it is, and nothing that was written is lost: stop this version, and start ${earlier ? `the one in ${earlier.folder}` : "the earlier one"} with the same settings.`,
    );
    return true;
  } finally {
    await running.close();
  }
}

/** What was applied since the earlier version; with none given, when the schema last changed. */
async function migrationsSince(running: Database, earlier: Version | undefined): Promise<AppliedMigration[]> {
  const applied = await appliedMigrations(running.pool);
  if (earlier) {
    const missing = earlier.migrations.find(({ idx }) => applied.every((done) => done.idx !== idx));
    if (missing)
      throw new StartError(
        `The version in ${earlier.folder} is not earlier than this database, which does not have ${missing.tag}.`,
      );
    return applied.filter(({ idx }) => earlier.migrations.every((known) => known.idx !== idx));
  }
  const last = Math.max(...applied.map(({ applied_at }) => applied_at.getTime()));
  const batch = applied.filter(({ applied_at }) => applied_at.getTime() === last);
  if (batch.length === applied.length)
    throw new StartError(
      "This database was made with the schema that it has: there is no earlier version that has worked with it.",
    );
  return batch;
}

const checkSchema = z.object({
  isCompatible: z.custom<(database: Database) => Promise<boolean>>((value) => typeof value === "function"),
});

/** What the earlier version itself says, by the check that its `/readyz` makes; it only reads. */
async function accepts({ migrationsFolder }: Version, running: Database): Promise<boolean> {
  const code: unknown = await import(pathToFileURL(join(migrationsFolder, "..", "migrate.ts")).href);
  const check = checkSchema.safeParse(code);
  // Those without it know nothing of later versions either.
  return check.success && check.data.isCompatible(running);
}

async function refuse(
  running: Database,
  since: readonly AppliedMigration[],
  more: readonly string[],
  say: WayBack["say"],
): Promise<void> {
  const upgraded = since[0]?.applied_at ?? new Date();
  const { rows } = await running.pool.query<{ file: string; created_at: Date }>(
    "select file, created_at from backups where created_at < $1 order by created_at desc limit 1",
    [upgraded],
  );
  const [last] = rows;
  say(
    `${more.join(", ")}: not only an addition to the schema, so the earlier version cannot work with this database. Nothing was changed.`,
  );
  say("To lose nothing, stay on this version.");
  say(
    `Otherwise, everything written since the backup from before the upgrade (${upgraded.toISOString()}) is lost: stop all processes, start the earlier version with an empty database (another DATA_DIR or DATABASE_URL), and run npm run restore -- FILE with it.`,
  );
  say(
    last
      ? `The last backup from before the upgrade that is recorded is ${last.file} of ${last.created_at.toISOString()}.`
      : "No backup from before the upgrade is recorded.",
  );
}
