import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectTo, type Database, openDatabase } from "#lib/platform/db/connect.ts";
import { migrate } from "#lib/platform/db/migrate.ts";
import { type Process, startProcess } from "#testing/processes.ts";
import { createSubjects, type Subjects } from "./writes.ts";

/** What the processes of all rounds agree on. */
const ENCRYPTION_KEY = randomBytes(32);
const SECRETS = {
  ENCRYPTION_KEY: ENCRYPTION_KEY.toString("base64"),
  SESSION_SECRET: randomBytes(24).toString("base64"),
};

/** Where rounds take place: some processes on one database. */
export type Stage = {
  subjects: Subjects;
  encryptionKey: Uint8Array;
  /** The database, reached past the processes. */
  database: Database;
  dataDir: string;
  /** Those that serve now. */
  processes: Process[];
  /** Starts another one, as an operator does. */
  start(): Promise<Process>;
  /** Aborted when the stage is closed: nobody goes on writing or reading then. */
  over: AbortSignal;
  /** The process id of the database server. */
  postmaster(): number;
  close(): Promise<void>;
};

const postmasterOf = (dataDir: string) =>
  Number(readFileSync(join(dataDir, "postgres/18/postmaster.pid"), "utf8").split("\n")[0]);

const folderFor = (name: string, parent = tmpdir()) =>
  mkdtempSync(join(parent, `switchyard-faults-${name}-`));

/** A process with the embedded database, alone on its folder, which is made in another one. */
export async function stageEmbedded(parent?: string): Promise<Stage> {
  const dataDir = folderFor("embedded", parent);
  const processes: Process[] = [];
  const over = new AbortController();
  const start = async () => {
    const started = await startProcess({ DATA_DIR: dataDir, ...SECRETS });
    processes.push(started);
    return started;
  };
  const subjects = await createSubjects(await start());
  // Past the supervisor, which would keep the server up from here.
  const socketDir = readFileSync(join(dataDir, "postgres/18/postmaster.pid"), "utf8").split("\n")[4];
  const database = connectTo({
    kind: "embedded",
    description: dataDir,
    connection: { host: String(socketDir), port: 5432, user: "postgres", database: "switchyard" },
  });
  return {
    subjects,
    encryptionKey: ENCRYPTION_KEY,
    database,
    dataDir,
    processes,
    start,
    over: over.signal,
    postmaster: () => postmasterOf(dataDir),
    async close() {
      over.abort();
      await database.close();
      await Promise.all(processes.map((each) => each.end("SIGTERM")));
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

type StageOptions = {
  /** How processes reach a database by its name. */
  urlOfCopy?: (name: string) => string;
  env?: Record<string, string>;
  nodeOptions?: readonly string[];
};

/**
 * A PostgreSQL server, and a database with the subjects that others are copied from. What kills its processes leaves what
 * they have written to the system: nothing is lost by not waiting for the disk.
 */
async function startServer(settings: Record<string, string> = {}) {
  const folder = folderFor("server");
  const root = await openDatabase({
    dataDir: folder,
    settings: { max_connections: "200", fsync: "off", ...settings },
  });
  const { host, port, user } = root.pool.options;
  const connectionTo = (name: string) =>
    connectTo({ kind: "embedded", description: name, connection: { host, port, user, database: name } });
  let subjects: Subjects | undefined;
  let made = 0;

  async function create(template?: string): Promise<string> {
    made += 1;
    const name = `round_${made}`;
    await root.pool.query(
      `create database ${name} ${template ? `template ${template} strategy file_copy` : ""}`,
    );
    return name;
  }
  const urlOf = (name: string) => `postgres://${user}@localhost/${name}?host=${host}&port=${port}`;
  const settingsOf = (name: string, dataDir: string) => ({
    DATABASE_URL: urlOf(name),
    DATA_DIR: dataDir,
    ...SECRETS,
  });
  const drop = (name: string) => root.pool.query(`drop database ${name} with (force)`);

  async function template(): Promise<Subjects> {
    if (subjects) return subjects;
    await root.pool.query("create database subjects");
    const dataDir = join(folder, "first");
    const first = await startProcess(settingsOf("subjects", dataDir));
    subjects = await createSubjects(first);
    await first.end("SIGTERM");
    return subjects;
  }

  return {
    address: { host: String(host), port: Number(port), user: String(user) },
    create,
    connectionTo,
    drop,
    postmaster: () => postmasterOf(folder),
    encryptionKey: ENCRYPTION_KEY,
    /** What a program needs to work on a database. */
    settingsOf,
    /** A process on a database; `signal` kills it, `root` is the folder of another version. */
    startOn: (
      name: string,
      dataDir: string,
      { signal, root }: { signal?: AbortSignal; root?: string } = {},
    ) => startProcess(settingsOf(name, dataDir), undefined, root, { ...(signal && { signal }) }),
    /** Several processes on a copy of the database. */
    async stage(
      count: number,
      { urlOfCopy = urlOf, env = {}, nodeOptions = [] }: StageOptions = {},
    ): Promise<Stage> {
      const subjects = await template();
      const name = await create("subjects");
      const dataDir = folderFor("stage");
      const database = connectionTo(name);
      const processes: Process[] = [];
      const over = new AbortController();
      const start = async () => {
        const started = await startProcess(
          { DATABASE_URL: urlOfCopy(name), DATA_DIR: dataDir, ...SECRETS, ...env },
          undefined,
          undefined,
          { nodeOptions },
        );
        processes.push(started);
        return started;
      };
      await Promise.all(Array.from({ length: count }, () => start()));
      return {
        subjects,
        encryptionKey: ENCRYPTION_KEY,
        database,
        dataDir,
        processes,
        start,
        over: over.signal,
        postmaster: () => postmasterOf(folder),
        async close() {
          over.abort();
          await Promise.all(processes.map((each) => each.end("SIGTERM")));
          await database.close();
          await drop(name);
          rmSync(dataDir, { recursive: true, force: true });
        },
      };
    },
    async migrated(name: string, migrationsFolder?: string) {
      const database = connectionTo(name);
      await migrate(database, migrationsFolder);
      return database;
    },
    async close() {
      await root.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Server = Awaited<ReturnType<typeof startServer>>;

/** A server that is started when it is first asked for. */
export function serverOnDemand() {
  let started: Promise<Server> | undefined;
  return {
    server: () => {
      started ??= startServer();
      return started;
    },
    close: async () => (await started)?.close(),
  };
}
