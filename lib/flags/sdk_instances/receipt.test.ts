import { eq } from "drizzle-orm";
import type { PostHog } from "posthog-node";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createHandle } from "#lib/app/api.ts";
import { createRuntime, follow } from "#lib/app/runtime.ts";
import { projects } from "#lib/platform/db/tables/accounts.ts";
import { createTestDatabase } from "#testing/database.ts";
import { listenOnLoopback } from "#testing/loopback.ts";
import { eventually } from "#testing/processes.ts";
import { everyone, type SdkService, startSdkService } from "#testing/sdk.ts";
import {
  type Client,
  startProxy as startCuttableProxy,
  startClient as startPostHog,
} from "#testing/sdk-clients.ts";
import { type Receipt, type SdkInstance, STATES } from "./schema.ts";
import { listInstancesBehind } from "./service.ts";

const POLL_MS = 150;
const NO_LIMITS = { management: 0, definitions: 0, events: 0 };

let service: SdkService;
let server: Awaited<ReturnType<typeof listenOnLoopback>>;
/** A second process on the same database. */
let second: {
  runtime: ReturnType<typeof createRuntime>;
  server: Awaited<ReturnType<typeof listenOnLoopback>>;
};

beforeAll(async () => {
  const database = await createTestDatabase();
  service = await startSdkService({ database });
  await follow(service.runtime, service.notifications.subscribe);
  server = await listenOnLoopback(service.handle);
  const runtime = createRuntime(
    database.db,
    { encryption_key: Buffer.alloc(32, 7) },
    { availability: database.availability },
  );
  await follow(runtime, service.notifications.subscribe);
  second = {
    runtime,
    server: await listenOnLoopback(createHandle(runtime, { limits: NO_LIMITS, version: "0.0.0-test" })),
  };
  service.runtime.instances.joinWith((projectId) => runtime.instances.store(projectId));
});

const clients = new Set<PostHog>();
const closing = new Set<() => unknown>();
const endAll = async () => {
  await Promise.all([...clients].map((client) => client.shutdown(1_000)));
  clients.clear();
  for (const close of closing) await close();
  closing.clear();
};
afterEach(async () => {
  await endAll();
  await service.runtime.instances.store("all");
  await second.runtime.instances.store("all");
  await service.db.execute("update sdk_instances set last_seen_at = last_seen_at - interval '1 hour'");
});
afterAll(async () => {
  await server.close();
  await second.server.close();
  await service.close();
});

function startClient(host: string): Client {
  const started = startPostHog({ host, token: service.token, key: service.key, poll_ms: POLL_MS });
  clients.add(started.client);
  return started;
}
async function startProxy(target: string) {
  const proxy = await startCuttableProxy(target);
  closing.add(proxy.close);
  return proxy;
}

const receiptOf = async (key: string): Promise<Receipt> => {
  const { status, json, text } = await service.api(
    "GET",
    `/api/projects/1/feature_flags/${service.ids[key]}/receipt/`,
  );
  expect(status, text).toBe(200);
  return json;
};
const instancesOf = async (query: string): Promise<SdkInstance[]> => {
  const { status, json, text } = await service.api(
    "GET",
    `/api/projects/1/sdk_instances/?limit=1000&${query}`,
  );
  expect(status, text).toBe(200);
  expect(json.results).toHaveLength(json.count);
  return json.results;
};

/** Whether all of these clients are said to have a flag's latest version; others may still be stopping. */
const areConfirmed = async (key: string, all: readonly Client[]) => {
  const states = new Map((await instancesOf(`flag=${service.ids[key]}`)).map(({ id, state }) => [id, state]));
  return all.every((client) => states.get(client.instance() ?? "") === "confirmed") ? true : undefined;
};

/**
 * Compares what is said of each client with what it has in memory. Nobody stops meanwhile: who has the version before
 * the question must not be said to lack it, and who is said to have it must have it after the answer.
 */
async function compare(all: readonly Client[], key: string) {
  const before = new Map(all.map((client) => [client.instance(), client.versionOf(key)]));
  const { json: flag } = await service.api("GET", `/api/projects/1/feature_flags/${service.ids[key]}/`);
  const said = new Map((await instancesOf(`flag=${service.ids[key]}`)).map((each) => [each.id, each]));
  const seen = { confirmed: 0, lacking: 0, sent: 0 };
  for (const client of all) {
    const id = client.instance();
    const each = id === undefined ? undefined : said.get(id);
    if (!each) continue;
    if (each.state === "confirmed") {
      seen.confirmed += 1;
      expect(client.versionOf(key)).toBeGreaterThanOrEqual(flag.version);
    } else if (each.state === "sent" || each.state === "undelivered") seen.sent += 1;
    else {
      seen.lacking += 1;
      expect(before.get(id), each.state).toBeLessThan(flag.version);
    }
    if (each.flag_version !== null) expect(client.versionOf(key)).toBeGreaterThanOrEqual(each.flag_version);
  }
  return seen;
}

