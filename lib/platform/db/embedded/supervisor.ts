import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { StartError } from "#lib/platform/config.ts";
import { asDatabaseUnavailable, DatabaseUnavailable, errorCode } from "#lib/platform/db/errors.ts";
import { log } from "#lib/platform/log.ts";
import { ensureCluster } from "./cluster.ts";
import {
  ensureSocketFolder,
  type Layout,
  type LayoutOptions,
  prepareLayout,
  removeSocketFolder,
  SOCKET_PORT,
} from "./layout.ts";
import { withFolderLock } from "./lock.ts";
import { isRunning, type Postmaster, recordedPostmaster, removeTraces } from "./postmaster.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

export type SupervisorOptions = LayoutOptions & {
  /** Server settings on top of ours, for tests. */
  settings?: Record<string, string>;
  /** A server that cannot be started now is started again and again, instead of stopping the start. */
  canWait?: boolean;
};

/** How to connect to the embedded server. */
export type ServerAddress = { host: string; port: number; user: string };

/** A server that is up: our own child, or one that another process of the same DATA_DIR keeps. */
type Running = {
  address: ServerAddress;
  own: boolean;
  lost: Promise<void>;
  release: () => Promise<void>;
};

const DATABASE = "switchyard";
const connectDeadline = 10_000;
const startDeadline = 60_000;

/**
 * Keeps one PostgreSQL server on a data folder up for as long as this process lives: starts it, or joins
 * the one another process runs, and starts it again when it ends before `close`.
 */
export class Supervisor {
  readonly #layout: Layout;
  readonly #settings: Record<string, string>;
  #running: Promise<Running>;
  #closed = false;
  /** The database on the server that is the application's. */
  readonly database = DATABASE;
  /** Whether the server could not be started at first. */
  isDown = false;

  private constructor(layout: Layout, settings: Record<string, string>) {
    this.#layout = layout;
    this.#settings = settings;
    this.#running = this.#bringUp();
  }

  /** @throws StartError in one sentence when the server cannot be started, unless it `canWait` */
  static async start({ settings = {}, canWait = false, ...options }: SupervisorOptions): Promise<Supervisor> {
    const supervisor = new Supervisor(prepareLayout(options), settings);
    try {
      supervisor.#keepUp(await supervisor.#running);
    } catch (error) {
      if (!canWait) throw error;
      report(error);
      supervisor.isDown = true;
      supervisor.#startAgain();
    }
    return supervisor;
  }

