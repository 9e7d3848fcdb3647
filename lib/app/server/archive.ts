import { drizzle } from "drizzle-orm/node-postgres";
import { z } from "zod";
import { isRecordedKey } from "#lib/flags/feature_flags/filters/encryption.ts";
import { findErasedRows } from "#lib/people/erasures/archived.ts";
import { selectAllErasures } from "#lib/people/erasures/store.ts";
import { archiveEvents, type ErasedRows, removeErased } from "#lib/people/events/archive/archive.ts";
import { hasProject } from "#lib/people/events/archive/store.ts";
import { HistoryError, openClickHouse } from "#lib/people/events/history/clickhouse-store.ts";
import { createHistory } from "#lib/people/events/history/history.ts";
import { config, StartError } from "#lib/platform/config.ts";
import type { Database, Db } from "#lib/platform/db/connect.ts";
import { errorCode } from "#lib/platform/db/errors.ts";
import { formatCount, plural } from "#lib/platform/format.ts";
import { runCommand } from "./command.ts";

const LOCK = 7_294_306;

/** @throws StartError when it is no number of a project */
async function projectOf({ db }: Database, given: string | undefined): Promise<number | null> {
  if (given === undefined) return null;
  const id = z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .safeParse(given);
  if (!id.success || !(await hasProject(db, id.data)))
    throw new StartError(
      `--project must be the number of a project; there is none with the number ${JSON.stringify(given)}.`,
    );
  return id.data;
}

/** @throws StartError when it is no day, or one that is not over */
function dayOf(given: string | undefined, now: Date): string {
  const today = now.toISOString().slice(0, 10);
  if (given === undefined) return today;
  if (z.iso.date().safeParse(given).success && given <= today) return given;
  throw new StartError(
    `--before must be a day (in UTC) such as ${today}, which is the latest one possible; it is ${JSON.stringify(given)}.`,
  );
}

const daysText = (days: number) => (days === 1 ? "1 day" : `${formatCount(days)} days`);

/** @throws StartError when people were erased, and the key that finds them in the archive is another one */
async function readErased(db: Db): Promise<ErasedRows> {
  const { encryptionKey, encryptionKeySource } = config();
  const erasures = await selectAllErasures(db);
  if (erasures.length > 0 && !(await isRecordedKey(db, Buffer.from(encryptionKey))))
    throw new StartError(
      `People were erased, and only the server's encryption key finds them in the archive: the one in ${encryptionKeySource} is another.`,
    );
  return findErasedRows(erasures, encryptionKey);
}

async function archive(
  database: Database,
  folder: string,
  options: { project?: string | undefined; before?: string | undefined },
): Promise<string> {
  const now = new Date();
  const [projectId, before] = [await projectOf(database, options.project), dayOf(options.before, now)];
  const client = await database.connect();
  const { clickhouseUrl } = config();
  const copy = clickhouseUrl === undefined ? null : openClickHouse(clickhouseUrl);
  try {
    const { rows } = await client.query<{ held: boolean }>("select pg_try_advisory_lock($1) as held", [LOCK]);
    if (!rows[0]?.held) throw new StartError("Another archive of this database is being written.");
    const db = drizzle(client);
    const removed = await removeErased(await readErased(db), { folder, projectId, now });
    const { written, events, unchanged, kept, unreadable } = await archiveEvents(db, {
      ...{ folder, projectId, before, now },
      history: createHistory(copy),
    });
    const gone =
      removed.days > 0
        ? `${plural(removed.events, "event")} of people who were erased ${removed.events === 1 ? "was" : "were"} removed from ${daysText(removed.days)}.\n`
        : "";
    const done = `${gone}${daysText(written)} with ${formatCount(events)} events ${written === 1 ? "was" : "were"} written to ${folder}; ${daysText(unchanged)} had not changed.`;
    const stayed =
      kept > 0
        ? `\n${daysText(kept)} of the archive ${kept === 1 ? "has" : "have"} events that the database no longer has, and stayed as archived.`
        : "";
    if (!unreadable) return done + stayed;
    const { first, last, problem } = unreadable;
    const days = first === last ? `${first} was` : `Days from ${first} to ${last} were`;
    const they = `${plural(unreadable.events, "event")} ${unreadable.events === 1 ? "is" : "are"}`;
    throw new StartError(`${done}${stayed}\n${days} left out: ${they} only in ClickHouse, and ${problem}.`);
  } catch (error) {
    if (error instanceof HistoryError) throw new StartError(error.message);
    // Of the operating system: the database's have none.
    if (error instanceof Error && "syscall" in error)
      throw new StartError(`The archive cannot be written to ${folder} (${errorCode(error)}).`);
    throw error;
  } finally {
    await Promise.all([client.end(), copy?.close()]);
  }
}

await runCommand(
  "npm run archive -- [--project N] [--before DAY] FOLDER",
  (opened, folder, { project, before }) => archive(opened, folder, { project, before }),
  ["project", "before"],
);
