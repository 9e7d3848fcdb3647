import type { Db } from "#lib/db/connect.ts";
import { inSnapshot } from "#lib/db/copy.ts";
import { ApiError } from "#lib/http/errors.ts";
import { catchUp, type Held, readColumns, readTexts, TooLarge } from "./columns_read.ts";
import type { SurveyScope } from "./ingest_store.ts";
import { type TextKind, textKey } from "./text_column.ts";

/** Memory for the responses of all surveys together, a process: 256 MB, or some two million responses. */
const MEMORY_BYTES = 256 * 1024 * 1024;
/** How long a request waits for responses to be read; the reading goes on. */
const WAIT_MS = 10_000;
/** How long a survey that took too much memory is left to the database. */
const TOO_LARGE_MS = 600_000;

/** How far a reading of rows is. */
type Reading = { done: number; total: number };

type Entry = {
  held: Held | null;
  /** Ends when all that was asked for so far is done: one at a time works on a survey's columns. */
  turn: Promise<unknown>;
  reading: Reading | null;
  tooLargeUntil: number;
};

type Use<T> = {
  /** Texts that must be known. */
  texts: readonly TextKind[];
  work: (held: Held) => Promise<T>;
};

const stillReading = (reading: Reading | null) => {
  const share = reading && reading.total > 0 ? Math.floor((100 * reading.done) / reading.total) : 0;
  const detail = `The responses are being read: ${share} % done. Ask again in a few seconds.`;
  return new ApiError(503, "server_error", "reading", detail, { headers: { "Retry-After": "2" } });
};

/** What a process holds in memory of surveys' responses, least recently used first. */
class ColumnsCache {
  readonly #db: Db;
  readonly #bytes: number;
  readonly #entries = new Map<string, Entry>();

  constructor(db: Db, bytes: number) {
    this.#db = db;
    this.#bytes = bytes;
  }

  /** How far the reading of a survey is; null where none is going on. */
  reading(scope: SurveyScope): Reading | null {
    return this.#entries.get(keyOf(scope))?.reading ?? null;
  }

  /**
   * Works on a survey's columns as they are now.
   *
   * @returns null where they take too much memory: rows must be asked
   * @throws ApiError 503 where they are still being read after a while
   */
  async use<T>(scope: SurveyScope, use: Use<T>): Promise<T | null> {
    const entry = this.#entry(scope);
    if (entry.tooLargeUntil > Date.now()) return null;
    let givenUp = false;
    const own = entry.turn.then(async () => {
      const held = await this.#current(entry, scope, use.texts);
      return givenUp ? null : use.work(held);
    });
    entry.turn = own.catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        givenUp = true;
        reject(stillReading(entry.reading));
      }, WAIT_MS);
    });
    try {
      return await Promise.race([own, patience]);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  #entry(scope: SurveyScope): Entry {
    const key = keyOf(scope);
    const entry = this.#entries.get(key) ?? {
      held: null,
      turn: Promise.resolve(),
      reading: null,
      tooLargeUntil: 0,
    };
    // The one used last stands last.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** The columns, brought up to date or read anew. */
  async #current(entry: Entry, scope: SurveyScope, texts: readonly TextKind[]): Promise<Held> {
    try {
      const held = await this.#withTexts(entry, entry.held ?? (await this.#read(entry, scope)), texts);
      if (!held.version || (await catchUp(this.#db, held))) return held;
      entry.held = null;
      return await this.#withTexts(entry, await this.#read(entry, scope), texts);
    } catch (error) {
      if (error instanceof TooLarge) entry.tooLargeUntil = Date.now() + TOO_LARGE_MS;
      entry.held = null;
      throw error;
    } finally {
      entry.reading = null;
      this.#makeRoom(entry);
    }
  }

  #progress(entry: Entry) {
    entry.reading = { done: 0, total: 1 };
    return (done: number, total: number) => {
      entry.reading = { done, total };
    };
  }

  async #read(entry: Entry, scope: SurveyScope): Promise<Held> {
    const held = await readColumns(this.#db, scope, this.#bytes, this.#progress(entry));
    // A survey without a version has nothing to hold.
    entry.held = held.version ? held : null;
    return held;
  }

  async #withTexts(entry: Entry, held: Held, texts: readonly TextKind[]): Promise<Held> {
    for (const kind of texts) {
      const key = textKey(kind);
      const known = held.texts.get(key);
      held.texts.delete(key);
      const room = this.#bytes - held.columns.bytes;
      held.texts.set(key, known ?? (await this.#readTexts(entry, held, kind, room)));
    }
    return held;
  }

  async #readTexts(entry: Entry, held: Held, kind: TextKind, room: number) {
    const progress = this.#progress(entry);
    return inSnapshot(this.#db, (snapshot) => readTexts(snapshot, held, kind, room, progress));
  }

  /** Forgets what was used least recently: texts of this survey last of all, its columns never. */
  #makeRoom(latest: Entry): void {
    let bytes = 0;
    for (const entry of this.#entries.values()) bytes += bytesOf(entry);
    for (const [key, entry] of this.#entries) {
      if (bytes <= this.#bytes) return;
      if (entry === latest || !entry.held) continue;
      bytes -= bytesOf(entry);
      this.#entries.delete(key);
    }
    for (const [key, texts] of latest.held?.texts ?? []) {
      if (bytes <= this.#bytes || latest.held?.texts.size === 1) return;
      bytes -= texts.bytes;
      latest.held?.texts.delete(key);
    }
  }
}

const keyOf = ({ project_id, survey_id }: SurveyScope) => `${project_id} ${survey_id}`;

function bytesOf({ held }: Entry): number {
  let bytes = held?.columns.bytes ?? 0;
  for (const texts of held?.texts.values() ?? []) bytes += texts.bytes;
  return bytes;
}

const caches = new WeakMap<Db, ColumnsCache>();

/** The columns that this process holds of a database's surveys. */
export function columnsIn(db: Db, bytes = MEMORY_BYTES): ColumnsCache {
  const cache = caches.get(db) ?? new ColumnsCache(db, bytes);
  caches.set(db, cache);
  return cache;
}
