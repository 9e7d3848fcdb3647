import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import type { HistoryCopy } from "#lib/people/events/history/clickhouse-store.ts";
import type { EventHistory } from "#lib/people/events/history/history.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { readKeptRows } from "./kept.ts";
import { createParquetFile, readParquetFile } from "./parquet-file.ts";
import {
  type ArchiveRow,
  type Day,
  type Digest,
  EMPTY_DIGEST,
  type FileRow,
  type StoredDay,
  selectDays,
  selectDigest,
  selectPage,
  withUuid,
} from "./store.ts";

export type ArchiveOptions = {
  folder: string;
  /** Null: all projects. */
  projectId: number | null;
  /** Days before this one. */
  before: string;
  /** Where events are that have left the database. */
  history: EventHistory;
  now?: Date;
};

export type ArchiveSummary = {
  written: number;
  events: number;
  unchanged: number;
  /** Left as they are: the archive has events that the database no longer has. */
  kept: number;
  /** Days that could not be read, because some of their events are only in ClickHouse. */
  unreadable: Unreadable | null;
};

type Unreadable = { events: number; first: string; last: string; problem: string };

/** What was received since waits for the next time, so that nothing is missed that is being stored at this moment. */
const SETTLED_AFTER_MS = 5 * 60_000;

const FILE = "events.parquet";
/** Readers of a folder of Parquet files pass over names that begin so. */
const MANIFEST = "_manifest.json";

const moment = z.iso.datetime().transform((text) => new Date(text));

const manifestSchema = z.object({
  format: z.literal("switchyard-archive"),
  version: z.literal(1),
  events: z.number(),
  /** All uuids combined by exclusive or. */
  uuids: z.string(),
  /** The file has the events that were received before. */
  received_before: moment,
  /** When it was last looked through for people who had been erased; not there: when it was written. */
  erased_until: moment.optional(),
  bytes: z.number(),
  sha256: z.string(),
});
type Manifest = z.output<typeof manifestSchema>;

const folderOf = (folder: string, { project_id, day }: Day) =>
  join(folder, `project_id=${project_id}`, `day=${day}`);

const isMissing = (error: unknown) => error instanceof Error && "code" in error && error.code === "ENOENT";

/** @returns null where there is none, or not for the file that is there */
async function readManifest(folder: string): Promise<Manifest | null> {
  try {
    const text = await readFile(join(folder, MANIFEST), "utf8");
    const { size } = await stat(join(folder, FILE));
    const manifest = manifestSchema.parse(JSON.parse(text));
    return manifest.bytes === size ? manifest : null;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}

const isEqual = (a: Digest, b: Digest) => a.events === b.events && a.uuids === b.uuids;

/** Writes a file that is there whole or not at all. */
async function writeWhole(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await write(draft);
    const handle = await open(draft, "r+");
    try {
      await handle.chmod(0o600);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function* eventsOf(db: Db, day: Day, receivedBefore: Date): AsyncGenerator<ArchiveRow> {
  let last: ArchiveRow | undefined;
  do {
    const page = await selectPage(db, day, receivedBefore, last);
    yield* page;
    last = page.at(-1);
  } while (last);
}

async function checksumOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

type Moments = Pick<z.input<typeof manifestSchema>, "received_before" | "erased_until">;

async function writeManifest(folder: string, manifest: z.input<typeof manifestSchema>): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeWhole(join(folder, MANIFEST), async (draft) => {
    const handle = await open(draft, "w", 0o600);
    await handle.writeFile(text).finally(() => handle.close());
  });
}

async function writeRows(folder: string, rows: AsyncIterable<FileRow>, moments: Moments): Promise<Digest> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let digest = EMPTY_DIGEST;
  let sha256 = "";
  const file = join(folder, FILE);
  await writeWhole(file, async (draft) => {
    const parquet = createParquetFile(draft);
    for await (const row of rows) {
      digest = withUuid(digest, row.uuid);
      await parquet.add(row);
    }
    await parquet.finish();
    sha256 = await checksumOf(draft);
  });
  const { size: bytes } = await stat(file);
  await writeManifest(folder, {
    ...{ format: "switchyard-archive", version: 1 },
    ...digest,
    ...moments,
    bytes,
    sha256,
  });
  return digest;
}

const writeDay = (db: Db, root: string, day: Day, receivedBefore: Date): Promise<Digest> =>
  writeRows(folderOf(root, day), eventsOf(db, day, receivedBefore), {
    received_before: receivedBefore.toISOString(),
  });

/** Days that are archived, of one project or all. */
async function listArchived(root: string, projectId: number | null): Promise<Day[]> {
  const days: Day[] = [];
  for (const name of await readdir(root)) {
    const project = /^project_id=(\d+)$/.exec(name)?.[1];
    if (project === undefined || (projectId !== null && Number(project) !== projectId)) continue;
    for (const inner of await readdir(join(root, name))) {
      const day = /^day=(.+)$/.exec(inner)?.[1];
      if (day !== undefined) days.push({ project_id: Number(project), day });
    }
  }
  return days;
}

/**
 * Tells which rows of a project are of people who were erased; null: nobody was erased since a file was last looked
 * through.
 */
export type ErasedRows = (projectId: number, since: Date) => ((row: FileRow) => boolean) | null;

/** Removes people from the archive who were erased since: days that have events of theirs are written again. */
export async function removeErased(
  erased: ErasedRows,
  { folder: root, projectId, now = new Date() }: Omit<ArchiveOptions, "before" | "history">,
): Promise<{ days: number; events: number }> {
  const summary = { days: 0, events: 0 };
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const day of await listArchived(root, projectId)) {
    const folder = folderOf(root, day);
    const manifest = await readManifest(folder);
    if (!manifest) continue;
    const isErased = erased(day.project_id, manifest.erased_until ?? manifest.received_before);
    if (!isErased) continue;
    const file = join(folder, FILE);
    let events = 0;
    for await (const row of readParquetFile(file)) if (isErased(row)) events += 1;
    const moments = {
      received_before: manifest.received_before.toISOString(),
      erased_until: now.toISOString(),
    };
    if (events === 0) await writeManifest(folder, { ...manifest, ...moments });
    else if (events === manifest.events) await rm(folder, { recursive: true });
    else await writeRows(folder, without(readParquetFile(file), isErased), moments);
    if (events > 0) summary.days += 1;
    summary.events += events;
  }
  return summary;
}

