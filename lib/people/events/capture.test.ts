import { gzipSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

type Stored = {
  uuid: string;
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: Record<string, unknown>;
};

async function stored(distinctId: string): Promise<Stored[]> {
  const { rows } = await service.db.execute<Stored>(
    sql`select uuid, event, distinct_id, timestamp, properties from events where distinct_id = ${distinctId} order by timestamp, uuid`,
  );
  return rows;
}

let people = 0;
const somebody = () => {
  people += 1;
  return `somebody-${people}`;
};

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  service.api("POST", path, body, { key: null, headers });

const form = { "content-type": "application/x-www-form-urlencoded" };
const plain = { "content-type": "text/plain" };
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const gzip = (value: unknown) => gzipSync(JSON.stringify(value));

type Sample = { token: string; id: string };
const event = ({ id }: Sample) => ({ event: "seen", distinct_id: id, properties: { plan: "pro" } });
const modern = ({ token, id }: Sample) => ({
  api_key: token,
  batch: [{ event: "seen", properties: { token, distinct_id: id, plan: "pro" } }],
  sent_at: new Date().toISOString(),
});

describe("forms of a body", () => {
  it.each<{
    form: string;
    path: string;
    body: (s: Sample) => unknown;
    headers?: Record<string, string>;
    status?: number;
  }>([
    {
      form: "an envelope with api_key",
      path: "/batch/",
      body: (s) => ({ api_key: s.token, batch: [event(s)] }),
    },
    { form: "an envelope with token", path: "/batch", body: (s) => ({ token: s.token, batch: [event(s)] }) },
    { form: "a history", path: "/batch/", body: (s) => ({ ...modern(s), historical_migration: true }) },
    { form: "one event with its token", path: "/capture/", body: (s) => ({ ...event(s), api_key: s.token }) },
    {
      form: "one event with its token among the properties",
      path: "/capture",
      body: (s) => ({ event: "seen", properties: { token: s.token, distinct_id: s.id, plan: "pro" } }),
    },
    { form: "a list of events", path: "/track/", body: (s) => [{ ...event(s), token: s.token }] },
    { form: "the token in the query", path: "/e/?token=TOKEN", body: (s) => [event(s)] },
    {
      form: "$distinct_id",
      path: "/e/",
      body: (s) => ({ token: s.token, event: "seen", $distinct_id: s.id, properties: { plan: "pro" } }),
    },
    {
      form: "announced gzip",
      path: "/batch/",
      body: (s) => gzip(modern(s)),
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
    },
    {
      form: "gzip as text/plain that nothing announces",
      path: "/i/v0/e/",
      body: (s) => gzip(modern(s)),
      headers: plain,
    },
    {
      form: "gzip that the query announces",
      path: "/e/?ip=0&_=1700000000000&ver=1.205.0&compression=gzip-js",
      body: (s) =>
        gzip([{ ...event(s), properties: { ...event(s).properties, token: s.token }, offset: 1500 }]),
      headers: plain,
    },
    {
      form: "a beacon",
      path: "/e/?compression=gzip-js&beacon=1",
      body: (s) => gzip(modern(s)),
      headers: plain,
      status: 204,
    },
    {
      form: "base64 in a form",
      path: "/e/",
      body: (s) => `data=${encodeURIComponent(base64(modern(s)))}`,
      headers: form,
    },
    {
      form: "base64 in a form whose + nobody encoded",
      path: "/e/?compression=base64",
      body: (s) => `data=${base64({ ...modern(s), filler: "???>>>~~~" })}&compression=base64`,
      headers: form,
    },
    {
      form: "base64 in a form that calls itself text",
      path: "/capture/",
      body: (s) => `data=${encodeURIComponent(base64(modern(s)))}`,
      headers: plain,
    },
    {
      form: "JSON in a form",
      path: "/capture/",
      body: (s) => `data=${encodeURIComponent(JSON.stringify(modern(s)))}`,
      headers: form,
    },
    {
      form: "JSON that calls itself a form",
      path: "/capture/",
      body: (s) => JSON.stringify(modern(s)),
      headers: form,
    },
    { form: "bare base64", path: "/e/?compression=base64", body: (s) => base64(modern(s)), headers: plain },
    {
      form: "gzip inside base64",
      path: "/e/?compression=base64",
      body: (s) => gzip(modern(s)).toString("base64"),
      headers: plain,
    },
  ])("stores $form", async ({ path, body, headers, status = 200 }) => {
    const id = somebody();
    const address = path.replace("TOKEN", service.token);
    const reply = await post(address, body({ token: service.token, id }), headers);
    expect(reply.status).toBe(status);
    expect(reply.json).toEqual(status === 200 ? { status: "Ok" } : undefined);
    const [only, ...others] = await stored(id);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ event: "seen", distinct_id: id, properties: { plan: "pro" } });
    expect(only?.properties).not.toHaveProperty("token");
  });

  it("takes a profile without an event name as $identify", async () => {
    const id = somebody();
    const reply = await post("/engage/", { $token: service.token, $distinct_id: id, $set: { plan: "pro" } });
    expect(reply.status).toBe(200);
    expect(await stored(id)).toMatchObject([{ event: "$identify", properties: { $set: { plan: "pro" } } }]);
  });

  it.each([
    { form: "nothing", body: "", status: 400 },
    { form: "broken JSON", body: '{"event": ', status: 400 },
    { form: "a number", body: "7", status: 400 },
    { form: "a batch that is no list", body: '{"api_key": "x", "batch": {}}', status: 400 },
    { form: "a form without data", body: "date=1", headers: form, status: 400 },
    { form: "a form with lz64", body: "data=abc&compression=lz64", headers: form, status: 400 },
    { form: "data that is no base64", body: "data=%7E%7E", headers: form, status: 400 },
    { form: "broken gzip", body: new Uint8Array([0x1f, 0x8b, 8, 0, 1]), status: 400 },
    { form: "invalid UTF-8", body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), status: 400 },
    { form: "another encoding", body: "{}", headers: { "content-encoding": "br" }, status: 415 },
    { form: "more than 20 MB", body: "x".repeat(20 * 1024 * 1024 + 1), status: 413 },
    {
      form: "gzip that unpacks to more than 20 MB",
      body: gzipSync(Buffer.alloc(21 * 1024 * 1024)),
      status: 413,
    },
  ])("answers $form with $status", async ({ body, headers, status }) => {
    const reply = await post("/batch/", body, headers ?? { "content-type": "application/json" });
    expect(reply.status).toBe(status);
    expect(Object.keys(reply.json)).toEqual(["type", "code", "detail", "attr"]);
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("tokens", () => {
  it.each([
    { token: "phc_unknown", code: "authentication_failed" },
    { token: "", code: "not_authenticated" },
    { token: 7, code: "not_authenticated" },
  ])("refuses $token with 401", async ({ token, code }) => {
    const reply = await post("/batch/", { api_key: token, batch: [{ event: "seen", distinct_id: "u" }] });
    expect(reply.status).toBe(401);
    expect(reply.json).toMatchObject({ type: "authentication_error", code, attr: null });
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
  });

  it("refuses a personal key in its place", async () => {
    const reply = await post("/batch/", { api_key: service.key, batch: [{ event: "e", distinct_id: "u" }] });
    expect(reply.status).toBe(401);
  });

  it("rejects an event that carries another project's token", async () => {
    const id = somebody();
    const reply = await post("/batch/", {
      api_key: service.token,
      batch: [
        { event: "mine", distinct_id: id },
        { event: "theirs", distinct_id: id, properties: { token: "phc_other" } },
      ],
    });
    expect(reply.json.rejected).toEqual([{ index: 1, reason: expect.stringContaining("another project") }]);
    expect(await stored(id)).toMatchObject([{ event: "mine" }]);
  });
});

it("a token that calls too often gets a time to retry", async () => {
  const limited = await startService({ limits: { management: 0, definitions: 3, events: 0 } });
  const send = () =>
    limited.api("POST", "/e/", { token: limited.token, event: "seen", distinct_id: "u" }, { key: null });
  for (let n = 0; n < 3; n += 1) expect((await send()).status).toBe(200);
  const refused = await send();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.headers.get("access-control-allow-origin")).toBe("*");
  await limited.close();
});

describe("other origins", () => {
  it.each(["/batch/", "/batch", "/e/", "/i/v0/e/", "/capture/", "/track/", "/engage/"])(
    "may ask and send to %s",
    async (path) => {
      const preflight = await service.api("OPTIONS", path, undefined, {
        key: null,
        headers: {
          origin: "https://shop.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type",
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
      expect(preflight.headers.get("access-control-allow-headers")).toBe("content-type");
      const sent = await post(
        path,
        { token: service.token, event: "seen", distinct_id: somebody() },
        { origin: "https://shop.example" },
      );
      expect(sent.status).toBe(200);
      expect(sent.headers.get("access-control-allow-origin")).toBe("*");
    },
  );

  it("hear that other methods are not allowed", async () => {
    const reply = await service.api("PUT", "/batch/", {}, { key: null });
    expect(reply.status).toBe(405);
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
  });
});

const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) });

describe("one bad event", () => {
  it.each<{ bad: string; event: unknown }>([
    { bad: "without a name", event: { distinct_id: "u" } },
    { bad: "with a blank name", event: { event: " ", distinct_id: "u" } },
    { bad: "with a number for a name", event: { event: 7, distinct_id: "u" } },
    { bad: "with a long name", event: { event: "x".repeat(201), distinct_id: "u" } },
    { bad: "without a distinct id", event: { event: "seen" } },
    { bad: "with a blank distinct id", event: { event: "seen", distinct_id: "" } },
    { bad: "with a long distinct id", event: { event: "seen", distinct_id: "x".repeat(401) } },
    { bad: "with a broken uuid", event: { event: "seen", distinct_id: "u", uuid: "no" } },
    { bad: "with a broken timestamp", event: { event: "seen", distinct_id: "u", timestamp: "yesterday" } },
    { bad: "with a list of properties", event: { event: "seen", distinct_id: "u", properties: [1] } },
    { bad: "with deep properties", event: { event: "seen", distinct_id: "u", properties: nested(65) } },
    {
      bad: "of more than a megabyte",
      event: { event: "seen", distinct_id: "u", properties: { text: "é".repeat(600_000) } },
    },
    { bad: "that is null", event: null },
    { bad: "that is a text", event: "seen" },
  ])("$bad is named, and the others are stored", async ({ event: bad }) => {
    const id = somebody();
    const good = { event: "seen", distinct_id: id };
    const reply = await post("/batch/", { api_key: service.token, batch: [good, bad, good] });
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ status: "Ok", rejected: [{ index: 1, reason: expect.any(String) }] });
    expect(await stored(id)).toHaveLength(2);
    const alone = await post("/batch/", { api_key: service.token, batch: [bad] });
    expect(alone.status).toBe(400);
    expect(alone.json.type).toBe("validation_error");
  });

  it("of very deep JSON does no harm", async () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const body = `{"api_key":"${service.token}","event":"seen","distinct_id":"u","properties":{"deep":${deep}}}`;
    const reply = await post("/capture/", body, { "content-type": "application/json" });
    expect(reply.status).toBe(400);
  });
});

