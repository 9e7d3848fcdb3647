import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { feature_flags } from "#lib/platform/db/tables/feature_flags.ts";
import { createTestDatabase, urlOf } from "#testing/database.ts";
import {
  eventually,
  PERSONAL_API_KEY,
  PROJECT_TOKEN,
  type Process,
  startProcess,
} from "#testing/processes.ts";
import { person, when } from "#testing/sdk.ts";
import { createSigner } from "./signature.ts";

const ENCRYPTION_KEY = Buffer.alloc(32, 5);
const FLAGS = 1_000;
const CHANGES = 5;
const MEMORY_LIMIT_KB = 128 * 1024;

const folder = mkdtempSync(join(tmpdir(), "relay-process-"));
let database: Database;
let origin: Process;
let relay: Process;

const startOrigin = (port = "0") =>
  startProcess({
    DATABASE_URL: urlOf(database),
    DATA_DIR: join(folder, "origin"),
    ENCRYPTION_KEY: ENCRYPTION_KEY.toString("base64"),
    PORT: port,
  });
const startRelay = (pollSeconds = "1") =>
  startProcess(
    {
      DATA_DIR: join(folder, "relay"),
      RELAY_KEY: PERSONAL_API_KEY,
      RELAY_PUBLIC_KEY: createSigner(ENCRYPTION_KEY).public_key,
      RELAY_POLL_SECONDS: pollSeconds,
    },
    ["--relay", origin.address],
  );

const ask = () =>
  relay.call(
    "POST",
    "/flags/?v=2",
    { token: PROJECT_TOKEN, distinct_id: "u1", person_properties: { plan: "pro" } },
    {},
  );
const send = (n: number) =>
  relay.call(
    "POST",
    "/batch/",
    { api_key: PROJECT_TOKEN, batch: [{ event: "relayed", distinct_id: "u1", properties: { n } }] },
    {},
  );

/** Resident memory in kilobytes, as the kernel counts it: now, and at most so far. */
function memoryOf({ child }: Process) {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const figure = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { now: figure("VmRSS"), peak: figure("VmHWM") };
}

beforeAll(async () => {
  database = await createTestDatabase();
  await bootstrap(database.db, {
    bootstrap_personal_api_key: PERSONAL_API_KEY,
    bootstrap_project_token: PROJECT_TOKEN,
  });
  const filters = when(person("plan", ["pro"]));
  await database.db
    .insert(feature_flags)
    .values(Array.from({ length: FLAGS }, (_, i) => ({ project_id: 1, key: `flag-${i}`, filters })));
  origin = await startOrigin();
});
afterAll(async () => {
  await Promise.all([origin?.end("SIGKILL"), relay?.end("SIGKILL")]);
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

it("brings a change to an SDK behind it within a second, by the origin's stream", async () => {
  relay = await startRelay("3600");
  const follows = async () => (await relay.call("GET", "/relay/status")).json.origin.follows_stream;
  await eventually(async () => ((await follows()) ? true : undefined));
  const { json } = await origin.call("GET", "/api/projects/1/feature_flags/?limit=1");
  const [flag] = json.results as { id: number; key: string; version: number }[];
  if (!flag) throw new Error("There is one.");
  const times: number[] = [];
  for (let version = flag.version + 1; version <= flag.version + CHANGES; version++) {
    const began = performance.now();
    await origin.call("PATCH", `/api/projects/1/feature_flags/${flag.id}/`, { name: `Version ${version}` });
    await eventually(async () =>
      (await ask()).json.flags[flag.key].metadata.version === version ? true : undefined,
    );
    times.push(performance.now() - began);
  }
  const middle = times.toSorted((a, b) => a - b)[CHANGES >> 1] ?? Number.NaN;
  console.info(
    `From the request to an SDK behind a relay: ${Math.round(middle)} ms, ${Math.round(Math.max(...times))} ms at most.`,
  );
  expect(middle).toBeLessThan(1_000);
  await relay.end("SIGTERM");
});

it("serves a thousand flags within 128 MB, with what came while its origin was away, over a restart", async () => {
  relay = await startRelay();
  for (let i = 0; i < 100; i++) await Promise.all(Array.from({ length: 20 }, ask));
  const definitions = await relay.call("GET", "/flags/definitions/");
  expect(definitions.json.flags).toHaveLength(FLAGS);
  const { now, peak } = memoryOf(relay);
  const inMegabytes = (kilobytes: number) => `${Math.round(kilobytes / 1024)} MB`;
  console.info(`A relay with ${FLAGS} flags takes ${inMegabytes(now)}; ${inMegabytes(peak)} at most.`);
  expect(now).toBeLessThan(MEMORY_LIMIT_KB);

  const { port } = new URL(origin.address);
  await origin.end("SIGKILL");
  expect(Object.keys((await ask()).json.flags)).toHaveLength(FLAGS);
  expect((await send(1)).status).toBe(200);
  await eventually(async () => {
    const { status, headers } = await ask();
    return status === 200 && headers.has("switchyard-stale-since") ? true : undefined;
  });

  expect(await relay.end("SIGTERM")).toBe(0);
  relay = await startRelay();
  const answer = await ask();
  expect(answer.json.flags["flag-7"].enabled).toBe(true);
  expect(answer.json.staleSince).toBe(answer.headers.get("switchyard-stale-since"));
  expect((await send(2)).status).toBe(200);

  origin = await startOrigin(port);
  const stored = async () =>
    (await origin.call("GET", "/api/projects/1/events/?event=relayed")).json.results as {
      properties: { n: number };
    }[];
  await eventually(async () => ((await stored()).length === 2 ? true : undefined));
  await eventually(async () => {
    const { json } = await relay.call("GET", "/relay/status");
    return json.origin.reachable && json.events.files === 0 ? true : undefined;
  });
  expect((await stored()).map(({ properties }) => properties.n).sort()).toEqual([1, 2]);
  expect((await ask()).headers.has("switchyard-stale-since")).toBe(false);
});

it.each([
  [{ RELAY_KEY: "" }, "RELAY_KEY must be set"],
  [{ RELAY_PUBLIC_KEY: "" }, "RELAY_PUBLIC_KEY must be set"],
  [{ RELAY_PUBLIC_KEY: "short" }, "RELAY_PUBLIC_KEY must be"],
  [{ SPOOL: "off" }, "SPOOL must not be off"],
])("does not start with %o", async (env, message) => {
  const start = startProcess(
    {
      DATA_DIR: join(folder, "none"),
      RELAY_KEY: PERSONAL_API_KEY,
      RELAY_PUBLIC_KEY: createSigner(ENCRYPTION_KEY).public_key,
      ...env,
    },
    ["--relay", origin.address],
  );
  await expect(start).rejects.toThrow(message);
});
