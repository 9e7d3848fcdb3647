import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeBackup } from "#lib/app/server/backup.ts";
import { restore } from "#lib/app/server/restore.ts";
import { insertOwnerKeys } from "#lib/identity/personal_api_keys/store.ts";
import { type Config, StartError } from "#lib/platform/config.ts";
import { type Database, openDatabase } from "#lib/platform/db/connect.ts";
import { deepErrorCode } from "#lib/platform/db/errors.ts";
import { appliedMigrations, isCompatible, migrate } from "#lib/platform/db/migrate.ts";
import { readAccessLog } from "./access-log.ts";
import type { CleanUp } from "./clean-up.ts";
import { openCopies, requireSpace } from "./copies.ts";
import { chooseReads, READS_MAX } from "./reads.ts";
import { replay } from "./replay.ts";
import { openRunning } from "./running.ts";
import { startVersion, type Version } from "./version.ts";

type Rehearsal = {
  earlier: Version;
  later: Version;
  /** Those of the running version. */
  settings: Config;
  /** A backup to restore instead of a fresh one. */
  backup: string | undefined;
  /** An access log, whose reads are asked too. */
  accessLog: string | undefined;
  say: (line: string) => void;
  cleanUp: CleanUp;
};

/**
 * Does what an upgrade does, to a copy: restores a snapshot into two databases of its own, serves one with each version
 * and compares what they answer. The running version goes on, and nothing of it is changed.
 *
 * @returns whether both answer the same
 * @throws StartError in one sentence when it cannot be done
 */
export async function rehearse(rehearsal: Rehearsal): Promise<boolean> {
  try {
    return await run(rehearsal);
  } catch (error) {
    const code = deepErrorCode(error);
    if (code === "ENOSPC" || code === "53100")
      throw new StartError("No space is left for the copies of the rehearsal. Nothing of it remains.");
    throw error;
  }
}

async function run({
  earlier,
  later,
  settings,
  backup,
  accessLog,
  say,
  cleanUp,
}: Rehearsal): Promise<boolean> {
  const line = (name: string, text: string) => say(`${name.padEnd(11)}${text}`);
  line("Earlier", `${earlier.description} in ${earlier.folder}`);
  line("Later", `${later.description} in ${later.folder}`);
  // Before anything is made.
  const logged = accessLog === undefined ? [] : await readAccessLog(accessLog, READS_MAX);
  const running = backup === undefined ? await openRunning(settings) : null;
  cleanUp.later(() => running?.close());
  const folder = makeFolder(settings, cleanUp);
  const snapshot = backup ?? join(folder, "snapshot.backup");
  if (running) await takeSnapshot(running, settings, snapshot, earlier);
  const copies = await openCopies(settings, join(folder, "server"), cleanUp);
  line("Copies", `in ${copies.description}; removed at the end`);

  const earlierUrl = await copies.create("earlier");
  const { rows, keys } = await withDatabaseAt(earlierUrl, folder, async (copy) => {
    await migrate(copy, earlier.migrationsFolder);
    const summary = await restore(copy, snapshot, { folder: earlier.migrationsFolder });
    return { ...summary, keys: await insertOwnerKeys(copy.db) };
  });
  line("Snapshot", `${rows} rows of ${backup ?? "the running version's database, as of now"}`);
  const began = Date.now();
  const laterUrl = await copies.create("later", "earlier");
  const isWayBack = await withDatabaseAt(laterUrl, folder, async (copy) => {
    const start = performance.now();
    const tags = await migrate(copy, later.migrationsFolder);
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    line("Migrations", tags.length > 0 ? `${tags.join(", ")} in ${seconds} s` : "none");
    return isCompatible(copy, earlier.migrationsFolder);
  });

  const encryptionKey = existingKey(settings);
  const serve = (version: Version, url: string, name: string) => {
    const dataDir = join(folder, name);
    mkdirSync(dataDir);
    const env = {
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      ENCRYPTION_KEY: encryptionKey.toString("base64"),
      SESSION_SECRET: randomBytes(32).toString("base64"),
    };
    return startVersion(version, env, cleanUp);
  };
  const [before, after] = await Promise.all([
    serve(earlier, earlierUrl, "earlier"),
    serve(later, laterUrl, "later"),
  ]);
  const { reads, unasked, left_out: leftOut } = await chooseReads(before.address, keys, logged);
  const operations = new Set(reads.map(({ operation }) => operation)).size;
  line(
    "Reads",
    `${reads.length} of ${operations} operations${leftOut > 0 ? `; ${leftOut} more are left out` : ""}`,
  );
  if (unasked.length > 0) line("Not asked", `${unasked.join(", ")} (there is no record to ask about)`);
  const addresses = { earlier: before.address, later: after.address };
  const outcome = await replay(reads, addresses, began, say);
  for (const [field, count] of outcome.new_fields) line("New field", `${field}, in ${count} answers`);
  for (const [operation, count] of outcome.refused) line("Refused", `${operation}, ${count} times, by both`);
  await after.stop();
  if (isWayBack) {
    const again = await serve(earlier, laterUrl, "back");
    const back = await replay(reads, { earlier: before.address, later: again.address }, began, (text) =>
      say(text.replace("DIFFERENT", "WAY BACK ")),
    );
    line(
      "Way back",
      `the earlier version works with the upgraded database; ${back.different} answers differ`,
    );
    outcome.different += back.different;
  } else line("Way back", "none without a backup: see npm run upgrade -- --back");
  say(`\n${reads.length} reads: ${outcome.equal} answered equally, ${outcome.different} differently`);
  return outcome.different === 0;
}

/** Below DATA_DIR, whose disk the operator has chosen; the embedded server's user has to pass through it. */
function makeFolder({ dataDir }: Config, cleanUp: CleanUp): string {
  try {
    const folder = mkdtempSync(join(dataDir, "rehearsal-"));
    cleanUp.later(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o711);
    return folder;
  } catch (error) {
    throw new StartError(`DATA_DIR (${dataDir}) cannot be written (${deepErrorCode(error)}).`);
  }
}

async function takeSnapshot(
  running: Database,
  settings: Config,
  file: string,
  earlier: Version,
): Promise<void> {
  const tagsOf = (migrations: readonly { tag: string }[]) => migrations.map(({ tag }) => tag).sort();
  const applied = await appliedMigrations(running.pool);
  if (tagsOf(applied).join() !== tagsOf(earlier.migrations).join())
    throw new StartError(
      `The version in ${earlier.folder} is not the one that runs, whose database has other migrations: name the folder of that one with --earlier.`,
    );
  if (settings.databaseUrl === undefined) await requireSpace(running, settings);
  await writeBackup(running, file);
  await running.close();
}

/** The key of encrypted payloads; where there is none yet, any will do, and none is made in DATA_DIR. */
const existingKey = (settings: Config): Buffer =>
  settings.encryptionKeySource === "ENCRYPTION_KEY" || existsSync(settings.encryptionKeySource)
    ? Buffer.from(settings.encryptionKey)
    : randomBytes(32);

async function withDatabaseAt<T>(
  url: string,
  dataDir: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const opened = await openDatabase({ databaseUrl: url, dataDir, poolSize: 2 });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