describe("what is stored", () => {
  it("holds no character that the database refuses", async () => {
    const id = somebody();
    const reply = await post("/capture/", {
      token: service.token,
      event: "s\u0000een",
      distinct_id: `${id}\u0000`,
      properties: {
        "a\u0000b": "x\u0000\ud800y",
        list: ["\udc00"],
        literal: "\\u0000",
        $set: { n: "\u0000" },
      },
    });
    expect(reply.json).toEqual({ status: "Ok" });
    expect(await stored(id)).toMatchObject([
      {
        event: "seen",
        properties: { ab: "x\ufffdy", list: ["\ufffd"], literal: "\\u0000", $set: { n: "" } },
      },
    ]);
  });

  it.each<{ when: string; event: Record<string, unknown>; envelope?: Record<string, unknown>; ago: number }>([
    { when: "no timestamp: now", event: {}, ago: 0 },
    { when: "an offset", event: { offset: 5_000 }, ago: 5_000 },
    {
      when: "a clock three hours behind",
      event: { timestamp: new Date(Date.now() - 10_800_000 - 60_000).toISOString() },
      envelope: { sent_at: new Date(Date.now() - 10_800_000).toISOString() },
      ago: 60_000,
    },
    {
      when: "a clock two years ahead",
      event: { timestamp: new Date(Date.now() + 63_072_000_000 - 60_000).toISOString() },
      envelope: { sent_at: new Date(Date.now() + 63_072_000_000).toISOString() },
      ago: 60_000,
    },
    {
      when: "a history, whose timestamps stay",
      event: { timestamp: new Date(Date.now() - 86_400_000).toISOString() },
      envelope: { sent_at: new Date(Date.now() - 10_800_000).toISOString(), historical_migration: true },
      ago: 86_400_000,
    },
    {
      when: "a sent_at before the event: not believed",
      event: { timestamp: new Date(Date.now() - 3_600_000).toISOString() },
      envelope: { sent_at: "1970-01-01T00:00:00Z" },
      ago: 3_600_000,
    },
    {
      when: "next year: now",
      event: { timestamp: new Date(Date.now() + 31_536_000_000).toISOString() },
      ago: 0,
    },
    {
      when: "a text without a zone: UTC",
      event: { timestamp: new Date(Date.now() - 3_600_000).toISOString().slice(0, -1) },
      ago: 3_600_000,
    },
    { when: "milliseconds", event: { timestamp: Date.now() - 7_000 }, ago: 7_000 },
  ])("lies at the right moment for $when", async ({ event: fields, envelope, ago }) => {
    const id = somebody();
    const sent = { event: "seen", distinct_id: id, ...fields };
    await post("/batch/", { api_key: service.token, batch: [sent], ...envelope });
    const [only] = await stored(id);
    const at = Date.parse(only?.timestamp ?? "");
    expect(Math.abs(Date.now() - ago - at)).toBeLessThan(15_000);
  });

  it("starts in 1970 at the earliest", async () => {
    const id = somebody();
    const sent = { event: "seen", distinct_id: id, timestamp: "0001-01-01T00:00:00Z" };
    await post("/batch/", { api_key: service.token, batch: [sent] });
    expect(Date.parse((await stored(id))[0]?.timestamp ?? "")).toBe(0);
  });

  it("counts a re-sent uuid once, within a batch too", async () => {
    const id = somebody();
    const uuid = "0190A6D5-1111-7000-8000-000000000001";
    const sent = { event: "seen", distinct_id: id, uuid };
    await post("/batch/", { api_key: service.token, batch: [sent, { ...sent, event: "second" }] });
    const again = await post("/batch/", {
      api_key: service.token,
      batch: [{ ...sent, timestamp: "2026-01-01T00:00:00Z" }],
    });
    expect(again.json).toEqual({ status: "Ok" });
    expect(await stored(id)).toMatchObject([{ uuid: uuid.toLowerCase(), event: "seen" }]);
    const { rows } = await service.db.execute(sql`select count from event_definitions where name = 'second'`);
    expect(rows).toEqual([]);
  });
});