describe("50 clients", () => {
  it("have an id each, and the receipt is true at every moment while connections are cut and the flag is changed", async () => {
    await service.createFlag("shipped", { filters: everyone });
    const proxies = await Promise.all(
      [server.address, second.server.address, server.address].map(startProxy),
    );
    const [whole, other, cut] = proxies;
    if (!whole || !other || !cut) throw new Error("There are three.");
    const all = Array.from({ length: 50 }, (_, i) => startClient([whole, other, cut][i % 3]?.address ?? ""));
    await Promise.all(all.map(({ client }) => client.waitForLocalEvaluationReady(30_000)));
    await eventually(async () => ((await receiptOf("shipped")).confirmed === 50 ? true : undefined));
    expect(new Set(all.map((client) => client.instance())).size).toBe(50);

    const seen = { confirmed: 0, lacking: 0, sent: 0 };
    const look = async () => {
      const found = await compare(all, "shipped");
      for (const name of ["confirmed", "lacking", "sent"] as const) seen[name] += found[name];
    };
    // A third of them hears of nothing from here on, and another third loses answers.
    cut.cut();
    other.loseAnswers(true);
    await service.changeFlag("shipped", { name: "Two" });
    await eventually(async () => {
      await look();
      other.cutOnce();
      const lost = await instancesOf(`flag=${service.ids.shipped}&state=behind,waiting,sent,undelivered`);
      return (await receiptOf("shipped")).confirmed >= 17 && lost.length >= 33 ? true : undefined;
    });
    const held = all.filter((client) => client.versionOf("shipped") === 2).length;
    expect(held).toBe(17);
    const receipt = await receiptOf("shipped");
    expect(receipt).toMatchObject({ version: 2, total: 50, confirmed: 17, complete: false });
    expect(receipt.sent + receipt.undelivered + receipt.waiting + receipt.behind).toBe(33);

    other.loseAnswers(false);
    cut.restore();
    await service.changeFlag("shipped", { name: "Three" });
    await eventually(async () => {
      await look();
      return (await receiptOf("shipped")).complete ? true : undefined;
    });
    expect(all.every((client) => client.versionOf("shipped") === 3)).toBe(true);
    const complete = await receiptOf("shipped");
    expect(complete).toMatchObject({
      version: 3,
      total: 50,
      served: 50,
      confirmed: 50,
      waiting: 0,
      behind: 0,
    });
    expect(complete.served_after_ms).toBeGreaterThan(0);
    expect(Math.min(seen.confirmed, seen.lacking, seen.sent)).toBeGreaterThan(0);
  });
});

