import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Receipt, SdkInstance } from "#lib/flags/sdk_instances/schema.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { createTestDatabase, urlOf } from "#testing/database.ts";
import {
  eventually,
  PERSONAL_API_KEY,
  PROJECT_TOKEN,
  type Process,
  startProcess,
} from "#testing/processes.ts";
import { everyone } from "#testing/sdk.ts";
import { type Client, startClient, startProxy } from "#testing/sdk-clients.ts";
import { createSigner } from "./signature.ts";

const ENCRYPTION_KEY = Buffer.alloc(32, 6);
const POLL_MS = 200;
const [DIRECT, FIRST, SECOND] = [10, 20, 20];
const ALL = DIRECT + FIRST + SECOND;
/** How often what clients have is noted. */
const NOTE_MS = 5;

const folder = mkdtempSync(join(tmpdir(), "relay-receipts-"));
const closing: (() => unknown)[] = [];
let database: Database;
let origin: Process;
let flag: { id: number; version: number };

type Proxy = Awaited<ReturnType<typeof startProxy>>;

async function proxyOf(target: string): Promise<Proxy> {
  const proxy = await startProxy(target);
  closing.push(proxy.close);
  return proxy;
}

/** A relay that reaches its origin through a proxy, and is reached through another one. */
async function startRelay(name: string) {
  const up = await proxyOf(origin.address);
  const start = () =>
    startProcess(
      {
        DATA_DIR: join(folder, name),
        RELAY_KEY: PERSONAL_API_KEY,
        RELAY_PUBLIC_KEY: createSigner(ENCRYPTION_KEY).public_key,
        RELAY_POLL_SECONDS: "1",
        RELAY_NAME: name,
      },
      ["--relay", up.address],
    );
  let process = await start();
  closing.push(() => process.end("SIGKILL"));
  const down = await proxyOf(process.address);
  return {
    name,
    up,
    down,
    get address() {
      return process.address;
    },
    async restart() {
      await process.end("SIGTERM");
      process = await start();
      down.leadTo(process.address);
    },
  };
}

const read = async (path: string) => {
  const { status, json, text } = await origin.call("GET", `/api/projects/1/${path}`);
  expect(status, text).toBe(200);
  return json;
};
const receiptOf = (): Promise<Receipt> => read(`feature_flags/${flag.id}/receipt/`);
const instancesOf = async (query = ""): Promise<SdkInstance[]> =>
  (await read(`sdk_instances/?limit=1000&flag=${flag.id}${query}`)).results;

async function change(name: string): Promise<void> {
  flag = (await origin.call("PATCH", `/api/projects/1/feature_flags/${flag.id}/`, { name })).json;
}

/** Since when a client has had each version. */
function follow(clients: readonly Client[]) {
  const since = new Map<Client, Map<number, number>>(clients.map((client) => [client, new Map()]));
  const timer = setInterval(() => {
    const now = Date.now();
    for (const [client, versions] of since) {
      const version = client.versionOf("shipped");
      if (!versions.has(version)) versions.set(version, now);
    }
  }, NOTE_MS);
  closing.push(() => clearInterval(timer));
  /** Whether it was seen to have a version, or a later one, before a moment. */
  return (client: Client, version: number, before: number) =>
    [...(since.get(client) ?? [])].some(([had, at]) => had >= version && at < before);
}

/**
 * Compares what is said of each client with what it has in memory: who is said to have the version must have it, and who
 * is said to lack it must have lacked it when that was known.
 */
async function look(clients: readonly Client[], had: ReturnType<typeof follow>) {
  const asked = Date.now();
  const { version } = flag;
  const said = await instancesOf();
  expect(new Set(said.map(({ id }) => id)).size).toBe(said.length);
  const byId = new Map(said.map((each) => [each.id, each]));
  const seen = { confirmed: 0, sent: 0, lacking: 0, unknown: 0 };
  for (const client of clients) {
    const each = byId.get(client.instance() ?? "");
    if (!each) continue;
    if (each.state === "confirmed") {
      seen.confirmed += 1;
      expect(client.versionOf("shipped")).toBeGreaterThanOrEqual(version);
    } else if (each.state === "sent" || each.state === "undelivered") seen.sent += 1;
    else if (each.state === "unknown" || each.state === "silent") seen.unknown += 1;
    else {
      seen.lacking += 1;
      const knownAt = Math.min(asked, Date.parse(each.as_of));
      expect(had(client, version, knownAt), `${each.state} as of ${each.as_of}`).toBe(false);
    }
  }
  return seen;
}