  /**
   * Where to connect, once the server is up.
   *
   * @throws DatabaseUnavailable when it is still down after so long
   */
  async address(patienceMs = connectDeadline): Promise<ServerAddress> {
    const late = new AbortController();
    const timeout = delay(patienceMs, undefined, { signal: late.signal, ref: false }).then(() => {
      throw new DatabaseUnavailable("The database server is being started.");
    });
    try {
      return (await Promise.race([this.#running, timeout])).address;
    } finally {
      late.abort();
      timeout.catch(() => undefined);
    }
  }

  /** Where it is, or will be when it is up and its own. */
  get place(): ServerAddress {
    return { host: this.#layout.socketDir, port: SOCKET_PORT, user: "postgres" };
  }

  /** Whether this process is the one that started the server. */
  async owns(): Promise<boolean> {
    return (await this.#running).own;
  }

  /** Stops the server if it is ours; leaves it to its owner if not. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = await this.#running.catch(() => undefined);
    if (!running) return;
    await running.release();
    if (running.own) removeSocketFolder(this.#layout);
  }

  #keepUp(running: Running): void {
    running.lost.then(() => {
      if (this.#closed) return;
      if (running.own) log().warn("The database server ended unexpectedly; starting it again.");
      this.#startAgain();
    });
  }

  #startAgain(): void {
    this.#running = this.#again();
    this.#running.then(
      (next) => this.#keepUp(next),
      () => undefined,
    );
  }

  async #again(): Promise<Running> {
    for (let pause = 100; ; pause = Math.min(pause * 2, 5_000)) {
      if (this.#closed) throw new DatabaseUnavailable("The database is closed.");
      try {
        return await this.#bringUp();
      } catch (error) {
        report(error);
        await delay(pause, undefined, { ref: false });
      }
    }
  }

  #bringUp(): Promise<Running> {
    return withFolderLock(this.#layout.home, async () => {
      ensureCluster(this.#layout);
      for (const deadline = performance.now() + startDeadline; ; await delay(50)) {
        const running = (await this.#join()) ?? (await this.#startOwn());
        if (running) return running;
        if (performance.now() > deadline) throw new StartError(this.#stuck());
      }
    });
  }

  #stuck(): string {
    const pid = recordedPostmaster(this.#layout)?.pid;
    return `The database server of ${this.#layout.cluster}${pid ? ` (process ${pid})` : ""} runs but does not accept connections; see ${this.#layout.logFile}.`;
  }

  /** Joins the server recorded in the folder; clears its traces if it is dead; undefined if there is none yet. */
  async #join(): Promise<Running | undefined> {
    const found = recordedPostmaster(this.#layout);
    if (!found) return undefined;
    const client = await connect(found);
    if (client) return guest(found, client);
    if (!isRunning(this.#layout, found)) removeTraces(this.#layout, found);
    return undefined;
  }

  /** Undefined when another server holds the folder still (it is stopping, or its children are). */
  async #startOwn(): Promise<Running | undefined> {
    if (recordedPostmaster(this.#layout)) return undefined;
    ensureSocketFolder(this.#layout);
    const server = startServer(this.#layout, this.#settings);
    const address = this.place;
    while (!server.hasExited()) {
      const client = await connect({ socketDir: address.host });
      if (client) {
        await createDatabase(client);
        return { address, own: true, lost: server.exited, release: server.stop };
      }
      await delay(20);
    }
    return this.#explain(server);
  }

  #explain(server: ServerProcess): undefined {
    const log = server.log();
    if (/lock file .* already exists|pre-existing shared memory block/.test(log)) return undefined;
    // One that was killed, or had no space, in the moment in which it wrote its name. No other is being started: we hold the lock.
    if (/lock file .* is empty/.test(log)) {
      removeTraces(this.#layout, { socketDir: this.#layout.socketDir });
      return undefined;
    }
    if (/No space left on device/.test(log)) {
      throw new StartError(`No space is left on the disk of the database in ${this.#layout.cluster}.`);
    }
    const lines = log.split("\n").filter((line) => !line.includes("the database system is starting up"));
    const reasons = lines.map((line) =>
      /(?:FATAL|PANIC): {2}(.*)|(.*(?:error|not found|denied).*)/i.exec(line),
    );
    const reason = reasons.findLast((found) => found !== null);
    const said = reason?.[1] ?? reason?.[2] ?? "it gave no reason";
    throw new StartError(`The database server did not start: ${said} (see ${this.#layout.logFile}).`);
  }
}

const report = (error: unknown) => log().error({ error }, "The database server cannot be started.");

/** A connection to a server's administrative database; undefined if it does not accept one now. */
async function connect({ socketDir }: Pick<Postmaster, "socketDir">): Promise<pg.Client | undefined> {
  const client = new pg.Client({
    host: socketDir,
    port: SOCKET_PORT,
    user: "postgres",
    database: "postgres",
    connectionTimeoutMillis: 5_000,
    statement_timeout: startDeadline,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    if (asDatabaseUnavailable(error) || errorCode(error) === "EACCES") return undefined;
    throw error;
  }
}

async function createDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [DATABASE]);
  if (!rowCount) await client.query(`create database ${DATABASE}`);
  await client.end();
}

/** The connection stays open: its end is how we learn that the owner has stopped the server. */
function guest({ socketDir }: Postmaster, client: pg.Client): Running {
  return {
    address: { host: socketDir, port: SOCKET_PORT, user: "postgres" },
    own: false,
    lost: new Promise((resolve) => client.once("end", () => resolve())),
    release: () => client.end(),
  };
}
