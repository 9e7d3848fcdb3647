import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { ClientProviderEvents, OpenFeature } from "@openfeature/web-sdk";
import { eq } from "drizzle-orm";
import { EventSource } from "eventsource";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { follow, forget } from "#lib/app/runtime.ts";
import { projects } from "#lib/platform/db/tables/accounts.ts";
import { registry } from "#lib/platform/metrics.ts";
import { listenOnLoopback } from "#testing/loopback.ts";
import { eventually } from "#testing/processes.ts";
import { type SdkService, startSdkService } from "#testing/sdk.ts";

const HEARTBEAT_MS = 200;
const LIMITS = { all: 6, project: 5 };

let service: SdkService;
let server: Awaited<ReturnType<typeof listenOnLoopback>>;
let projectId = 0;
let token = "";
const open = new Set<{ close: () => unknown }>();

beforeAll(async () => {
  service = await startSdkService({ streams: { heartbeatMs: HEARTBEAT_MS, limits: LIMITS } });
  await follow(service.runtime, service.notifications.subscribe);
  server = await listenOnLoopback(service.handle);
  const other = await service.api("POST", "/api/projects/", { name: "Other" });
  projectId = other.json.id;
  token = other.json.api_token;
  await service.createFlag("first");
});
afterEach(async () => {
  for (const each of open) await each.close();
  open.clear();
});
afterAll(async () => {
  await server.close();
  await service.close();
});

type Event = { id: string; data: { type: string; etag: string; lastModified: number } };

/** A stream as it arrives: its events, and everything that was said. */
async function listen(path: string, headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const response = await fetch(server.address + path, { headers, signal: stop.signal });
  const state = { text: "", isOver: false };
  const reading = (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) state.text += chunk;
  })()
    .catch(() => undefined)
    .finally(() => {
      state.isOver = true;
    });
  const close = async () => {
    stop.abort();
    await reading;
  };
  open.add({ close });
  return {
    response,
    close,
    text: () => state.text,
    /** Resolves when the server has closed it. */
    over: () => eventually(() => (state.isOver ? true : undefined)),
    events: (): Event[] =>
      state.text
        .split("\n\n")
        .filter((block) => block.includes("data: "))
        .map((block) => ({
          id: /^id: (.*)$/m.exec(block)?.[1] ?? "",
          data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null"),
        })),
  };
}
type Listened = Awaited<ReturnType<typeof listen>>;

const bearer = () => ({ authorization: `Bearer ${service.key}` });
const DEFINITIONS = "/flags/definitions/stream/";
const listenToDefinitions = (more: Record<string, string> = {}) =>
  listen(`${DEFINITIONS}?token=${service.token}`, { ...bearer(), ...more });
const listenToFlags = (of = service.token, headers = {}) => listen(`/flags/stream/?token=${of}`, headers);

const eventOf = (stream: Listened, place = 0) => eventually(() => stream.events()[place], stream.text);
const beginningOf = (stream: Listened) =>
  eventually(() => /^retry: \d+\nid: ([\w-]+)$/m.exec(stream.text())?.[1]);

let changes = 0;
/** Changes a flag as another process would see it. */
const change = () => service.changeFlag("first", { name: `Change ${++changes}` });

const contentNow = async (project = 1) => (await service.runtime.definitions.latest(project)).content();