describe("a receipt", () => {
  it("counts exactly the instances that it opens, and knows how often they ask and from where", async () => {
    await service.createFlag("opened");
    const all = Array.from({ length: 4 }, () => startClient(server.address));
    await eventually(() => areConfirmed("opened", all));
    await service.changeFlag("opened", { active: false });
    await eventually(() => areConfirmed("opened", all));
    const ids = new Set(all.map((client) => client.instance()));
    await endAll();
    const receipt = await receiptOf("opened");
    for (const state of STATES)
      expect(await instancesOf(`flag=${service.ids.opened}&state=${state}`)).toHaveLength(receipt[state]);
    const confirmed = await instancesOf(`flag=${service.ids.opened}&state=confirmed`);
    const instances = confirmed.filter(({ id }) => ids.has(id));
    expect(instances).toHaveLength(4);
    for (const each of instances) {
      expect(each).toMatchObject({
        sdk: "posthog-node",
        sdk_version: "5.70.0",
        address: "127.0.0.1",
        via: "poll",
        sends_tags: true,
        flag_version: 2,
      });
      expect(each.poll_interval_ms).toBeGreaterThanOrEqual(POLL_MS * 0.9);
      expect(each.poll_interval_ms).toBeLessThan(POLL_MS * 20);
    }
    const page = await service.api(
      "GET",
      `/api/projects/1/sdk_instances/?flag=${service.ids.opened}&state=confirmed&limit=3`,
    );
    expect([page.json.count, page.json.results.length, page.json.next]).toEqual([
      confirmed.length,
      3,
      expect.any(String),
    ]);
  });

  it("counts a deleted flag as arrived where it is gone", async () => {
    await service.createFlag("removed");
    const client = startClient(server.address);
    await eventually(() => areConfirmed("removed", [client]));
    expect(client.versionOf("removed")).toBe(1);
    await service.changeFlag("removed", { deleted: true });
    await eventually(() => areConfirmed("removed", [client]));
    expect(client.versionOf("removed")).toBe(0);
  });

  it("knows after a restart what instances had, from what they say and what was stored", async () => {
    await service.createFlag("restarted");
    const proxy = await startProxy(server.address);
    const client = startClient(proxy.address);
    await eventually(() => areConfirmed("restarted", [client]));
    const id = client.instance();
    proxy.cut();
    // The other process has never heard of it.
    const [stored] = (
      await second.runtime.db.execute(`select id, content from sdk_instances where id = '${id}'`)
    ).rows;
    expect(stored?.content).toBe((await second.runtime.definitions.project(1)).content());
    const headers = { "if-none-match": `W/"${stored?.content}5.${id}"` };
    const answer = await fetch(
      `${second.server.address}/flags/definitions?token=${service.token}&send_cohorts`,
      {
        headers: { ...headers, authorization: `Bearer ${service.key}` },
      },
    );
    expect([answer.status, answer.headers.get("etag")]).toEqual([304, `W/"${stored?.content}5.${id}"`]);
    expect(await areConfirmed("restarted", [client])).toBe(true);
  });

  it("says which versions callers report that were not up to date", async () => {
    await service.createFlag("reported");
    await service.changeFlag("reported", { name: "Second" });
    const call = (version: unknown) => ({
      event: "$feature_flag_called",
      distinct_id: "ada",
      properties: { $feature_flag: "reported", $feature_flag_version: version, $lib: "web" },
    });
    const batch = [call(1), call(1), call(2), call("x"), call(-5), call("99999999999"), call(null)];
    expect(
      (await service.api("POST", "/batch/", { api_key: service.token, batch }, { key: null })).status,
    ).toBe(200);
    expect((await receiptOf("reported")).older_calls).toEqual([
      { lib: "web", version: 1, calls: 2, last_called_at: expect.any(String) },
    ]);
  });

  it.each([
    { path: "feature_flags/999999/receipt/", status: 404 },
    { path: "sdk_instances/?flag=999999", status: 404 },
    { path: "sdk_instances/?flag=x", status: 400 },
    { path: "sdk_instances/?flag=99999999999999999999", status: 400 },
    { path: "sdk_instances/?state=confirmed,nonsense", status: 400 },
    { path: "sdk_instances/?state=", status: 200 },
    { path: "sdk_instances/?limit=-1&offset=x", status: 200 },
    { path: "sdk_instances/?sdk=%27%3B--&sdk_version=%00", status: 400 },
    { path: "sdk_instances/summary/", status: 200 },
  ])("of $path is $status", async ({ path, status }) => {
    const answer = await service.api("GET", `/api/projects/1/${path}`);
    expect(answer.status, answer.text).toBe(status);
  });
});

