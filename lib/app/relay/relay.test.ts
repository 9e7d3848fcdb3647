import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { log } from "#lib/platform/log.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { createTestRelay } from "#testing/relay.ts";
import { person, type SdkService, startSdkService, when } from "#testing/sdk.ts";
import { ENCRYPTION_KEY } from "#testing/service.ts";
import { createSigner, SIGNATURE } from "./signature.ts";

let service: SdkService;
let isAway = false;
/** What the origin answers instead of what it would. */
let tampered: ((response: Response, path: string, signal: AbortSignal) => Promise<Response>) | null = null;
const relays: ReturnType<typeof createTestRelay>[] = [];

/** The origin as a relay reaches it over a network that may fail. */
const origin = {
  handle: async (request: Request) => {
    if (isAway) throw new TypeError("fetch failed");
    const headers = new Headers(request.headers);
    headers.delete("accept-encoding");
    const response = await service.handle(new Request(request, { headers }));
    return tampered ? tampered(response, new URL(request.url).pathname, request.signal) : response;
  },
  get key() {
    return service.key;
  },
};

function start(options: Parameters<typeof createTestRelay>[1] = {}) {
  const relay = createTestRelay(origin, options);
  relays.push(relay);
  return relay;
}
/** A key that no flag has yet. */
let keys = 0;
const newKey = () => {
  keys += 1;
  return `another-${keys}`;
};

type TestRelay = ReturnType<typeof start>;

const ask = (relay: TestRelay, body: Record<string, unknown>, path = "/flags/?v=2") =>
  relay.handle(
    new Request(`http://relay.test${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: service.token, ...body }),
    }),
  );
const get = (relay: TestRelay, path: string, headers: Record<string, string> = {}) =>
  relay.handle(new Request(`http://relay.test${path}`, { headers }));

beforeAll(async () => {
  log().level = "silent";
  service = await startSdkService();
  await service.createFlag("on");
  await service.createFlag("pro", { filters: when(person("plan", ["pro"])) });
  await service.storePerson(["ada"], { plan: "pro" });
});
afterEach(async () => {
  isAway = false;
  tampered = null;
  for (const relay of relays.splice(0)) await relay.close();
});
afterAll(() => service.close());

describe("what is stored of people", () => {
  const valueFor = async (relay: TestRelay, distinct_id: string, more = {}) =>
    (await (await ask(relay, { distinct_id, ...more })).json()).flags.pro;

  it("is asked of the origin, and left undecided without it", async () => {
    const relay = start();
    await relay.poll();
    expect(await valueFor(relay, "ada")).toMatchObject({ enabled: true });
    isAway = true;
    expect(await valueFor(relay, "ada")).toMatchObject({ enabled: false, failed: true });
    const given = { person_properties: { plan: "pro" } };
    expect(await valueFor(relay, "ada", given)).toMatchObject({ enabled: true });
  });

  it("is not waited for when the call says what flags need", async () => {
    const relay = start();
    await relay.poll();
    tampered = () => new Promise(() => undefined);
    expect(await valueFor(relay, "bob", { person_properties: { plan: "free" } })).toMatchObject({
      enabled: false,
      reason: { code: "no_condition_match" },
    });
  });

  it("is not waited for longer than a second, and then not at all for a while", async () => {
    const relay = start();
    await relay.poll();
    let asked = 0;
    tampered = (_response, _path, signal) => {
      asked += 1;
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    expect(await valueFor(relay, "ada")).toMatchObject({ failed: true });
    expect(await valueFor(relay, "ada")).toMatchObject({ failed: true });
    expect(asked).toBe(1);
  });

  it("goes on with OFREP in the protocol's form", async () => {
    const relay = start();
    await relay.poll();
    const path = "/ofrep/v1/evaluate/flags/pro";
    const call = () =>
      relay.handle(
        new Request(`http://relay.test${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${service.token}` },
          body: JSON.stringify({ context: { targetingKey: "ada" } }),
        }),
      );
    expect(await (await call()).json()).toMatchObject({ value: true, reason: "TARGETING_MATCH" });
    isAway = true;
    const response = await call();
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ key: "pro", errorCode: "GENERAL" });
  });
});