describe("a stream", () => {
  it.each([
    { of: "definitions", connect: () => listenToDefinitions(), type: "refetchDefinitions" },
    { of: "flags", connect: () => listenToFlags(), type: "refetchEvaluation" },
  ])(
    "of $of says that something has changed, once that is served, and not what",
    async ({ connect, type }) => {
      const stream = await connect();
      expect(stream.response.status).toBe(200);
      const { headers } = stream.response;
      expect(headers.get("content-type")).toBe("text/event-stream");
      expect(headers.get("cache-control")).toBe("no-store, no-transform");
      expect(headers.get("x-accel-buffering")).toBe("no");
      expect(headers.get("content-length")).toBeNull();
      await beginningOf(stream);
      const before = stream.events().length;
      await change();
      const event = await eventOf(stream, before);
      expect(event.data).toEqual({ type, etag: `"${event.id}"`, lastModified: expect.any(Number) });
      expect(event.id).toBe(await contentNow());
      const { json } = await service.api("GET", `/flags/definitions?token=${service.token}`);
      expect(json.flags[0].name).toBe(`Change ${changes}`);
    },
  );

  it("says nothing of other projects, nor when nothing has changed", async () => {
    const other = await listenToFlags(token, { "last-event-id": await contentNow(projectId) });
    const own = await listenToFlags();
    await beginningOf(other);
    await beginningOf(own);
    const before = own.events().length;
    service.runtime.flags.changed(1, null);
    service.runtime.flags.changed(projectId, null);
    await service.runtime.flags.settled(null);
    await change();
    await eventOf(own, before);
    expect([own.events().length - before, other.events()]).toEqual([1, []]);
  });

  it("coalesces changes that follow each other fast", async () => {
    const stream = await listenToFlags();
    await beginningOf(stream);
    const before = stream.events().length;
    for (let i = 0; i < 12; i++) await change();
    const now = await contentNow();
    await eventually(() => (stream.events().at(-1)?.id === now ? true : undefined));
    expect(stream.events().length - before).toBeLessThan(12);
  });

  it("has heartbeats", async () => {
    const stream = await listenToFlags();
    await eventually(() =>
      stream
        .text()
        .split("\n\n")
        .filter((block) => block === ":").length > 1
        ? true
        : undefined,
    );
  });

  it("reports what was missed with a single event, to those who say what they have", async () => {
    const stream = await listenToFlags();
    const had = await beginningOf(stream);
    await stream.close();
    await change();
    await change();
    const again = await listenToFlags(service.token, { "last-event-id": had });
    expect((await eventOf(again)).id).toBe(await contentNow());
    expect(again.events()).toHaveLength(1);
    const current = await listenToFlags(service.token, { "last-event-id": await contentNow() });
    await beginningOf(current);
    expect(current.events()).toEqual([]);
    const inQuery = await listen(`/flags/stream/?token=${service.token}&last_event_id=${had}`);
    await eventOf(inQuery);
    const hostile = await listenToFlags(service.token, { "last-event-id": "\u00ff'; drop table".repeat(99) });
    expect((await eventOf(hostile)).id).toBe(await contentNow());
  });

  it("begins with an event if it is the first: its reader may have asked for flags before a change", async () => {
    const first = await listenToFlags(token);
    expect((await eventOf(first)).id).toBe(await contentNow(projectId));
  });

  it("takes the entity tag of definitions for what its reader has", async () => {
    const { headers } = await service.api("GET", `/flags/definitions?token=${service.token}&send_cohorts`);
    const tag = headers.get("etag") ?? "";
    const current = await listenToDefinitions({ "if-none-match": tag });
    await beginningOf(current);
    expect(current.events()).toEqual([]);
    const listed = await service.api("GET", "/api/projects/1/sdk_instances/");
    const [, instance] = /\.([\w-]{12})"/.exec(tag) ?? [];
    expect(listed.json.results.find(({ id }: { id: string }) => id === instance)?.via).toBe("stream");
    await current.close();
    await change();
    await eventOf(await listenToDefinitions({ "if-none-match": tag }));
  });
});

type Refused = { who: string; path: string; headers: Record<string, string>; status: number };

it("is not opened by a HEAD request", async () => {
  for (let i = 0; i < LIMITS.all * 2; i++) {
    const path = `${server.address}/flags/stream/?token=${service.token}`;
    expect((await fetch(path, { method: "HEAD" })).status).toBe(200);
  }
  expect((await listenToFlags()).response.status).toBe(200);
});

describe("who may open one", () => {
  it.each([
    { who: "nobody without a key", path: DEFINITIONS, headers: {}, status: 401 },
    {
      who: "nobody with a wrong key",
      path: DEFINITIONS,
      headers: { authorization: "Bearer phx_no" },
      status: 401,
    },
    { who: "nobody with a wrong token", path: "/flags/stream/?token=phc_no", headers: {}, status: 401 },
    { who: "nobody without a token", path: "/flags/stream/", headers: {}, status: 401 },
  ] as Refused[])("$who", async ({ path, headers, status }) => {
    const { response } = await listen(path, headers);
    expect([response.status, (await response.headers.get("content-type")) ?? ""]).toEqual([
      status,
      expect.stringContaining("json"),
    ]);
  });

  it("not a key without the scope, and not one of another project", async () => {
    const make = async (fields: object) =>
      (await service.api("POST", "/api/personal_api_keys/", { label: "stream", ...fields })).json.value;
    const scopeless = await make({ scopes: ["survey:read"] });
    const foreign = await make({ scopes: ["*"], scoped_teams: [projectId] });
    for (const key of [scopeless, foreign]) {
      const path = `${DEFINITIONS}?token=${service.token}`;
      expect((await listen(path, { authorization: `Bearer ${key}` })).response.status).toBe(403);
    }
  });

  it("as many as there may be: then 429 for the project, 503 for everybody", async () => {
    const streams = await Promise.all(Array.from({ length: LIMITS.project }, () => listenToFlags()));
    expect(new Set(streams.map(({ response }) => response.status))).toEqual(new Set([200]));
    const tooMany = await listenToFlags();
    expect([tooMany.response.status, tooMany.response.headers.get("retry-after")]).toEqual([429, "10"]);
    expect((await listenToFlags(token)).response.status).toBe(200);
    const full = await listenToFlags(token);
    expect([full.response.status, full.response.headers.get("retry-after")]).toEqual([503, "10"]);
    await streams[0]?.close();
    await eventually(async () => ((await listenToFlags()).response.status === 200 ? true : undefined));
  });
});

