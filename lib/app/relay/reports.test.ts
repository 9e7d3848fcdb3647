import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { SdkInstance, SdkRelay } from "#lib/flags/sdk_instances/schema.ts";
import { log } from "#lib/platform/log.ts";
import { createTestRelay } from "#testing/relay.ts";
import { type SdkService, startSdkService } from "#testing/sdk.ts";

const REPORT = "/api/relay_bundle/report/";
const FLAG = "followed";

let service: SdkService;

beforeAll(async () => {
  log().level = "silent";
  service = await startSdkService();
  await service.createFlag(FLAG);
});
afterAll(() => service.close());

/** How reports fare: they arrive; do not; arrive without an answer; or arrive when the relay has given up on them. */
const WAYS = ["up", "down", "unanswered", "late"] as const;
type Way = (typeof WAYS)[number];

type TestRelay = ReturnType<typeof createTestRelay>;

/** A relay with a network of its own between it and its origin. */
function startRelay(folder?: string) {
  const late: Request[] = [];
  const sent: { relay: { id: string; sequence: number }; instances: unknown[]; requests: unknown[] }[] = [];
  const network: { way: Way; answer: (() => Response) | null } = { way: "up", answer: null };
  const handle = async (request: Request) => {
    if (new URL(request.url).pathname !== REPORT) {
      const headers = new Headers(request.headers);
      headers.delete("accept-encoding");
      return service.handle(new Request(request, { headers }));
    }
    sent.push(await request.clone().json());
    if (network.answer) return network.answer();
    if (network.way === "late") late.push(request);
    if (network.way === "late" || network.way === "down") throw new TypeError("fetch failed");
    const response = await service.handle(request);
    if (network.way === "unanswered") throw new TypeError("fetch failed");
    return response;
  };
  const relay: TestRelay = createTestRelay({ handle, key: service.key }, { ...(folder && { folder }) });
  return {
    relay,
    network,
    sent,
    /** Everything that is still on its way arrives. */
    async arrive() {
      for (const request of late.splice(0)) await service.handle(request);
    },
    lose: () => void late.splice(0),
  };
}
type Networked = ReturnType<typeof startRelay>;

const started: Networked[] = [];
const start = (folder?: string) => {
  const made = startRelay(folder);
  started.push(made);
  return made;
};
const endAll = async () => {
  for (const { relay, network, lose } of started.splice(0)) {
    network.way = "down";
    network.answer = null;
    lose();
    await relay.close();
  }
  await service.runtime.instances.store("all");
  await service.db.execute("delete from sdk_instances");
  await service.db.execute("delete from sdk_relays");
};
afterEach(endAll);

const list = async (more = ""): Promise<SdkInstance[]> =>
  (await service.api("GET", `/api/projects/1/sdk_instances/?limit=1000&flag=${service.ids[FLAG]}${more}`))
    .json.results;
const relays = async (): Promise<SdkRelay[]> =>
  (await service.api("GET", "/api/projects/1/sdk_instances/relays/")).json.results;

type Handle = (request: Request) => Promise<Response>;

/** A client as SDKs are: it sends back the tag of what it has. */
function createClient(name: string) {
  let tag: string | null = null;
  /** The versions of the flag that it had, and since when. */
  const had = [{ version: 0, since: Date.now() }];
  return {
    instance: () => /\.([\w-]{12})"/.exec(tag ?? "")?.[1],
    /** Versions that it had at some time since then. */
    versionsSince: (from: number) =>
      had
        .filter((_, i) => (had[i + 1]?.since ?? Number.POSITIVE_INFINITY) >= from)
        .map(({ version }) => version),
    async ask(handle: Handle, takesAnswer = true) {
      const headers = {
        authorization: `Bearer ${service.key}`,
        "user-agent": `posthog-node/${name}`,
        ...(tag !== null && { "if-none-match": tag }),
      };
      const response = await handle(new Request("http://relay.test/flags/definitions", { headers }));
      expect([200, 304]).toContain(response.status);
      if (!takesAnswer || response.status === 304) return;
      const { flags } = (await response.json()) as { flags: { key: string; version: number }[] };
      tag = response.headers.get("etag");
      had.push({ version: flags.find(({ key }) => key === FLAG)?.version ?? 0, since: Date.now() });
    },
  };
}
type Client = ReturnType<typeof createClient>;

const CLIENTS = 2;
/** Where clients ask: one of the relays, or the origin. */
const ORIGIN = 2;

const place = fc.nat(1);
const actions = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant("ask" as const),
        place: fc.nat(ORIGIN),
        client: fc.nat(CLIENTS - 1),
        takesAnswer: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ does: fc.constant("change" as const), place }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant("poll" as const), place }) },
    { weight: 3, arbitrary: fc.record({ does: fc.constant("report" as const), place }) },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constant("network" as const), place, way: fc.constantFrom(...WAYS) }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("arrive" as const), place }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("restart" as const), place }) },
  ),
  { minLength: 5, maxLength: 40 },
);
type Action = typeof actions extends fc.Arbitrary<(infer T)[]> ? T : never;