describe("too many events", () => {
  it("in one request are refused with 413, and none of them is stored", async () => {
    const id = somebody();
    const batch = Array.from({ length: 10_001 }, () => ({ event: "seen", distinct_id: id }));
    for (const headers of [{}, { "content-encoding": "gzip" }] as Record<string, string>[]) {
      const body = { api_key: service.token, batch };
      const reply = await post("/batch/", headers["content-encoding"] ? gzip(body) : body, headers);
      expect(reply.status).toBe(413);
      expect(reply.json).toMatchObject({ type: "invalid_request", code: "request_too_large" });
      expect(reply.json.detail).toBe(
        "The request has 10001 events; at most 10000 are accepted. Send it in parts.",
      );
      expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    }
    expect(await stored(id)).toEqual([]);
  });

  it("as many as are allowed in one request are stored, each where its answer says", async () => {
    const id = somebody();
    const batch = Array.from({ length: 10_000 }, (_, n) => ({
      event: n === 7_777 ? "" : "seen",
      distinct_id: id,
    }));
    const reply = await post("/batch/", { api_key: service.token, batch });
    expect(reply.json).toEqual({ status: "Ok", rejected: [{ index: 7_777, reason: expect.any(String) }] });
    expect(await stored(id)).toHaveLength(9_999);
  });

  it("in a minute get a time to retry, however few requests carry them", async () => {
    const limited = await startService({ limits: { management: 0, definitions: 0, events: 600 } });
    const send = (count: number) =>
      limited.api(
        "POST",
        "/batch/",
        {
          api_key: limited.token,
          batch: Array.from({ length: count }, () => ({ event: "seen", distinct_id: "u" })),
        },
        { key: null },
      );
    expect((await send(590)).status).toBe(200);
    const refused = await send(100);
    expect([refused.status, refused.json.code]).toEqual([429, "throttled"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(8);
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    expect((await send(5)).status).toBe(200);
    const { rows } = await limited.db.execute(sql`select count(*)::int as n from events`);
    expect(rows).toEqual([{ n: 595 }]);
    await limited.close();
  });

  it("a large batch that breaks off stores nothing", async () => {
    const id = somebody();
    const batch = Array.from({ length: 5_000 }, () => ({ event: "seen", distinct_id: id }));
    const text = JSON.stringify({ api_key: service.token, batch });
    for (const broken of [text.slice(0, -2), text.replace(/"\}\]\}$/, '",}]}')]) {
      const reply = await post("/batch/", broken, { "content-type": "application/json" });
      expect([reply.status, reply.json.code]).toEqual([400, "parse_error"]);
    }
    expect(await stored(id)).toEqual([]);
  });

  it("may carry their token in each of them only", async () => {
    const id = somebody();
    const list = Array.from({ length: 2_000 }, () => ({
      event: "seen",
      properties: { distinct_id: id, token: service.token },
    }));
    expect((await post("/e/", list)).json).toEqual({ status: "Ok" });
    expect(await stored(id)).toHaveLength(2_000);
  });
});
