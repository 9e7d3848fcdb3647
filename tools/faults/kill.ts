import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "#lib/platform/db/connect.ts";
import { errorCode } from "#lib/platform/db/errors.ts";
import { readMigrations } from "#lib/platform/db/migrate.ts";
import { JOBS_TOPIC } from "#lib/platform/jobs/queue.ts";
import { eventually, type Process } from "#testing/processes.ts";
import type { Kind, Report, Seeded } from "./rounds.ts";
import { type Server, type Stage, stageEmbedded } from "./stage.ts";
import { checkWrites, startWriting, wordsOfTrouble } from "./writes.ts";

/** A machine that has other things to do takes longer than a second, but not for ever. */
const READY_WITHIN_MS = 30_000;

const choose = <T>(random: () => number, list: readonly T[]): T => {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error("There is nothing to choose from.");
  return found;
};

/** Ends one of the database server's processes, as a lack of memory would; the server ends the others itself. */
async function killBackend({ database }: Stage, random: () => number): Promise<void> {
  const { rows } = await database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where backend_type in ('client backend', 'walwriter', 'checkpointer', 'autovacuum launcher')
       and pid <> pg_backend_pid() order by pid`,
  );
  killIfThere(choose(random, rows).pid);
}

async function kill(stage: Stage, victim: Process): Promise<void> {
  stage.processes.splice(stage.processes.indexOf(victim), 1);
  await victim.end("SIGKILL");
}

/** A job that was being worked on is another's once its lease is over; a test does not wait for a minute. */
async function endLeases({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ lease_id: string }>(
    "select lease_id from jobs where state = 'running'",
  );
  if (rows.length > 0) await delay(300);
  const ids = rows.map(({ lease_id }) => lease_id);
  await pool.query("update jobs set lease_until = now() where state = 'running' and lease_id = any($1)", [
    ids,
  ]);
  // They look again when their next job is due, which they take to be later.
  await pool.query("select pg_notify('switchyard', $1)", [JSON.stringify([JOBS_TOPIC, null])]);
}

/** Waits until no work is in line that could be done now. */
const jobsAreDone = (database: Database, details: () => string) =>
  eventually(async () => {
    const { rows } = await database.pool.query(
      "select 1 from jobs where state = 'running' or (state = 'waiting' and run_at <= now())",
    );
    return rows.length === 0 || undefined;
  }, details);

const databaseAnswers = ({ pool }: Database, details: () => string) =>
  eventually(
    () =>
      pool.query("select 1").then(
        () => true,
        () => undefined,
      ),
    details,
  );

type Fault = { what: string; strike: (stage: Stage, random: () => number) => Promise<void> };

const POSTMASTER: Fault = {
  what: "the database server",
  strike: async (stage) => {
    const killed = stage.postmaster();
    process.kill(killed, "SIGKILL");
    await eventually(() => {
      try {
        return ![0, killed].includes(stage.postmaster()) || undefined;
      } catch {
        return undefined;
      }
    });
  },
};
const BACKEND: Fault = { what: "a process of the database server", strike: killBackend };

const killOne = async (stage: Stage, random: () => number) => kill(stage, choose(random, stage.processes));

const EMBEDDED: readonly Fault[] = [
  // Of the one that keeps the database server, or of the other.
  { what: "one of two processes", strike: killOne },
  {
    what: "all processes",
    strike: async (stage) => {
      for (const victim of [...stage.processes]) await kill(stage, victim);
    },
  },
  {
    what: "all processes and the database server",
    strike: async (stage) => {
      process.kill(stage.postmaster(), "SIGKILL");
      for (const victim of [...stage.processes]) await kill(stage, victim);
    },
  },
  POSTMASTER,
  BACKEND,
];

const SHARED: readonly Fault[] = [
  POSTMASTER,
  { what: "one of several processes", strike: killOne },
  { what: "a process in the middle of jobs", strike: killOne },
  BACKEND,
];

/** Puts work in line that takes a while, so that the fault comes in the middle. */
async function requestJobs({ subjects, processes }: Stage, random: () => number): Promise<void> {
  const on = choose(random, processes);
  const choices = ["a", "b", "c", ...(random() < 0.5 ? ["d"] : [])];
  const [, many] = subjects.surveys;
  const questions = [{ type: "single_choice", question: "Which?", choices }];
  await on.call("PATCH", `/api/projects/1/surveys/${many}/`, { questions }).catch(() => undefined);
  await delay(random() * 300);
}

async function killingRound(
  stage: Stage,
  faults: readonly Fault[],
  { turn, random }: Seeded,
): Promise<Report> {
  const fault = turn(faults);
  const moment = 10 + Math.floor(random() * 90);
  const count = stage.processes.length;
  const writing = startWriting(stage, random);
  const said = () => stage.processes.map((each) => each.output().slice(-2_000)).join("\n");
  const everyone = new Set(stage.processes);
  await writing.more(moment);
  if (fault.what.includes("jobs")) await requestJobs(stage, random);
  const began = performance.now();
  await fault.strike(stage, random);
  // Some start again while others go on writing; without any, nothing is written meanwhile.
  while (stage.processes.length < count) everyone.add(await stage.start());
  await databaseAnswers(stage.database, said);
  await writing.more(1, "changed");
  const recovered = performance.now() - began;
  await writing.more(20);
  await writing.stop();
  await databaseAnswers(stage.database, said);
  await endLeases(stage.database);
  await jobsAreDone(stage.database, said);
  const problems = await checkWrites(stage.database, writing.ledger, {
    encryptionKey: stage.encryptionKey,
    dataDirs: [stage.dataDir],
  });
  for (const each of everyone) problems.push(...wordsOfTrouble(each.output()));
  if (recovered > READY_WITHIN_MS)
    problems.push(`it took ${Math.round(recovered)} ms until writes succeeded`);
  const { rows } = await stage.database.pool.query<{ name: string; last_error: string | null }>(
    "select name, last_error from jobs where state = 'failed'",
  );
  for (const { name, last_error } of rows) problems.push(`job ${name} has failed: ${last_error}`);
  return { what: `${fault.what}, after ${moment} writes`, recovered_after: recovered, problems };
}

/** The processes of one embedded database. */
export const killEmbedded: Kind = {
  name: "kill",
  async open() {
    const stage = await stageEmbedded();
    await stage.start();
    return { round: (seeded) => killingRound(stage, EMBEDDED, seeded), close: stage.close };
  },
};

/** One of several processes on a shared server, or that server. */
export const killShared: Kind = {
  name: "shared",
  async open(server) {
    const stage = await (await server()).stage(2);
    return { round: (seeded) => killingRound(stage, SHARED, seeded), close: stage.close };
  },
};

/** A folder with the first migrations only, as an older release has it. */
function olderMigrations(count: number): string {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-faults-older-"));
  const older = readMigrations().slice(0, count);
  mkdirSync(join(folder, "meta"));
  const entries = older.map(({ idx, tag }) => ({ idx, tag }));
  writeFileSync(join(folder, "meta", "_journal.json"), JSON.stringify({ entries }));
  for (const { tag, statements } of older)
    writeFileSync(join(folder, `${tag}.sql`), statements.join("--> statement-breakpoint"));
  return folder;
}

/** Every column, index and constraint, as text. */
async function schemaOf({ pool }: Database): Promise<string> {
  const { rows } = await pool.query<{ text: string }>(`
    select string_agg(line, E'\n' order by line) as text from (
      select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as line
        from information_schema.columns where table_schema = 'public'
      union all select indexdef from pg_indexes where schemaname = 'public'
      union all select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
        where connamespace = 'public'::regnamespace) as schema`);
  return rows[0]?.text ?? "";
}

/** What was to be killed may just have ended. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

/** Starts on a database of an older release and is interrupted; the next start has to finish what was begun. */
async function migrationRound(server: Server, expected: string, { turn, random }: Seeded): Promise<Report> {
  const level = 1 + Math.floor(random() * (readMigrations().length - 1));
  const victim = turn(["process", "backend", "database server"] as const);
  const patience = random() * 200;
  const older = olderMigrations(level);
  const dataDir = mkdtempSync(join(tmpdir(), "switchyard-faults-migration-"));
  const name = await server.create();
  const database = await server.migrated(name, older);
  const problems: string[] = [];
  const start = (signal?: AbortSignal) => server.startOn(name, dataDir, signal && { signal });
  try {
    const first = new AbortController();
    const starting = start(first.signal).then(
      (each) => each.end("SIGKILL"),
      () => undefined,
    );
    const { pid } = await eventually(async () => {
      const { rows } = await database.pool.query<{ pid: number }>(
        `select l.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
         where l.locktype = 'advisory' and a.datname = current_database()`,
      );
      return rows[0];
    });
    await delay(patience);
    if (victim === "process") first.abort();
    else killIfThere(victim === "backend" ? pid : server.postmaster());
    await starting;
    await databaseAnswers(database, () => "");
    const began = performance.now();
    const second = await start();
    const ready = await second.call("GET", "/readyz", undefined, {});
    const recovered = performance.now() - began;
    if (ready.json.status !== "ok") problems.push(`the next start is not ready: ${ready.text}`);
    if (recovered > READY_WITHIN_MS) problems.push(`the next start took ${Math.round(recovered)} ms`);
    problems.push(...wordsOfTrouble(second.output()));
    await second.end("SIGTERM");
    if ((await schemaOf(database)) !== expected) problems.push("the schema is not that of a new database");
    return {
      what: `a migration: ${victim}, from ${level} migrations on`,
      recovered_after: recovered,
      problems,
    };
  } finally {
    await database.close();
    await server.drop(name);
    for (const folder of [older, dataDir]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Processes that migrate. */
export const killMigrating: Kind = {
  name: "migrate",
  async open(server) {
    const on = await server();
    const name = await on.create();
    const fresh = await on.migrated(name);
    const expected = await schemaOf(fresh);
    await fresh.close();
    await on.drop(name);
    return { round: (seeded) => migrationRound(on, expected, seeded), close: async () => undefined };
  },
};