beforeAll(async () => {
  database = await createTestDatabase();
  await bootstrap(database.db, {
    bootstrap_personal_api_key: PERSONAL_API_KEY,
    bootstrap_project_token: PROJECT_TOKEN,
  });
  origin = await startProcess({
    DATABASE_URL: urlOf(database),
    DATA_DIR: join(folder, "origin"),
    ENCRYPTION_KEY: ENCRYPTION_KEY.toString("base64"),
    SDK_RATE_LIMIT_PER_MINUTE: "0",
  });
  flag = (await origin.call("POST", "/api/projects/1/feature_flags/", { key: "shipped", filters: everyone }))
    .json;
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await origin?.end("SIGKILL");
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("50 clients, of which 40 ask two relays", () => {
  it("are counted as they are at every moment, while connections are cut, clients move and a relay is restarted", async () => {
    const first = await startRelay("eu-1");
    const second = await startRelay("eu-2");
    const hosts = [
      ...Array.from({ length: DIRECT }, () => origin.address),
      ...Array.from({ length: FIRST }, () => first.down.address),
      ...Array.from({ length: SECOND }, () => second.down.address),
    ];
    const clients = hosts.map((host) =>
      startClient({ host, token: PROJECT_TOKEN, key: PERSONAL_API_KEY, poll_ms: POLL_MS }),
    );
    closing.push(() => Promise.all(clients.map(({ client }) => client.shutdown(1_000))));
    await Promise.all(clients.map(({ client }) => client.waitForLocalEvaluationReady(30_000)));
    const had = follow(clients);
    const total = { confirmed: 0, sent: 0, lacking: 0, unknown: 0 };
    const until = (isSo: (receipt: Receipt) => boolean) =>
      eventually(async () => {
        const seen = await look(clients, had);
        for (const state of ["confirmed", "sent", "lacking", "unknown"] as const) total[state] += seen[state];
        const receipt = await receiptOf();
        // A figure opens exactly its rows, and nobody is lost.
        expect(receipt.total + receipt.silent).toBe(ALL);
        return isSo(receipt) ? receipt : undefined;
      });
    const relayOf = ({ relays }: Receipt, name: string) => relays.find((relay) => relay.name === name);
    const isEverywhere = ({ complete, confirmed }: Receipt) => complete && confirmed === ALL;

    await eventually(async () => ((await receiptOf()).total === ALL ? true : undefined));
    const whole = await until(isEverywhere);
    expect(whole.relays.map(({ name, state, instances }) => [name, state, instances]).sort()).toEqual([
      ["eu-1", "current", FIRST],
      ["eu-2", "current", SECOND],
    ]);

    // A change reaches all of them, and the receipt counts it soon after.
    const began = performance.now();
    await change("Second");
    await until(isEverywhere);
    const took = performance.now() - began;
    console.info(
      `The receipt of a change counts ${ALL} clients, 40 behind relays, after ${Math.round(took)} ms.`,
    );

    // One relay is cut off from its origin: of those who ask it, nothing is claimed.
    first.up.cut();
    await change("Third");
    const cut = await until(({ confirmed, unknown }) => confirmed === ALL - FIRST && unknown === FIRST);
    expect(cut).toMatchObject({ complete: false, total: ALL, served: ALL - FIRST, behind: 0 });
    expect(await instancesOf("&state=unknown")).toHaveLength(FIRST);
    // It goes on serving what it has, and counts what it sees until it can report.
    first.up.restore();
    await until(isEverywhere);

    // The other one's reports arrive, and it never hears that they have.
    second.up.loseAnswers(true);
    await change("Fourth");
    await until(({ confirmed }) => confirmed >= ALL - SECOND);
    second.up.loseAnswers(false);
    await until(isEverywhere);

    // Its clients lose answers.
    second.down.loseAnswers(true);
    await change("Fifth");
    await until(
      ({ confirmed, sent, undelivered }) => confirmed === ALL - SECOND && sent + undelivered === SECOND,
    );
    second.down.loseAnswers(false);
    await until(isEverywhere);

    // Clients go from one relay to the other, and from there to the origin.
    first.down.leadTo(second.address);
    await change("Sixth");
    const moved = await until(
      (receipt) => isEverywhere(receipt) && relayOf(receipt, "eu-2")?.instances === FIRST + SECOND,
    );
    expect(relayOf(moved, "eu-1")).toMatchObject({ state: "current", instances: 0 });
    second.down.leadTo(origin.address);
    await change("Seventh");
    await until((receipt) => isEverywhere(receipt) && relayOf(receipt, "eu-2")?.instances === FIRST);

    // Started again it is the same relay, and its clients are the same instances.
    first.down.leadTo(first.address);
    await until((receipt) => relayOf(receipt, "eu-1")?.instances === FIRST);
    await first.restart();
    await change("Eighth");
    const again = await until(
      (receipt) => isEverywhere(receipt) && relayOf(receipt, "eu-1")?.instances === FIRST,
    );
    expect(again.relays).toHaveLength(2);
    expect(await instancesOf()).toHaveLength(ALL);

    console.info(`States that were compared: ${JSON.stringify(total)}.`);
    expect(Math.min(...Object.values(total))).toBeGreaterThan(0);
  });
});