describe("who sends no tag back", () => {
  const ask = (agent: string, headers: Record<string, string> = {}) =>
    service.api("GET", `/flags/definitions?token=${service.token}`, undefined, {
      headers: { "user-agent": agent, ...headers },
    });

  it.each([
    { tag: "nonsense" },
    { tag: `W/"${"a".repeat(22)}5.${"b".repeat(11)}"` },
    { tag: `W/"${"a".repeat(22)}5.${"b".repeat(13)}"` },
    { tag: `W/"${"a".repeat(22)}x.${"b".repeat(12)}"` },
    { tag: `${"x,".repeat(5_000)}` },
    { tag: '"' },
    { tag: "'; drop table sdk_instances; --" },
  ])("gets an id of its own, whatever it sends: $tag", async ({ tag }) => {
    const answer = await ask("hostile/1", { "if-none-match": tag });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("etag")).toMatch(/^W\/"[\w-]{23}\.[\w-]{12}"$/);
  });

  it("keeps the id that it sends with definitions nobody knows, which are no version of any flag", async () => {
    await service.createFlag("unknown-to-some");
    const answer = await ask("stranger/2", { "if-none-match": `W/"${"a".repeat(22)}5.strangerid00"` });
    expect([answer.status, answer.headers.get("etag")?.endsWith('.strangerid00"')]).toEqual([200, true]);
    const found = await instancesOf(`flag=${service.ids["unknown-to-some"]}&sdk=stranger`);
    expect(found).toEqual([
      expect.objectContaining({
        id: "strangerid00",
        state: "sent",
        flag_version: null,
        definitions_version: null,
      }),
    ]);
  });

  it("is one instance, however often it asks", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    try {
      for (let i = 0; i < 6; i++) {
        await ask("forgetful/3");
        await service.runtime.instances.store("all");
        vi.setSystemTime(Date.now() + 100_000);
      }
      const found = await instancesOf("sdk=forgetful");
      const untagged = found.filter(({ sends_tags }) => !sends_tags);
      expect([untagged.length, found.length]).toEqual([1, 1]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("an instance that is cut off", () => {
  it("is waiting, then behind, then silent; and is listed for whoever reports it while it is behind", async () => {
    await service.createFlag("cut-off");
    const query = `/flags/definitions?token=${service.token}`;
    const agent = { "user-agent": "posthog-go/1.0.0" };
    const { headers } = await service.api("GET", query, undefined, { headers: agent });
    const tag = headers.get("etag") ?? "";
    const [, id] = /\.([\w-]{12})"/.exec(tag) ?? [];
    const [project] = await service.db.select().from(projects).where(eq(projects.id, 1));
    if (!project) throw new Error("There is one.");
    const behind = async () => {
      const context = { db: service.db, runtime: service.runtime, project, now: new Date() };
      return (await listInstancesBehind(context, { limit: 100, offset: 0 })).results.map((each) => each.id);
    };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    try {
      vi.setSystemTime(Date.now() + 5_000);
      const again = { ...agent, "if-none-match": tag };
      expect((await service.api("GET", query, undefined, { headers: again })).status).toBe(304);
      await service.changeFlag("cut-off", { name: "Changed" });
      const states: [number, string][] = [];
      for (const seconds of [0, 4, 16, 400, 700]) {
        const at = Date.now();
        vi.setSystemTime(at + seconds * 1_000);
        const [found] = await instancesOf(`flag=${service.ids["cut-off"]}&sdk=posthog-go`);
        states.push([seconds, found?.state ?? "none"]);
        if (seconds === 16) expect(await behind()).toContain(id);
        else if (seconds !== 400) expect(await behind()).not.toContain(id);
        if (seconds === 16) {
          const receipt = await receiptOf("cut-off");
          expect(receipt).toMatchObject({
            complete: false,
            behind_versions: [{ flag_version: 1, instances: 1 }],
          });
        }
        vi.setSystemTime(at);
      }
      expect(states).toEqual([
        [0, "waiting"],
        [4, "waiting"],
        [16, "behind"],
        [400, "behind"],
        [700, "silent"],
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});

it("does not store anything for a request that is answered 304", async () => {
  const first = await service.api("GET", `/flags/definitions?token=${service.token}`);
  const headers = { "if-none-match": first.headers.get("etag") ?? "" };
  await service.api("GET", `/flags/definitions?token=${service.token}`, undefined, { headers });
  await service.runtime.instances.store("all");
  const statements = vi.spyOn(service.db, "execute");
  for (let i = 0; i < 50; i++)
    expect(
      (await service.api("GET", `/flags/definitions?token=${service.token}`, undefined, { headers })).status,
    ).toBe(304);
  expect(statements).not.toHaveBeenCalled();
  statements.mockRestore();
});

it("counts programs that have flags evaluated, by version", async () => {
  const headers = { "user-agent": "posthog-python/7.53.0" };
  for (let i = 0; i < 3; i++) await service.ask({ distinct_id: "ada" }, "/flags/?v=2", headers);
  await service.runtime.instances.store("all");
  const { json } = await service.api("GET", "/api/projects/1/sdk_instances/summary/");
  expect(json.callers).toContainEqual(
    expect.objectContaining({ sdk: "posthog-python", sdk_version: "7.53.0", requests: 3 }),
  );
});

it("shows nothing of other projects", async () => {
  const { json } = await service.api("POST", "/api/projects/", { name: "Other" });
  const listed = await service.api("GET", `/api/projects/${json.id}/sdk_instances/`);
  expect(listed.json.count).toBe(0);
  const flag = await service.api(
    "GET",
    `/api/projects/${json.id}/feature_flags/${service.ids.opened}/receipt/`,
  );
  expect(flag.status).toBe(404);
});