describe("without its origin", () => {
  it("serves what it has, and says as of when", async () => {
    const relay = start({ poll_ms: 0 });
    await relay.poll();
    isAway = true;
    const staleSince = async () => {
      await relay.poll();
      return relay.status().origin.stale_since;
    };
    await expect.poll(staleSince).not.toBeNull();
    const response = await ask(relay, { distinct_id: "u1", person_properties: { plan: "x" } });
    const json = await response.json();
    expect(response.headers.get("switchyard-stale-since")).toBe(json.staleSince);
    expect(json.flags.on.enabled).toBe(true);
    expect(await (await relay.readiness()).json()).toMatchObject({ status: "degraded" });
    isAway = false;
    await relay.poll();
    expect(relay.status().origin).toMatchObject({ reachable: true, stale_since: null, problem: null });
    expect(await (await relay.readiness()).json()).toEqual({ status: "ok" });
  });

  it("goes on after a restart, as of when the origin was last heard of", async () => {
    const first = start();
    await first.begin();
    isAway = true;
    const second = start({ folder: first.folder });
    await second.begin();
    const { reachable, sequence, as_of } = second.status().origin;
    expect({ reachable, sequence }).toEqual({
      reachable: false,
      sequence: first.status().origin.sequence,
    });
    expect(Date.now() - Date.parse(as_of ?? "")).toBeLessThan(60_000);
    const response = await get(second, "/flags/definitions", { authorization: `Bearer ${service.key}` });
    expect(response.status).toBe(200);
    expect(response.headers.has("switchyard-stale-since")).toBe(true);
  });

  it("has nothing to serve before it has reached it once", async () => {
    isAway = true;
    const relay = start();
    await relay.begin();
    expect((await relay.readiness()).status).toBe(503);
    expect((await ask(relay, { distinct_id: "u1" })).status).toBe(503);
  });
});

describe("the origin's stream", () => {
  const followed = async () => {
    const relay = start();
    await relay.begin();
    await expect.poll(() => relay.status().origin.follows_stream).toBe(true);
    return relay;
  };
  const serves = async (relay: TestRelay, key: string) =>
    key in (await (await ask(relay, { distinct_id: "u1", person_properties: { plan: "x" } })).json()).flags;

  it("brings changes at once, of flags, surveys and keys", async () => {
    // It polls once an hour.
    const relay = await followed();
    const key = newKey();
    const began = performance.now();
    await service.createFlag(key);
    await expect.poll(() => serves(relay, key), { interval: 10 }).toBe(true);
    expect(performance.now() - began).toBeLessThan(1_000);
    const { sequence } = relay.status().origin;
    const made = await service.api("POST", "/api/personal_api_keys/", {
      label: "Late",
      scopes: ["feature_flag:read"],
    });
    const headers = { authorization: `Bearer ${made.json.value}` };
    await expect.poll(async () => (await get(relay, "/flags/definitions", headers)).status).toBe(200);
    expect(relay.status().origin.sequence).toBeGreaterThan(sequence ?? 0);
  });

  it("makes changes that follow each other few bundles", async () => {
    const relay = await followed();
    let asked = 0;
    tampered = async (response, path) => {
      asked += path === "/api/relay_bundle/" ? 1 : 0;
      return response;
    };
    const keys = Array.from({ length: 20 }, newKey);
    for (const key of keys) await service.createFlag(key);
    await expect.poll(() => serves(relay, keys.at(-1) ?? "")).toBe(true);
    expect(asked).toBeLessThan(keys.length / 2);
  });

  it("is opened again after it was closed, and what was missed meanwhile arrives", async () => {
    const cut = new AbortController();
    tampered = async (response, path) =>
      path.endsWith("/stream/") && response.body && !cut.signal.aborted
        ? new Response(response.body.pipeThrough(new TransformStream(), { signal: cut.signal }))
        : response;
    const relay = await followed();
    isAway = true;
    cut.abort();
    await expect.poll(() => relay.status().origin.follows_stream).toBe(false);
    const key = newKey();
    await service.createFlag(key);
    expect(await serves(relay, key)).toBe(false);
    isAway = false;
    await expect.poll(() => serves(relay, key), { timeout: 10_000 }).toBe(true);
    expect(relay.status().origin.follows_stream).toBe(true);
  });

  it("ends with the right to it", async () => {
    const { value: key, id } = await addKey(service.db, 1, { scopes: ["relay:read"], scoped_teams: [1] });
    const relay = start({ key });
    await relay.begin();
    await expect.poll(() => relay.status().origin.follows_stream).toBe(true);
    await service.api("PATCH", `/api/personal_api_keys/${id}/`, { scopes: ["feature_flag:read"] });
    await expect.poll(() => relay.status().origin.follows_stream).toBe(false);
  });

  it("is not needed: an origin without one is polled", async () => {
    tampered = async (response, path) =>
      path.endsWith("/stream/") ? new Response(null, { status: 404 }) : response;
    const relay = start({ poll_ms: 20 });
    await relay.begin();
    const key = newKey();
    await service.createFlag(key);
    await expect.poll(() => serves(relay, key)).toBe(true);
    expect(relay.status().origin.follows_stream).toBe(false);
  });
});

