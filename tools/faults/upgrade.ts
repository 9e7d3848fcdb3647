import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { connectionEnvironment } from "#lib/platform/config.ts";
import { type Migration, readMigrations } from "#lib/platform/db/migrate.ts";
import { copyChanged } from "#testing/changed-copy.ts";
import type { Process } from "#testing/processes.ts";
import type { Kind, Report, Seeded } from "./rounds.ts";
import type { Server } from "./stage.ts";
import { checkWrites, createSubjects, startWriting, wordsOfTrouble } from "./writes.ts";

const MIGRATIONS = "lib/platform/db/migrations";
const root = join(import.meta.dirname, "..", "..");

type Version = { description: string; folder: string; remove(): void };

function run(
  program: string,
  args: readonly string[],
  options: { cwd: string; input?: Buffer; env?: NodeJS.ProcessEnv },
): Buffer {
  const { stdout, stderr, status, error } = spawnSync(program, args, { ...options, maxBuffer: 1024 ** 3 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  return stdout;
}

const packageSchema = z.object({ dependencies: z.record(z.string(), z.string()) });
const packagesOf = (folder: string) =>
  Object.keys(
    packageSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).dependencies,
  );

/**
 * The commit before in a folder of its own, with the packages of this one; null where the history does not have it, or
 * this one has given up a package.
 */
function checkOutBefore(): Version | null {
  const git = (...args: string[]) => run("git", args, { cwd: root });
  const before = spawnSync("git", ["rev-parse", "--verify", "--quiet", "HEAD^1^{commit}"], {
    cwd: root,
    encoding: "utf8",
  });
  const commit = before.status === 0 ? before.stdout.trim() : "";
  if (commit === "") return null;
  const folder = mkdtempSync(join(tmpdir(), "switchyard-before-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    run("tar", ["-x"], {
      cwd: folder,
      input: git("archive", "--format=tar", commit, "lib", "app", "package.json"),
    });
    if (packagesOf(folder).some((name) => !packagesOf(root).includes(name))) {
      remove();
      return null;
    }
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    run(process.execPath, ["lib/experiments/report/build-engine.ts"], { cwd: folder });
    return { description: `commit ${commit.slice(0, 8)}`, folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

const ADDED = `-- additive
create table upgrade_test (id integer primary key);
--> statement-breakpoint
alter table feature_flags add column upgrade_test text not null default 'added';
--> statement-breakpoint
insert into upgrade_test select generate_series(1, 100000);
`;

/** This version and one more migration, so that there is always one to apply. */
function nextVersion(): Version {
  const known = readMigrations();
  const idx = Math.max(...known.map((each) => each.idx)) + 1;
  const tag = "9999_upgrade_test";
  const entries = [...known.map(({ idx, tag }) => ({ idx, tag })), { idx, tag }];
  const copy = copyChanged({
    [`${MIGRATIONS}/${tag}.sql`]: () => ADDED,
    [`${MIGRATIONS}/meta/_journal.json`]: () => JSON.stringify({ entries }),
  });
  return { description: "this one and a migration", folder: copy.folder, remove: copy.remove };
}

/** The migrations that a version has and another has not. */
function addedBy(later: Version, earlier: Version): Migration[] {
  const [known, all] = [earlier, later].map(({ folder }) => readMigrations(join(folder, MIGRATIONS)));
  return (all ?? []).filter(({ idx }) => known?.every((migration) => migration.idx !== idx));
}

/** What a version verifies; a rollup that the next one adds is first right after `npm run verify -- --repair`. */
function rollupsOf({ folder }: Version, settings: Record<string, string>): Set<string> {
  const env = connectionEnvironment(settings);
  const printed = run(process.execPath, ["lib/app/server/verify.ts"], { cwd: folder, env }).toString();
  return new Set(printed.split("\n").flatMap((line) => /^(\w+) +equal/.exec(line)?.[1] ?? []));
}

const isOfNewRollup = (problem: string, known: ReadonlySet<string>): boolean => {
  const [, rollup] = /^npm run verify: (\w+) differs/.exec(problem) ?? [];
  return rollup !== undefined && !known.has(rollup);
};

/**
 * Replaces the processes of one version by those of the next, one after the other, and the other way round, while
 * writes of every kind go on. The other way round only if nothing but additions came with the next one.
 */
async function upgradingRound(
  server: Server,
  { earlier, later }: { earlier: Version; later: Version },
  { random }: Seeded,
): Promise<Report> {
  const name = await server.create();
  const dataDir = mkdtempSync(join(tmpdir(), "switchyard-faults-upgrade-"));
  const over = new AbortController();
  const everyone: Process[] = [];
  const processes: Process[] = [];
  const database = server.connectionTo(name);
  const start = async ({ folder }: Version) => {
    const started = await server.startOn(name, dataDir, { root: folder });
    everyone.push(started);
    processes.push(started);
    return started;
  };
  const end = async (one: Process) => {
    processes.splice(processes.indexOf(one), 1);
    await one.end("SIGTERM");
  };
  const problems: string[] = [];
  try {
    const [first, second] = [await start(earlier), await start(earlier)];
    const subjects = await createSubjects(first);
    const rollups = rollupsOf(earlier, server.settingsOf(name, dataDir));
    const writing = startWriting({ subjects, processes, over: over.signal }, random);
    await writing.more(30);
    const began = performance.now();
    // Otherwise the earlier version stops before, as docs/operations.md says.
    const isRolling = addedBy(later, earlier).every(({ additive }) => additive);
    if (!isRolling) await Promise.all([end(first), end(second)]);
    const next = await start(later);
    await writing.more(30);
    if (isRolling) {
      const ready = await first.call("GET", "/readyz", undefined, {});
      if (ready.status !== 200)
        problems.push(`the earlier version is not ready beside the later: ${ready.text}`);
      await end(first);
      await end(second);
    }
    await writing.more(30, "changed");
    const recovered = performance.now() - began;
    if (isRolling) {
      // And back.
      await start(earlier);
      await writing.more(30);
      await end(next);
      await writing.more(30, "changed");
    }
    await writing.stop();
    const found = await checkWrites(database, writing.ledger, {
      encryptionKey: server.encryptionKey,
      dataDirs: [dataDir],
    });
    problems.push(...found.filter((problem) => !isOfNewRollup(problem, rollups)));
    for (const each of everyone) problems.push(...wordsOfTrouble(each.output()));
    return {
      what: `an upgrade from ${earlier.description} to ${later.description} and back`,
      recovered_after: recovered,
      problems,
    };
  } finally {
    over.abort();
    await Promise.all(processes.map((each) => each.end("SIGTERM")));
    await database.close();
    await server.drop(name);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Processes of the commit before, and of this one with a migration more. */
export const upgrade: Kind = {
  name: "upgrade",
  async open(server) {
    const on = await server();
    // This version can stand in for the one before: there is the added migration all the same.
    const earlier = checkOutBefore() ?? { description: "this one", folder: root, remove: () => undefined };
    const later = nextVersion();
    return {
      round: (seeded) => upgradingRound(on, { earlier, later }, seeded),
      close: async () => {
        earlier.remove();
        later.remove();
      },
    };
  },
};