async function* without(rows: AsyncIterable<FileRow>, isErased: (row: FileRow) => boolean) {
  for await (const row of rows) if (!isErased(row)) yield row;
}

/** Of a day that has left the database, it is known how many events it had, and not which ones. */
const isArchived = (manifest: Manifest, day: StoredDay) =>
  day.kept > 0 ? manifest.events === day.events + day.kept : isEqual(manifest, day);

/** The events of a day, wherever they are; of a transaction that sees one moment, so that none is in both places. */
async function* allRows(tx: Db, copy: HistoryCopy, day: Day, receivedBefore: Date): AsyncGenerator<FileRow> {
  yield* eventsOf(tx, day, receivedBefore);
  yield* readKeptRows(tx, copy, day);
}

/** Whether all archived events of a day are among these. */
async function areAmong(file: string, rows: AsyncIterable<FileRow>): Promise<boolean> {
  const missing = new Set<string>();
  for await (const { uuid } of readParquetFile(file)) missing.add(uuid);
  for await (const { uuid } of rows) missing.delete(uuid);
  return missing.size === 0;
}

/** Writes a day of which ClickHouse has some events alone. @returns null where the archive has others as well */
const writeKeptDay = (
  db: Db,
  root: string,
  day: StoredDay,
  options: { copy: HistoryCopy; receivedBefore: Date; isNew: boolean },
): Promise<Digest | null> =>
  inTransaction(
    db,
    async (tx) => {
      const { copy, receivedBefore, isNew } = options;
      const folder = folderOf(root, day);
      const rows = () => allRows(tx, copy, day, receivedBefore);
      if (!isNew && !(await areAmong(join(folder, FILE), rows()))) return null;
      return writeRows(folder, rows(), { received_before: receivedBefore.toISOString() });
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );

/** Notes a day that cannot be read. */
const withUnreadable = (noted: Unreadable | null, { day, kept }: StoredDay, problem: string): Unreadable => ({
  events: (noted?.events ?? 0) + kept,
  first: noted && noted.first < day ? noted.first : day,
  last: noted && noted.last > day ? noted.last : day,
  problem: noted?.problem ?? problem,
});

/**
 * Writes the events of closed days to Parquet files, a day a file. A day whose file has exactly the events of the
 * database is passed over; one to which events were added is written again as a whole. A day of which the database has
 * lost events stays as it is archived: they have been deleted because there is an archive. Events that only ClickHouse has
 * count as those of the database.
 */
export async function archiveEvents(db: Db, options: ArchiveOptions): Promise<ArchiveSummary> {
  const { folder, projectId, before, history, now = new Date() } = options;
  const receivedBefore = new Date(now.getTime() - SETTLED_AFTER_MS);
  const summary: ArchiveSummary = { written: 0, events: 0, unchanged: 0, kept: 0, unreadable: null };
  await mkdir(folder, { recursive: true, mode: 0o700 });

  /** @returns null where the day stays as it is archived */
  const write = async (day: StoredDay, manifest: Manifest | null): Promise<Digest | null> => {
    if (day.kept > 0 && history.copy)
      return writeKeptDay(db, folder, day, { copy: history.copy, receivedBefore, isNew: manifest === null });
    if (manifest && !isEqual(manifest, await selectDigest(db, day, manifest.received_before))) return null;
    return writeDay(db, folder, day, receivedBefore);
  };

  for (const day of await selectDays(db, { projectId, before, receivedBefore })) {
    const manifest = await readManifest(folderOf(folder, day));
    if (manifest && isArchived(manifest, day)) {
      summary.unchanged += 1;
      continue;
    }
    const problem = day.kept > 0 ? await history.findProblem(db, day.project_id) : null;
    if (problem !== null) {
      summary.unreadable = withUnreadable(summary.unreadable, day, problem);
      continue;
    }
    const written = await write(day, manifest);
    if (!written) {
      summary.kept += 1;
      continue;
    }
    summary.written += 1;
    summary.events += written.events;
  }
  return summary;
}
