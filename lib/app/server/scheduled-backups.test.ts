import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import S3rver from "@20minutes/s3rver";
import { S3mini } from "s3mini";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { parseConfig } from "#lib/platform/config.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { readJobState } from "#lib/platform/jobs/queue.ts";
import { startRunner } from "#lib/platform/jobs/runner.ts";
import { log } from "#lib/platform/log.ts";
import { createTestDatabase } from "#testing/database.ts";
import { eventually } from "#testing/processes.ts";
import { openPlace } from "./backup-place.ts";
import { restore } from "./restore.ts";
import { SCHEDULED_BACKUP, scheduledBackups } from "./scheduled-backups.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.parse("2026-03-10T12:34:56.789Z");
/** The only account of the test's server. */
const KEYS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };

let database: Database;
let folder: string;
let bucket: S3mini;
let environment: Record<string, string>;
/** The address of a server that refuses wrong signatures. */
let strict: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(`
    insert into organizations (name, slug) select md5(random()::text), i::text from generate_series(1, 200) i`);
  const servers = [await startBucket(), await startBucket({ allowMismatchedSignatures: true })] as const;
  strict = servers[0].endpoint;
  const { endpoint } = servers[1];
  environment = { BACKUP_EVERY: "1h", AWS_ENDPOINT_URL_S3: endpoint, ...KEYS };
  bucket = new S3mini({
    accessKeyId: KEYS.AWS_ACCESS_KEY_ID,
    secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY,
    endpoint: `${endpoint}/safe`,
    region: "us-east-1",
  });
  return async () => {
    for (const server of servers) await server.stop();
  };
});

/**
 * Starts an S3-compatible server with one bucket. This one signs a listing's path without the slash at its end, which
 * nobody else does: to be listed, it must not be strict.
 */
async function startBucket(options: { allowMismatchedSignatures?: boolean } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "bucket-"));
  const configureBuckets = [{ name: "safe" }];
  const server = new S3rver({
    port: 0,
    address: "127.0.0.1",
    directory,
    silent: true,
    configureBuckets,
    ...options,
  });
  const { port } = await server.run();
  const stop = async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  };
  return { endpoint: `http://127.0.0.1:${port}`, stop };
}

/** An address where nothing listens. */
async function nowhere(): Promise<string> {
  const { endpoint, stop } = await startBucket();
  await stop();
  return endpoint;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "scheduled-"));
  await database.pool.query("truncate backups, jobs");
  return () => rmSync(folder, { recursive: true });
});
afterAll(() => database.close());

function plan(settings: Record<string, string>) {
  const { backups } = parseConfig({ DATA_DIR: folder, ...environment, ...settings });
  if (!backups) throw new Error("No backups are made.");
  return backups;
}

/** What a run of the job does at a moment. */
const run = (settings: Record<string, string> = {}, at = NOW, signal = new AbortController().signal) =>
  scheduledBackups(database, plan(settings)).execute({
    runtime: database,
    db: database.db,
    now: new Date(at),
    key: "",
    payload: null,
    signal,
    store: async () => undefined,
  });

const files = (name = "backups") => readdirSync(join(folder, name)).sort();
const recorded = async () =>
  (
    await database.pool.query(
      "select file, bytes, rows, verified_at is not null as verified from backups order by file",
    )
  ).rows;
const keys = async () => ((await bucket.listObjects("/", "")) ?? []).map(({ Key }) => Key).sort();

it("stores a verified backup in the folder, which can be restored, and the newest ones only", async () => {
  for (let hour = 0; hour < 4; hour++) await run({ BACKUP_KEEP: "2" }, NOW + hour * HOUR_MS);
  const names = ["switchyard-20260310T143456Z.backup", "switchyard-20260310T153456Z.backup"];
  expect(files()).toEqual(names);
  const file = join(folder, "backups", "switchyard-20260310T153456Z.backup");
  const all = await recorded();
  expect(all).toHaveLength(4);
  expect(all.at(-1)).toEqual({ file: names[1], bytes: statSync(file).size, rows: 200, verified: true });
  const other = await createTestDatabase();
  expect(await restore(other, file)).toMatchObject({ rows: 200 });
  await other.close();
});

it("leaves other files of the folder alone, but not what an interrupted backup has left", async () => {
  const to = join(folder, "elsewhere");
  mkdirSync(to);
  const others = ["by-hand.backup", "notes.txt", "switchyard-20200101T000000Z.backup.copy"];
  for (const name of [
    ...others,
    "switchyard-20260101T000000Z.backup.unverified",
    "switchyard-20260101T000000Z.backup.unverified.77.tmp",
  ])
    writeFileSync(join(to, name), "");
  await run({ BACKUP_TO: to, BACKUP_KEEP: "1" });
  expect(files("elsewhere")).toEqual([...others, "switchyard-20260310T123456Z.backup"].sort());
});

