import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { writeBackup } from "#lib/app/server/backup.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { withDatabase } from "#lib/platform/db/connection-string.ts";
import { migrate, readMigrations } from "#lib/platform/db/migrate.ts";
import { copyChanged } from "#testing/changed-copy.ts";
import { createTestDatabase } from "#testing/database.ts";
import { COMPILED, PROJECT_TOKEN, type Process, startProcess } from "#testing/processes.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const API = "/api/projects/1";

let database: Database;
/** DATA_DIR of the running version. */
let dataDir: string;
let running: Process;

/** How processes reach a database of the run's server. */
function urlOf(name: string): string {
  const { url, address } = inject("server");
  return withDatabase(
    url ?? `postgres://${address.user}@localhost/x?host=${address.host}&port=${address.port}`,
    name,
  );
}

async function make(on: Process, path: string, body: unknown): Promise<void> {
  const { status, text } = await on.call("POST", `${API}${path}`, body);
  expect([status, text]).toEqual([201, text]);
}

/** Something of everything that is read. */
async function fill(on: Process): Promise<void> {
  const everyone = { groups: [{ properties: [], rollout_percentage: 50 }] };
  await make(on, "/feature_flags/", { key: "new-checkout", filters: everyone });
  await make(on, "/cohorts/", { name: "Ann", is_static: true, distinct_ids: ["ann"] });
  await make(on, "/surveys/", {
    name: "Liked it?",
    type: "api",
    start_date: "2026-01-01T00:00:00Z",
    questions: ["Which?", "And which?"].map((question) => ({
      type: "single_choice",
      question,
      choices: ["a", "b"],
    })),
  });
  await make(on, "/experiments/", {
    name: "Checkout",
    feature_flag_key: "checkout",
    start_date: new Date(Date.now() - 3 * 86_400_000).toISOString(),
    parameters: {
      feature_flag_variants: [
        { key: "control", rollout_percentage: 50 },
        { key: "test", rollout_percentage: 50 },
      ],
    },
    metrics: [
      { kind: "ExperimentMetric", metric_type: "mean", source: { kind: "EventsNode", event: "bought" } },
    ],
  });
  const batch = ["ann", "ben", "cleo"].flatMap((distinct_id) => [
    { event: "bought", distinct_id, properties: { price: 3, $set: { plan: "pro" } } },
    {
      event: "$feature_flag_called",
      distinct_id,
      properties: { $feature_flag: "checkout", $feature_flag_response: "test" },
    },
  ]);
  const sent = await on.call("POST", "/batch", { api_key: PROJECT_TOKEN, batch }, {});
  expect(sent.status).toBe(200);
}

/** `npm run upgrade`, typed in `dataDir`. */
async function upgrade(args: readonly string[], env: Record<string, string> = {}, folder = root) {
  const child = spawn(process.execPath, [join(folder, "lib/app/upgrade/cli.ts"), ...args], {
    cwd: folder,
    env: {
      ...COMPILED,
      NODE_ENV: "production",
      PATH: process.env.PATH,
      INIT_CWD: dataDir,
      DATA_DIR: dataDir,
      DATABASE_URL: urlOf(database.description),
      ...env,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const [code] = await once(child, "close");
  return { code, output };
}

/** What a rehearsal may have left. */
async function leftovers(): Promise<string[]> {
  const { rows } = await database.pool.query<{ datname: string }>(
    "select datname from pg_database where datname like 'switchyard\\_rehearsal\\_%'",
  );
  const folders = readdirSync(dataDir).filter((name) => name.startsWith("rehearsal"));
  return [...rows.map(({ datname }) => datname), ...folders];
}

const MIGRATIONS = join(root, "lib/platform/db/migrations");

/** The list of migrations, with one more. */
function laterJournal(): string {
  const known = readMigrations().map(({ idx, tag }) => ({ idx, tag }));
  const idx = Math.max(...known.map((each) => each.idx)) + 1;
  return JSON.stringify({ entries: [...known, { idx, tag: "9999_later" }] });
}

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), "switchyard-upgrade-"));
  running = await startProcess({ DATA_DIR: dataDir, DATABASE_URL: urlOf(database.description) });
  await fill(running);
});
afterAll(async () => {
  await running.end("SIGTERM");
  await database.close();
  rmSync(dataDir, { recursive: true });
});