const ask = (place: number): Action => ({ does: "ask", place, client: 0, takesAnswer: true });
/** What chance seldom comes upon. */
const EXAMPLES: Action[][] = [
  // A report that arrives when its relay has served the change already.
  [
    ask(0),
    { does: "network", place: 0, way: "late" },
    { does: "report", place: 0 },
    { does: "change", place: 0 },
    { does: "poll", place: 0 },
    ask(0),
    { does: "arrive", place: 0 },
    { does: "report", place: 1 },
  ],
  // A client that got the change from one relay, of which the other one reports.
  [
    ask(0),
    { does: "report", place: 0 },
    { does: "change", place: 0 },
    { does: "poll", place: 1 },
    ask(1),
    { does: "report", place: 0 },
  ],
  // A client that goes to a relay with an older version.
  [
    { does: "poll", place: 0 },
    ask(0),
    ask(0),
    { does: "report", place: 0 },
    ask(1),
    { does: "report", place: 1 },
    { does: "report", place: 0 },
  ],
  // A relay that is killed with what it knows.
  [
    ask(0),
    { does: "report", place: 0 },
    { does: "network", place: 0, way: "down" },
    { does: "change", place: 0 },
    { does: "poll", place: 0 },
    ask(0),
    { does: "restart", place: 0 },
    { does: "report", place: 1 },
  ],
];

/** Two relays, clients that ask them or their origin, and what is known of what. */
async function createWorld() {
  const relays = [start(), start()];
  const at = (place: number) => relays[place] as Networked;
  const clients = Array.from({ length: CLIENTS }, (_, i) => createClient(String(i)));
  const lastPlace = new Map<Client, number>();
  /** Clients of which a relay may have known something when it was killed; its id. */
  const lost = new Map<Client, string>();
  let version = 0;
  const change = async () => {
    ({ version } = await service.changeFlag(FLAG, { name: `Changed at ${Date.now()} after ${version}` }));
  };
  const begin = async ({ relay }: Networked) => {
    await relay.poll();
    await relay.report();
  };
  for (const each of relays) await begin(each);
  await change();

  const doing = {
    async ask({ place, client: i, takesAnswer }: Extract<Action, { does: "ask" }>) {
      const client = clients[i] as Client;
      await client.ask(place === ORIGIN ? service.handle : at(place).relay.handle, takesAnswer);
      lost.delete(client);
      lastPlace.set(client, place);
    },
    change,
    poll: (taken: Action) => at(taken.place).relay.poll(),
    report: (taken: Action) => at(taken.place).relay.report(),
    async network({ place, way }: Extract<Action, { does: "network" }>) {
      at(place).network.way = way;
    },
    arrive: (taken: Action) => at(taken.place).arrive(),
    async restart({ place }: Action) {
      const before = at(place);
      await before.relay.end();
      if (before.network.way !== "up")
        for (const [client, last] of lastPlace)
          if (last === place) lost.set(client, before.relay.status().reports.id);
      relays[place] = start(before.relay.folder);
      await begin(at(place));
    },
  };
  return {
    relays,
    clients,
    act: (taken: Action): Promise<void> => (doing[taken.does] as (taken: Action) => Promise<void>)(taken),
    /** Whoever is said to have the version had it when that was known, or since; and whoever is said to lack it lacked it. */
    async check() {
      const asked = Date.now();
      const said = await list();
      for (const client of clients) {
        const [row, ...more] = said.filter((each) => each.id === client.instance());
        expect(more).toEqual([]);
        // Another one cannot know of it.
        const killed = lost.get(client);
        if (!row || (killed !== undefined && row.relay?.id !== killed)) continue;
        const versions = client.versionsSince(Math.min(asked, Date.parse(row.as_of)));
        if (row.state === "confirmed") expect(Math.max(...versions)).toBeGreaterThanOrEqual(version);
        if (row.state === "waiting" || row.state === "behind")
          expect(Math.min(...versions), `${row.state} as of ${row.as_of}`).toBeLessThan(version);
      }
    },
  };
}

describe("reports of two relays", () => {
  it("are never wrong, whatever becomes of them and wherever clients go; and in the end all is known", async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (taken) => {
        const { relays, clients, act, check } = await createWorld();
        for (const each of taken) {
          await act(each);
          await check();
        }
        for (const { relay, network, lose } of relays) {
          network.way = "up";
          lose();
          await relay.poll();
        }
        const placeOf = (i: number) => relays[i % 2] as Networked;
        for (const [i, client] of clients.entries())
          for (let time = 0; time < 2; time++) await client.ask(placeOf(i).relay.handle);
        const known = async () => {
          for (const { relay } of relays) await relay.report();
          const byId = new Map((await list()).map((each) => [each.id, each]));
          return clients.every((client, i) => {
            const row = byId.get(client.instance() ?? "");
            return row?.state === "confirmed" && row.relay?.id === placeOf(i).relay.status().reports.id;
          });
        };
        await expect.poll(known, { timeout: 10_000, interval: 50 }).toBe(true);
        await endAll();
      }),
      { numRuns: 20, examples: EXAMPLES.map((each): [Action[]] => [each]) },
    );
  });
});