it("makes one backup a period, also when it is asked again", async () => {
  await run();
  await run({}, NOW + 1_000);
  expect(files()).toHaveLength(1);
  await run({}, NOW + HOUR_MS);
  expect(files()).toHaveLength(2);
});

it("leaves nothing when it is interrupted", async () => {
  const interrupted = new AbortController();
  const going = run({}, NOW, interrupted.signal);
  interrupted.abort();
  await expect(going).rejects.toThrow();
  expect(files()).toEqual([]);
  expect(await recorded()).toEqual([]);
});

it("signs what it sends to a bucket", async () => {
  const { place } = plan({ BACKUP_TO: "s3://safe/signed", AWS_ENDPOINT_URL_S3: strict });
  const { store } = await openPlace(place, new AbortController().signal);
  const file = join(folder, "file");
  writeFileSync(file, Buffer.alloc(9 * 1024 * 1024, 7));
  await store(file, "name");
  expect(files("")).toEqual([]);
});

it("stores backups in a bucket, in parts where they are large, and deletes the oldest", async () => {
  const other = await createTestDatabase();
  onTestFinished(() => other.close());
  await database.pool.query(`
    insert into organizations (name, slug)
    select string_agg(md5(random()::text), ''), 'large' || i from generate_series(1, 600) i, generate_series(1, 1200) group by i`);
  onTestFinished(async () => {
    await database.pool.query("delete from organizations where slug like 'large%'");
  });
  await bucket.putObject("prefix/of/mine/switchyard-20200101T000000Z.backup", "old");
  await bucket.putObject("prefix/of/mine/notes.txt", "mine");
  await bucket.putObject("switchyard-20200101T000000Z.backup", "of another");
  const settings = { BACKUP_TO: "s3://safe/prefix/of/mine", BACKUP_KEEP: "1" };
  await run(settings);
  const name = "switchyard-20260310T123456Z.backup";
  expect(await keys()).toEqual([
    "prefix/of/mine/notes.txt",
    `prefix/of/mine/${name}`,
    "switchyard-20200101T000000Z.backup",
  ]);
  expect(files()).toEqual([]);
  const bytes = Buffer.from(
    (await bucket.getObjectArrayBuffer(`prefix/of/mine/${name}`)) ?? new ArrayBuffer(),
  );
  expect(bytes.length).toBeGreaterThan(8 * 1024 * 1024);
  expect(await recorded()).toEqual([{ file: name, bytes: bytes.length, rows: 800, verified: true }]);
  const file = join(folder, "downloaded.backup");
  writeFileSync(file, bytes);
  expect(await restore(other, file)).toMatchObject({ rows: 800 });
});

it.each([
  [
    "a wrong secret",
    { BACKUP_TO: "s3://safe/", AWS_SECRET_ACCESS_KEY: "canary-secret" },
    "403, SignatureDoesNotMatch",
  ],
  ["an unknown key", { BACKUP_TO: "s3://safe/", AWS_ACCESS_KEY_ID: "canary-key" }, "403, InvalidAccessKeyId"],
  ["no such bucket", { BACKUP_TO: "s3://missing/" }, "404, NoSuchBucket"],
  ["no service there", { BACKUP_TO: "s3://safe/", AWS_ENDPOINT_URL_S3: "" }, "ECONNREFUSED"],
])(
  "says what a failed backup failed of, without secrets, and tries again: %s",
  async (_, settings, reason) => {
    const service = { AWS_ENDPOINT_URL_S3: "AWS_ENDPOINT_URL_S3" in settings ? await nowhere() : strict };
    const logged = vi.spyOn(log(), "error").mockImplementation(() => undefined);
    onTestFinished(() => logged.mockRestore());
    const runner = await startRunner({
      runtime: database,
      jobs: [scheduledBackups(database, plan({ ...settings, ...service }))],
    });
    const state = await eventually(async () => {
      const found = await readJobState(database.db, SCHEDULED_BACKUP);
      return found?.last_error ? found : undefined;
    });
    await runner.stop();
    expect(state).toMatchObject({
      state: "waiting",
      attempts: 1,
      last_error: `The backup could not be stored in the bucket (${reason}).`,
    });
    expect(state.run_at.getTime() - Date.now()).toBeLessThan(60_000);
    const told = inspect([logged.mock.calls, state], { depth: 10 });
    expect(logged).toHaveBeenCalledOnce();
    expect(told).not.toMatch(/canary|S3RVER/);
    expect(files()).toEqual([]);
    expect(await recorded()).toEqual([]);
  },
);

it("is made by one process of several", async () => {
  const jobs = [scheduledBackups(database, plan({}))];
  const runners = await Promise.all([1, 2, 3].map(() => startRunner({ runtime: database, jobs })));
  await eventually(async () =>
    (await readJobState(database.db, SCHEDULED_BACKUP))?.finished_at ? true : undefined,
  );
  for (const runner of runners) await runner.stop();
  expect(files()).toHaveLength(1);
  expect(await recorded()).toHaveLength(1);
});
