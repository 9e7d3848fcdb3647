import { setTimeout as delay } from "node:timers/promises";
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type pg from "pg";
import { log } from "#lib/platform/log.ts";
import type { createAvailability } from "./availability.ts";
import type { Db, Notifications } from "./types.ts";

const CHANNEL = "switchyard";
const EVERYTHING = "*";
const MAX_BYTES = 7_900;
/** A server that leaves so many heartbeats unanswered does not answer at all. */
const HEARTBEAT_MS = 250;
const MISSED_HEARTBEATS = 3;
/** A connection that the server ended is made again at once; if that takes longer, the server is away. */
const RECONNECT_MS = 900;

/** Receives what was published, parsed: the publisher's value, of the shape that the topic agrees on. */
type Handler = (payload: unknown) => void;

/**
 * Tells every process of a change, if and when the transaction commits.
 *
 * @param payload JSON, at most 7,900 bytes with its topic: name what changed, do not carry it
 * @throws RangeError when it is larger
 */
export async function publish(tx: Db, topic: string, payload: unknown): Promise<void> {
  const message = JSON.stringify([topic, payload ?? null]);
  if (Buffer.byteLength(message) > MAX_BYTES) throw new RangeError(`A message on "${topic}" is too large.`);
  await tx.execute(sql`select pg_notify(${CHANNEL}, ${message})`);
}

/** The same as an expression of a larger statement; `payload` is an expression of type json, kept small. */
export const notification = (topic: string | Placeholder, payload: SQL): SQL =>
  sql`pg_notify(${CHANNEL}, json_build_array(${topic}::text, ${payload})::text)`;

/** Tells every process that anything may have changed, if and when the transaction commits: all is dropped. */
export function publishGap(tx: Db): Promise<void> {
  return publish(tx, EVERYTHING, null);
}

type Reports = Pick<ReturnType<typeof createAvailability>, "isAway" | "isBack">;

/** One connection per process, made with the first subscription and again whenever it breaks. */
class Listener implements Notifications {
  readonly #connect: () => Promise<pg.Client>;
  readonly #reports: Reports;
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #gapHandlers = new Set<() => void>();
  readonly #closing = new AbortController();
  #startedAway = false;
  #listening: Promise<pg.Client | undefined> | undefined;

  constructor(connect: () => Promise<pg.Client>, reports: Reports) {
    this.#connect = connect;
    this.#reports = reports;
  }

  subscribe = async (topic: string, handler: Handler) => {
    const handlers = this.#handlers.get(topic) ?? new Set();
    this.#handlers.set(topic, handlers.add(handler));
    this.#listening ??= this.#listen().catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    });
    // Without a server nothing can be missed: once there is one, all is read again.
    if (!this.#startedAway) await this.#listening;
    return () => {
      handlers.delete(handler);
    };
  };

  startAway = (lastAnswer: Date) => {
    this.#startedAway = true;
    this.#reports.isAway(lastAnswer);
    this.#listening = this.#reconnect();
  };

  onGap = (handler: () => void) => {
    this.#gapHandlers.add(handler);
    return () => {
      this.#gapHandlers.delete(handler);
    };
  };

  caughtUp = async () => {
    // The server sends the notifications that wait for a connection before it is done with a query on it.
    await (await this.#listening)?.query("select 1");
  };

  close = async () => {
    this.#closing.abort();
    const client = await this.#listening?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  };

  async #listen(): Promise<pg.Client> {
    const client = await this.#connect();
    client.on("notification", (message) => this.#receive(message));
    try {
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    }
    watch(client, (lastAnswer, isFrozen) => this.#lost(lastAnswer, isFrozen));
    return client;
  }

  #receive({ payload }: pg.Notification): void {
    const [topic, value]: [string, unknown] = JSON.parse(payload ?? "[]");
    if (topic === EVERYTHING) this.#gap();
    for (const handler of this.#handlers.get(topic) ?? []) guarded(() => handler(value));
  }

  #gap(): void {
    for (const handler of this.#gapHandlers) guarded(handler);
  }

  #lost(lastAnswer: Date, isFrozen: boolean): void {
    if (this.#closing.signal.aborted) return;
    this.#gap();
    if (isFrozen) this.#reports.isAway(lastAnswer);
    const late = setTimeout(() => this.#reports.isAway(lastAnswer), RECONNECT_MS).unref();
    this.#listening = this.#reconnect().finally(() => clearTimeout(late));
  }

  async #reconnect(): Promise<pg.Client | undefined> {
    const { signal } = this.#closing;
    for (let pause = 50; !signal.aborted; pause = Math.min(pause * 2, 1_000)) {
      const client = await this.#listen().catch(() => undefined);
      // Between the loss and this moment anything may have been committed, and cached again from before it.
      if (client) {
        this.#startedAway = false;
        this.#gap();
        this.#reports.isBack();
        return client;
      }
      await delay(pause, undefined, { ref: false, signal }).catch(() => undefined);
    }
    return undefined;
  }
}

/** The subscription of a process to a database; `connect` opens its own connection, `reports` hears how that goes. */
export function createNotifications(connect: () => Promise<pg.Client>, reports: Reports): Notifications {
  return new Listener(connect, reports);
}

/**
 * Calls `lost` once when the connection ends, with the time of its last answer and whether the server stopped answering
 * on it. A server that is frozen, or behind a network that swallows packets, ends none: so it is asked all the time, and
 * the connection is ended by us when no answer comes. Heartbeats are counted rather than timed, so that a process which
 * was busy itself reads the answers that have come before it gives up.
 */
function watch(client: pg.Client, lost: (lastAnswer: Date, isFrozen: boolean) => void): void {
  let answered = new Date();
  let missed = 0;
  let pending = false;
  const end = () => {
    if (beat === undefined) return;
    clearInterval(beat);
    beat = undefined;
    lost(answered, missed >= MISSED_HEARTBEATS);
  };
  const ask = () => {
    if (pending) {
      missed += 1;
      if (missed < MISSED_HEARTBEATS) return;
      client.connection.stream.destroy();
      end();
      return;
    }
    pending = true;
    client.query("select 1").then(() => {
      answered = new Date();
      missed = 0;
      pending = false;
    }, end);
  };
  let beat: NodeJS.Timeout | undefined = setInterval(ask, HEARTBEAT_MS).unref();
  client.once("end", end);
}

function guarded(handler: () => void): void {
  try {
    handler();
  } catch (error) {
    log().error({ error }, "A subscriber failed.");
  }
}