describe("a relay whose reports do not arrive", () => {
  it("waits before it tries again, and then reports the latest of each instance", async () => {
    const { relay, network, sent } = start();
    await relay.poll();
    await relay.report();
    network.way = "down";
    const [one, other] = [createClient("one"), createClient("other")];
    const before = sent.length;
    for (let i = 0; i < 20; i++) {
      await one.ask(relay.handle);
      await relay.report();
    }
    // All of these tries are within the first pause.
    expect(sent.length - before).toBeLessThan(10);
    expect(relay.status().reports.problem).toContain("cannot be reached");
    await other.ask(relay.handle);
    network.way = "up";
    await expect
      .poll(
        async () => {
          await relay.report();
          return (await list()).map(({ state }) => state).sort();
        },
        { timeout: 10_000 },
      )
      .toEqual(["confirmed", "sent"]);
    expect(relay.status().reports.problem).toBeNull();
  });

  it("reports more instances than fit into one report in several, of which the last one counts", async () => {
    const { relay, sent } = start();
    await relay.poll();
    await relay.report();
    const before = sent.length;
    const clients = Array.from({ length: 1_100 }, (_, i) => createClient(String(i)));
    await Promise.all(clients.map((client) => client.ask(relay.handle)));
    await relay.report();
    expect((await list()).length).toBe(1_000);
    expect((await service.api("GET", "/api/projects/1/sdk_instances/")).json.count).toBe(1_100);
    expect(Math.max(...sent.slice(before).map(({ instances }) => instances.length))).toBeLessThanOrEqual(
      1_000,
    );
  });

  it.each([
    ["an origin of an earlier release", () => new Response("Not found", { status: 404 })],
    [
      "a key that may not",
      () =>
        Response.json(
          { type: "authentication_error", code: "permission_denied", detail: "No." },
          { status: 403 },
        ),
    ],
  ])("because of %s does not ask again for a while, and serves as before", async (_, answer) => {
    const { relay, network, sent } = start();
    network.answer = answer;
    await relay.poll();
    await relay.report();
    const before = sent.length;
    for (let i = 0; i < 5; i++) await relay.report();
    expect(sent.length).toBe(before);
    expect(relay.status().reports.problem).toContain("answered 40");
    const client = createClient("served");
    await client.ask(relay.handle);
    expect(Math.max(...client.versionsSince(Date.now()))).toBeGreaterThan(0);
  });
});

it("takes an id of its own where another process reports under the same", async () => {
  const first = start();
  await first.relay.poll();
  await first.relay.report();
  const second = start(first.relay.folder);
  await second.relay.poll();
  await second.relay.report();
  expect(second.relay.status().reports.id).toBe(first.relay.status().reports.id);
  const client = createClient("of-the-first");
  await client.ask(first.relay.handle);
  await expect
    .poll(
      async () => {
        for (const { relay } of [first, second]) await relay.report();
        const { id } = first.relay.status().reports;
        return [(await relays()).length, (await list()).map(({ relay }) => relay?.id === id)];
      },
      { timeout: 10_000 },
    )
    .toEqual([2, [true]]);
  expect(second.relay.status().reports.id).not.toBe(first.relay.status().reports.id);
});

it("counts programs that have flags evaluated by a relay, none of them twice", async () => {
  const { relay, network } = start();
  await relay.poll();
  await relay.report();
  const evaluate = () =>
    relay.handle(
      new Request("http://relay.test/flags/?v=2", {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": "posthog-php/3.9.9" },
        body: JSON.stringify({ token: service.token, distinct_id: "ada" }),
      }),
    );
  const count = async () => {
    const { json } = await service.api("GET", "/api/projects/1/sdk_instances/summary/");
    return json.callers.find((each: { sdk_version: string }) => each.sdk_version === "3.9.9")?.requests ?? 0;
  };
  for (let i = 0; i < 3; i++) await evaluate();
  await expect
    .poll(async () => {
      await relay.report();
      return count();
    })
    .toBe(3);
  network.way = "unanswered";
  await evaluate();
  await relay.report();
  network.way = "up";
  await expect
    .poll(
      async () => {
        await relay.report();
        return relay.status().reports.problem;
      },
      { timeout: 10_000 },
    )
    .toBeNull();
  await relay.report();
  expect(await count()).toBeLessThanOrEqual(4);
});