it("prints every answer that a later version changes, and rehearses its migrations and the way back", async () => {
  const later = copyChanged({
    "lib/platform/db/migrations/9999_later.sql": () =>
      "-- additive\nalter table projects add column more text not null default 'added'",
    "lib/platform/db/migrations/meta/_journal.json": laterJournal,
    "lib/flags/feature_flags/facets.ts": (text) =>
      text.replace("email: user.email, count }", "email: user.email, count: count + 1, share: 1 }"),
  });
  try {
    const file = join(dataDir, "by-hand.backup");
    await writeBackup(database, file);
    const facets = `${API}/feature_flags/facets/?x=1`;
    writeFileSync(
      join(dataDir, "access.log"),
      `- - - [x] "GET ${facets} HTTP/1.1" 200 5\n- - - [x] "GET /favicon.ico HTTP/1.1" 404 5\n`,
    );
    const args = ["--rehearse", "--earlier", root, "--backup", "by-hand.backup", "--reads", "access.log"];
    const { code, output } = await upgrade(args, {}, later.folder);
    expect(output).toContain(`rows of ${file}`);
    expect(output).toMatch(/^Migrations 9999_later in [\d.]+ s$/m);
    expect(output.match(/^DIFFERENT .*/gm)).toEqual([
      `DIFFERENT  GET ${facets}`,
      `DIFFERENT  GET ${API}/feature_flags/facets/`,
    ]);
    expect(output).toMatch(/^ +\.creators\[0\]\.count: (\d) → (?!\1)\d$/m);
    expect(output).toMatch(/^New field +\/api\/.*facets\/ \.creators\[\]\.share, in 2 answers$/m);
    expect(output).toContain("the earlier version works with the upgraded database; 0 answers differ");
    expect(output).toContain(" 2 differently");
    expect(code).toBe(1);
    expect(await leftovers()).toEqual([]);
  } finally {
    later.remove();
  }
});

it("finds no difference between a version and itself, beside an embedded database that serves", async () => {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-upgrade-embedded-"));
  const serving = await startProcess({ DATA_DIR: folder });
  try {
    await fill(serving);
    const { code, output } = await upgrade(["--rehearse"], { DATA_DIR: folder, DATABASE_URL: "" });
    expect(output).toContain("this version is compared with itself");
    expect(output).not.toMatch(/DIFFERENT|WAY BACK|New field/);
    expect(output).toMatch(/^Migrations none$/m);
    // Every resource, flags for people, and hardly anything that is refused.
    const [, reads] = /(\d+) reads: \1 answered equally, 0 differently/.exec(output) ?? [];
    expect(Number(reads), output).toBeGreaterThan(70);
    // Groups there are none of, and flags that are not for remote configuration.
    const refused = [...output.matchAll(/^Refused +(\S+)/gm)].map(([, operation = ""]) => operation);
    expect(refused.filter((each) => !/\/groups\/$|\/remote_config\/$/.test(each))).toEqual([]);
    expect(code).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith("rehearsal"))).toEqual([]);
    expect((await serving.call("GET", `${API}/feature_flags/`)).json.count).toBe(2);
  } finally {
    await serving.end("SIGTERM");
    rmSync(folder, { recursive: true });
  }
});

it("refuses a backup of a newer version", async () => {
  const file = join(dataDir, "newer.backup");
  const newer = await createTestDatabase();
  await newer.pool.query(
    "insert into schema_migrations (idx, tag, hash) select max(idx) + 1, '9999_newer', 'x' from schema_migrations",
  );
  await writeBackup(newer, file);
  await newer.close();
  const { code, output } = await upgrade(["--rehearse", "--backup", "newer.backup"]);
  expect(output).toContain(`${file} is a backup of a newer version of Switchyard (it has 9999_newer)`);
  expect(code).toBe(1);
  expect(await leftovers()).toEqual([]);
});

const ELSEWHERE = "postgresql://nobody@127.0.0.1:1/nothing";

it.each<[string, string[], Record<string, string>, number, RegExp]>([
  ["nothing to do", [], {}, 2, /^Usage: npm run upgrade -- --rehearse/],
  ["an unknown option", ["--rehearse", "--fast"], {}, 2, /^Usage/],
  ["a backup to return to", ["--back", "--backup", "file"], {}, 2, /^Usage/],
  ["a missing backup", ["--rehearse", "--backup", "none"], {}, 1, /none cannot be read \(ENOENT\)\.$/m],
  ["a missing access log", ["--rehearse", "--reads", "none"], {}, 1, /none cannot be read \(ENOENT\)\.$/m],
  ["a folder without a version", ["--rehearse", "--earlier", "."], {}, 1, /^There is no Switchyard in /],
  [
    "a database that is away",
    ["--rehearse"],
    { DATABASE_URL: ELSEWHERE },
    1,
    /cannot be used: .*ECONNREFUSED/,
  ],
  [
    "another program's database",
    ["--rehearse"],
    { DATABASE_URL: "postgres" },
    1,
    /is not a database of Switchyard/,
  ],
  [
    "no database",
    ["--rehearse"],
    { DATABASE_URL: "", DATA_DIR: "none" },
    1,
    /There is no database in .*none: set/,
  ],
  ["an invalid setting", ["--back"], { PORT: "x" }, 1, /^PORT must be a whole number/],
  ["a database that is away (on the way back)", ["--back"], { DATABASE_URL: ELSEWHERE }, 1, /ECONNREFUSED/],
])("refuses %s, and leaves nothing behind", async (_, args, { DATABASE_URL, ...env }, code, words) => {
  const url = DATABASE_URL === "postgres" ? urlOf("postgres") : DATABASE_URL;
  const result = await upgrade(args, { ...env, ...(url !== undefined && { DATABASE_URL: url }) });
  expect(result.output).toMatch(words);
  expect(result.output).not.toContain("    at ");
  expect(result.code).toBe(code);
  expect(await leftovers()).toEqual([]);
  expect(existsSync(join(root, "none"))).toBe(false);
});