describe("a stream is closed", () => {
  it("when its key is revoked, at once", async () => {
    const made = await service.api("POST", "/api/personal_api_keys/", {
      label: "to be revoked",
      scopes: ["feature_flag:read"],
    });
    const path = `${DEFINITIONS}?token=${service.token}`;
    const stream = await listen(path, { authorization: `Bearer ${made.json.value}` });
    const other = await listenToDefinitions();
    await beginningOf(stream);
    await service.api("DELETE", `/api/personal_api_keys/${made.json.id}/`);
    await stream.over();
    await change();
    await eventOf(other, 0);
  });

  it("when its project is gone", async () => {
    const made = await service.api("POST", "/api/projects/", { name: "To be deleted" });
    const stream = await listenToFlags(made.json.api_token);
    await beginningOf(stream);
    await service.db.delete(projects).where(eq(projects.id, made.json.id));
    service.runtime.directory.drop();
    await stream.over();
  });

  it("when its reader takes nothing, without ever holding more than a few messages for it", async () => {
    const response = await service.handle(
      new Request(`http://switchyard.test/flags/stream/?token=${service.token}`),
    );
    const closed = async () =>
      /streams_closed_total\{reason="slow"\} (\d+)/.exec(await registry.metrics())?.[1];
    const before = await closed();
    await eventually(async () => {
      await change();
      return (await closed()) === before ? undefined : true;
    });
    await expect(response.text()).rejects.toThrow("too slow");
  });
});

it("hears of what changed while notifications were missed", async () => {
  const stream = await listenToFlags();
  await beginningOf(stream);
  const before = stream.events().length;
  await service.db.execute("update feature_flags set name = 'Changed meanwhile', version = version + 1");
  forget(service.runtime);
  await eventOf(stream, before);
});

describe("OpenFeature's provider for browsers", () => {
  const evaluate = (query = "") =>
    service.api(
      "POST",
      `/ofrep/v1/evaluate/flags${query}`,
      { context: { targetingKey: "ada" } },
      { key: service.token },
    );
  const streamIn = ({ json }: Awaited<ReturnType<typeof evaluate>>) =>
    listen(json.eventStreams[0].endpoint.requestUri);

  it("hears of a change before its stream was open", async () => {
    const outdated = await evaluate();
    await change();
    expect((await eventOf(await streamIn(outdated))).id).toBe(await contentNow());
    const current = await streamIn(await evaluate());
    await beginningOf(current);
    expect(current.events()).toEqual([]);
  });

  it("opens the stream by itself, and follows it", async () => {
    const globals = globalThis as { EventSource?: unknown };
    globals.EventSource = EventSource;
    const provider = new OFREPWebProvider({
      baseUrl: server.address,
      headers: [["Authorization", `Bearer ${service.token}`]],
      cacheMode: "disabled",
      pollInterval: 0,
    });
    try {
      await service.createFlag("streamed", { active: false });
      await OpenFeature.setContext("stream", { targetingKey: "ada" });
      await OpenFeature.setProviderAndWait("stream", provider);
      const features = OpenFeature.getClient("stream");
      const changed: unknown[] = [];
      features.addHandler(ClientProviderEvents.ConfigurationChanged, (details) => changed.push(details));
      expect(features.getBooleanValue("streamed", true)).toBe(false);
      await service.changeFlag("streamed", { active: true });
      await eventually(() => (features.getBooleanValue("streamed", false) ? true : undefined));
      expect(changed.length).toBeGreaterThan(0);
    } finally {
      await OpenFeature.close();
      delete globals.EventSource;
    }
  });

  it("waits for a process that is not yet where the event was, and no longer than a second", async () => {
    const post = (etag: string) => evaluate(`?flagConfigEtag=${encodeURIComponent(`"${etag}"`)}`);
    expect((await post(await contentNow())).status).toBe(200);
    const waiting = post("of-another-process-soon");
    await change();
    const { json } = await waiting;
    expect(json.eventStreams).toEqual([
      {
        type: "sse",
        endpoint: {
          requestUri: `/flags/stream/?token=${service.token}&last_event_id=${await contentNow()}`,
        },
        inactivityDelaySec: 120,
      },
    ]);
    expect((await post("never")).status).toBe(200);
  });
});