describe("a bundle", () => {
  /** A signer of somebody else, and one of the origin itself. */
  const [other, own] = [createSigner(Buffer.alloc(32, 9)), createSigner(ENCRYPTION_KEY)];
  const changed = async (response: Response, change: (bundle: Record<string, unknown>) => unknown) => {
    const bundle = (await response.json()) as Record<string, unknown>;
    change(bundle);
    return Buffer.from(JSON.stringify(bundle));
  };
  const answer = (body: Buffer, signature: string | null) =>
    new Response(new Uint8Array(body), {
      headers: { etag: 'W/"x"', ...(signature !== null && { [SIGNATURE]: signature }) },
    });
  type Forgery = (response: Response) => Promise<Response>;
  const forgeries: [what: string, reason: string, forge: Forgery][] = [
    [
      "that was changed",
      "signature",
      async (response) => {
        const signature = response.headers.get(SIGNATURE);
        return answer(
          await changed(response, (bundle) => Object.assign(bundle, { projects: [] })),
          signature,
        );
      },
    ],
    [
      "that is signed with another key",
      "signature",
      async (response) => {
        const body = await changed(response, () => undefined);
        return answer(body, other.sign(body));
      },
    ],
    [
      "without a signature",
      "signature",
      async (response) => answer(await changed(response, () => undefined), null),
    ],
    [
      "that is cut short",
      "signature",
      async (response) => {
        const signature = response.headers.get(SIGNATURE);
        return answer(Buffer.from(await response.arrayBuffer()).subarray(0, -20), signature);
      },
    ],
    [
      "that is older",
      "sequence",
      async (response) => {
        const body = await changed(response, (bundle) => Object.assign(bundle, { sequence: 1 }));
        return answer(body, own.sign(body));
      },
    ],
    [
      "for another key",
      "audience",
      async (response) => {
        const body = await changed(response, (bundle) => Object.assign(bundle, { audience: "sha256$0" }));
        return answer(body, own.sign(body));
      },
    ],
    [
      "of another release",
      "format",
      async (response) => {
        const body = await changed(response, (bundle) => Object.assign(bundle, { format: 2 }));
        return answer(body, own.sign(body));
      },
    ],
  ];

  it.each(forgeries)("%s is refused, and what there was goes on being served", async (_, reason, forge) => {
    const relay = start();
    await relay.poll();
    const { sequence } = relay.status().origin;
    tampered = async (response, path) =>
      path === "/api/relay_bundle/" && response.status === 200 ? forge(response) : response;
    await service.createFlag(newKey());
    await relay.poll();
    expect(relay.status().origin).toMatchObject({
      sequence,
      reachable: false,
      refused: { [reason]: 1 },
      problem: expect.stringContaining("refused"),
    });
    expect((await ask(relay, { distinct_id: "u1", person_properties: { plan: "x" } })).status).toBe(200);
  });

  it("older than the one on disk is refused after a restart, too", async () => {
    const folder = start();
    await folder.poll();
    const old = await service.api("GET", "/api/relay_bundle/");
    await service.createFlag(newKey());
    await folder.poll();
    const again = start({ folder: folder.folder });
    tampered = async (response, path) =>
      path === "/api/relay_bundle/" ? answer(Buffer.from(old.text), old.headers.get(SIGNATURE)) : response;
    await again.begin();
    expect(again.status().origin.sequence).toBe(folder.status().origin.sequence);
    expect(again.status().origin.refused).toMatchObject({ sequence: 1 });
  });

  it.each([
    ["cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length - 9)],
    ["empty", () => Buffer.alloc(0)],
    ["something else", () => Buffer.from('{"signature":1}\n{}')],
  ])("on disk that is %s is not used", async (_, damage) => {
    const first = start();
    await first.poll();
    const file = join(first.folder, "bundle");
    writeFileSync(file, damage(readFileSync(file)));
    isAway = true;
    const second = start({ folder: first.folder });
    await second.begin();
    expect(second.status().origin.sequence).toBeNull();
  });

  it("has no more than the key opens, and no secrets", async () => {
    const project = await service.api("POST", "/api/projects/", { name: "Closed" });
    const { value: key } = await addKey(service.db, 1, { scopes: ["relay:read"], scoped_teams: [1] });
    const { json, text } = await service.api("GET", "/api/relay_bundle/", undefined, { key });
    expect(json.projects.map(({ id }: { id: number }) => id)).toEqual([1]);
    expect(text).not.toContain(project.json.api_token);
    expect(text).not.toContain("phs_");
    expect(text).not.toContain("phx_");
    const signature = (await service.api("GET", "/api/relay_bundle/", undefined, { key })).headers;
    expect(signature.get(SIGNATURE)).toMatch(/^[A-Za-z0-9+/]{86}==$/);
  });

  it("is for administrators only, with a key that has the scope for it", async () => {
    const { json: organization } = await service.api("GET", "/api/organizations/@current/");
    const foreign = await addOrganization(service.db, "foreign");
    const levels = { [organization.id]: 8, [foreign.organization.id]: 1 };
    const admin = await addPerson(service.db, "admin@relay.test", levels);
    const member = await addPerson(service.db, "member@relay.test", { [organization.id]: 1 });
    service.runtime.directory.drop();
    const answerTo = async (userId: number, options: Parameters<typeof addKey>[2]) => {
      const { value: key } = await addKey(service.db, userId, options);
      const { status, json } = await service.api("GET", "/api/relay_bundle/", undefined, { key });
      return { status, detail: json.detail };
    };
    const refused = (detail: string) => ({ status: 403, detail: expect.stringContaining(detail) });
    expect(await answerTo(admin.id, { scopes: ["feature_flag:write"] })).toEqual(
      refused("missing the required scope 'relay:read'"),
    );
    expect(await answerTo(member.id, { scopes: ["*"] })).toEqual(refused("Only administrators"));
    expect(await answerTo(admin.id, { scopes: ["relay:read"] })).toEqual(
      refused(`a relay of project ${foreign.project.id}`),
    );
    expect((await answerTo(admin.id, { scopes: ["relay:read"], scoped_teams: [1] })).status).toBe(200);
  });

  it("is not sent again while nothing has changed", async () => {
    const { headers } = await service.api("GET", "/api/relay_bundle/");
    const tag = { "if-none-match": headers.get("etag") ?? "" };
    expect((await service.api("GET", "/api/relay_bundle/", undefined, { headers: tag })).status).toBe(304);
    await service.createFlag(newKey());
    expect((await service.api("GET", "/api/relay_bundle/", undefined, { headers: tag })).status).toBe(200);
  });

  it("is signed with a key that administrators can look up", async () => {
    const { json } = await service.api("GET", "/api/instance_status/");
    expect(json.relay_public_key).toBe(own.public_key);
    expect(json.relay_public_key).not.toBe(other.public_key);
  });
});

describe("events", () => {
  const send = (relay: TestRelay, uuid: string) =>
    ask(relay, { batch: [{ uuid, event: "relayed", distinct_id: "u1", properties: { n: 1 } }] }, "/batch/");
  const stored = async () =>
    (await service.api("GET", "/api/projects/1/events/?event=relayed")).json.results as { id: string }[];

  it("wait on disk while the origin is away, over a restart, and arrive once", async () => {
    const [one, two] = ["01976f0e-0000-7000-8000-000000000001", "01976f0e-0000-7000-8000-000000000002"];
    const first = start();
    await first.poll();
    isAway = true;
    for (const uuid of [one, two, one]) expect((await send(first, uuid)).status).toBe(200);
    expect(first.status().events.files).toBeGreaterThan(0);
    const second = start({ folder: first.folder });
    isAway = false;
    await second.begin();
    await expect.poll(async () => (await stored()).length, { timeout: 20_000 }).toBe(2);
    await expect.poll(() => second.status().events.files, { timeout: 20_000 }).toBe(0);
  });

  it("are refused with 503 when the spool is full", async () => {
    const relay = start({ spool_bytes: 10 });
    await relay.poll();
    const response = await send(relay, "01976f0e-0000-7000-8000-000000000003");
    expect([response.status, (await response.json()).detail]).toEqual([
      503,
      "The origin cannot be reached, and as many events as may wait are waiting.",
    ]);
  });

  it("of an unknown token are refused as by the origin", async () => {
    const relay = start();
    await relay.poll();
    const body = { batch: [{ event: "x", distinct_id: "u" }], token: "phc_unknown" };
    const [here, there] = await Promise.all([
      ask(relay, body, "/batch/"),
      service.api("POST", "/batch/", body, { key: null }),
    ]);
    expect(here.status).toBe(401);
    expect(await here.json()).toEqual(there.json);
  });
});

it("says that it is a relay to whoever manages something", async () => {
  const relay = start();
  await relay.poll();
  const response = await get(relay, "/api/projects/", { authorization: `Bearer ${service.key}` });
  expect(response.status).toBe(404);
  expect((await response.json()).detail).toContain("This is a relay");
});

it("answers as its origin does, for random flags and people whose properties are all given", async () => {
  const relay = start();
  const value = fc.constantFrom("pro", "free", "10", "2024-01-01", "");
  const operator = fc.constantFrom("exact", "is_not", "icontains", "gt", "is_set", "regex");
  const condition = fc.record({
    properties: fc.array(
      fc
        .tuple(fc.constantFrom("plan", "size"), value, operator)
        .map(([key, text, how]) => person(key, text, how)),
      { maxLength: 2 },
    ),
    rollout_percentage: fc.integer({ min: 0, max: 100 }),
  });
  const flag = fc.record({ groups: fc.array(condition, { minLength: 1, maxLength: 3 }) });
  const someone = fc.record({ distinct_id: fc.string({ minLength: 1 }), plan: value, size: value });
  const bare = (text: string) =>
    text.replace(/"requestId":"[^"]*"/, '"requestId":""').replace(/"evaluatedAt":\d+/, '"evaluatedAt":0');
  let made = 0;
  await fc.assert(
    fc.asyncProperty(flag, fc.array(someone, { minLength: 1, maxLength: 5 }), async (filters, people) => {
      made += 1;
      await service.createFlag(`random-${made}`, { filters });
      await relay.poll();
      for (const { distinct_id, plan, size } of people) {
        const body = { distinct_id, person_properties: { plan, size } };
        const there = await service.ask(body);
        const here = await ask(relay, body);
        expect(here.status).toBe(there.status);
        expect(bare(await here.text())).toBe(bare(there.text));
      }
    }),
    { numRuns: 12 },
  );
});