it("says what the user of DATABASE_URL has to be allowed", async () => {
  const role = `upgrade_${process.pid}`;
  const url = new URL(urlOf(database.description));
  url.username = role;
  url.password = "secret";
  await database.pool.query(`create role ${role} login password 'secret'`);
  try {
    await database.pool.query(`grant all on all tables in schema public to ${role}`);
    await database.pool.query(`grant all on all sequences in schema public to ${role}`);
    const { code, output } = await upgrade(["--rehearse"], { DATABASE_URL: url.href });
    expect([code, output]).toEqual([1, expect.stringContaining("grant it CREATEDB")]);
    expect(await leftovers()).toEqual([]);
  } finally {
    await database.pool.query(`drop owned by ${role}`);
    await database.pool.query(`drop role ${role}`);
  }
});

it("removes everything when it is interrupted", async () => {
  const child = spawn(process.execPath, [join(root, "lib/app/upgrade/cli.ts"), "--rehearse"], {
    cwd: root,
    env: {
      ...COMPILED,
      NODE_ENV: "production",
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      DATABASE_URL: urlOf(database.description),
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const closed = once(child, "close");
  for await (const chunk of child.stdout) if (String(chunk).includes("Snapshot")) child.kill("SIGTERM");
  await closed;
  expect(child.exitCode).toBe(1);
  expect(await leftovers()).toEqual([]);
});

/** A database that this version has made and a later one has upgraded, with a DATA_DIR of its own. */
async function upgraded(sql: string) {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-upgraded-"));
  const migrations = join(folder, "migrations");
  cpSync(MIGRATIONS, migrations, { recursive: true });
  writeFileSync(join(migrations, "9999_later.sql"), sql);
  writeFileSync(join(migrations, "meta/_journal.json"), laterJournal());
  const made = await createTestDatabase();
  await made.pool.query("update schema_migrations set applied_at = now() - interval '1 day'");
  await migrate(made, migrations);
  const env = { DATABASE_URL: urlOf(made.description), DATA_DIR: folder };
  return {
    folder,
    back: (...args: string[]) => upgrade(["--back", ...args], env),
    close: async () => {
      await made.close();
      rmSync(folder, { recursive: true });
    },
  };
}

it("returns to the earlier version where the later one has only added", async () => {
  const { back, folder, close } = await upgraded("-- additive\ncreate table more (id integer)");
  try {
    for (const args of [[], ["--earlier", root]]) {
      const { code, output } = await back(...args);
      expect(output).toContain("9999_later: only additions to the schema.");
      expect(output).toContain("nothing that was written is lost: stop this version, and start");
      expect(code).toBe(0);
    }
    mkdirSync(join(folder, "spool"));
    writeFileSync(join(folder, "spool", "1.events"), "x");
    const waiting = await back();
    expect([waiting.code, waiting.output]).toEqual([
      1,
      expect.stringContaining("let this version store them first"),
    ]);
  } finally {
    await close();
  }
});

it("refuses to lose what was written where the later one has changed more", async () => {
  const { back, close } = await upgraded("alter table projects rename column name to title");
  try {
    for (const args of [[], ["--earlier", root]]) {
      const { code, output } = await back(...args);
      expect(output).toContain("9999_later: not only an addition to the schema");
      expect(output).toContain("To lose nothing, stay on this version.");
      expect(code).toBe(1);
    }
  } finally {
    await close();
  }
});

it("says when there is no earlier version", async () => {
  const { code, output } = await upgrade(["--back"]);
  expect([code, output]).toEqual([
    1,
    expect.stringContaining("there is no earlier version that has worked with it"),
  ]);
});
