import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { open, readFile, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { unavailable } from "#lib/platform/http/errors.ts";
import { log } from "#lib/platform/log.ts";
import type { ProjectEvent } from "./ingest-store.ts";

export type SpoolOptions = {
  /** Several processes may share it. */
  folder: string;
  /** What may wait in it, in bytes. */
  max_bytes: number;
  /** Why events wait, as a sentence without its end: "The database is unavailable" unless given. */
  because?: string;
};

export type Spool = {
  /** Whether nothing waits. */
  readonly isEmpty: boolean;
  /** What waits, as far as this process has seen it. */
  readonly size: { files: number; bytes: number };
  /** Looks for what other processes have left. */
  look(): void;
  /**
   * Keeps events on disk. Resolves once they are there whatever happens to the process or the machine.
   *
   * @throws ApiError 503 when the spool is full, or the disk does not take it
   */
  append(events: readonly ProjectEvent[]): Promise<void>;
  /**
   * Hands over what waits, batch by batch in the order in which it was appended, and forgets each batch that `store`
   * has stored. What another process hands over at the same time arrives twice: `store` has to know events by uuid.
   */
  replay(store: (events: ProjectEvent[], acceptedAt: Date) => Promise<void>): Promise<void>;
};

/** Names sort by time, over all processes. */
const SUFFIX = ".events";
const DAMAGED = ".damaged";
const DRAFT = ".part";
/** A draft that nobody has touched for so long is one of a process that ended while it wrote. */
const ABANDONED_AFTER_MS = 60_000;

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** The file of a batch: a line with the digest of the rest, then the events as JSON. */
const textOf = (events: readonly ProjectEvent[]): string => {
  const body = JSON.stringify(events.map(({ project_id, event }) => ({ project_id, event })));
  return `${digestOf(body)}\n${body}`;
};

/** @returns null for what is not as it was written */
function eventsIn(text: string): ProjectEvent[] | null {
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  return end > 0 && text.slice(0, end) === digestOf(body) ? (JSON.parse(body) as ProjectEvent[]) : null;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

/** Writes a file that is there whole or not at all. */
async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  const draft = `${path}${DRAFT}`;
  try {
    const handle = await open(draft, "w", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

/** When a batch was appended: its name begins with that. */
const momentOf = (name: string) => new Date(Number.parseInt(name.replaceAll("-", "").slice(0, 12), 16));

const isMissing = (error: unknown) => error instanceof Error && "code" in error && error.code === "ENOENT";

/** What waits in a spool, whichever process has put it there. */
export function sizeOfSpool(folder: string): { files: number; bytes: number } {
  const size = { files: 0, bytes: 0 };
  if (!existsSync(folder)) return size;
  for (const name of readdirSync(folder)) {
    // One that has just been handed over is gone.
    const found = name.endsWith(SUFFIX) ? statSync(join(folder, name), { throwIfNoEntry: false }) : undefined;
    if (!found) continue;
    size.files += 1;
    size.bytes += found.size;
  }
  return size;
}

/** Events that wait on disk for the database, those that an earlier process left among them. */
export function createSpool({
  folder,
  max_bytes,
  because = "The database is unavailable",
}: SpoolOptions): Spool {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const batches = new Map<string, number>();
  let bytes = 0;
  const look = () => {
    for (const name of readdirSync(folder).sort()) {
      const { size, mtimeMs = 0 } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
      if (name.endsWith(DRAFT) && Date.now() - mtimeMs > ABANDONED_AFTER_MS)
        rmSync(join(folder, name), { force: true });
      if (!name.endsWith(SUFFIX) || batches.has(name) || size === undefined) continue;
      batches.set(name, size);
      bytes += size;
    }
  };
  look();

  const forget = (name: string) => {
    bytes -= batches.get(name) ?? 0;
    batches.delete(name);
  };

  return {
    get isEmpty() {
      return batches.size === 0;
    },
    get size() {
      return { files: batches.size, bytes };
    },
    look,
    async append(events) {
      const text = textOf(events);
      const size = Buffer.byteLength(text);
      if (bytes + size > max_bytes)
        throw unavailable(`${because}, and as many events as may wait are waiting.`);
      const name = `${uuidv7()}${SUFFIX}`;
      bytes += size;
      try {
        await writeWhole(folder, name, text);
        // Whoever looked in between has counted it.
        if (batches.has(name)) bytes -= size;
        batches.set(name, size);
      } catch (error) {
        bytes -= size;
        log().error({ error }, `Events could not be kept in ${folder}.`);
        throw unavailable(`${because}, and the event cannot be kept until it is back.`);
      }
    },
    async replay(store) {
      for (;;) {
        const [name] = batches.keys();
        if (name === undefined) return;
        const path = join(folder, name);
        const text = await readFile(path, "utf8").catch((error: unknown) => {
          if (!isMissing(error)) throw error;
          return null;
        });
        const events = text === null ? [] : eventsIn(text);
        if (events) {
          if (events.length > 0) await store(events, momentOf(name));
          await unlink(path).catch((error: unknown) => {
            if (!isMissing(error)) throw error;
          });
        } else {
          log().error(
            `${path} is damaged, and its events are not stored; it is kept with the ending ${DAMAGED}.`,
          );
          await rename(path, `${path}${DAMAGED}`);
        }
        forget(name);
      }
    },
  };
}
