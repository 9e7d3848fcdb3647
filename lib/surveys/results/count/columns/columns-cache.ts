import type { Db } from "#lib/platform/db/connect.ts";
import { inSnapshot } from "#lib/platform/db/copy.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";
import { catchUp, type Held, readColumns, readTexts, TooLarge } from "./columns-read.ts";
import { type TextKind, textKey } from "./text-column.ts";

/** Memory per process for the responses of all surveys: 256 MB, about two million responses. */
const MEMORY_BYTES = 256 * 1024 * 1024;
/** How long a request waits for responses to load; loading continues. */
const WAIT_MS = 10_000;
/** How long a survey that needs too much memory is counted by the database. */
const TOO_LARGE_MS = 600_000;

/** Progress of loading rows. */
type Reading = { done: number; total: number };

type Entry = {
  held: Held | null;
  /** Resolves when all requested work is done: one task at a time uses a survey's columns. */
  turn: Promise<unknown>;
  reading: Reading | null;
  tooLargeUntil: number;
};

type Use<T> = {
  /** Texts that are needed. */
  texts: readonly TextKind[];
  work: (held: Held) => Promise<T>;
};

const stillReading = (reading: Reading | null) => {
  const share = reading && reading.total > 0 ? Math.floor((100 * reading.done) / reading.total) : 0;
  const detail = `Loading the responses: ${share}% done. Try again in a few seconds.`;
  return new ApiError(503, "server_error", "reading", detail, { headers: { "Retry-After": "2" } });
};

/** The survey responses in the memory of a process, least recently used first. */
class ColumnsCache {
  readonly #db: Db;
  readonly #bytes: number;
  readonly #entries = new Map<string, Entry>();

  constructor(db: Db, bytes: number) {
    this.#db = db;
    this.#bytes = bytes;
  }

  /** Progress of loading a survey; null if it is not loading. */
  reading(scope: SurveyScope): Reading | null {
    return this.#entries.get(keyOf(scope))?.reading ?? null;
  }

  /**
   * Runs work on the current columns of a survey.
   *
   * @returns null if they take too much memory: rows must be asked
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
    // The most recently used comes last.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** The columns, brought up to date or read again. */
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

  /** Evicts the least recently used: texts of this survey last, its columns never. */
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

/** The columns cache of a database. */
export function columnsIn(db: Db, bytes = MEMORY_BYTES): ColumnsCache {
  const cache = caches.get(db) ?? new ColumnsCache(db, bytes);
  caches.set(db, cache);
  return cache;
}
