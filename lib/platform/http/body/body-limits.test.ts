import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";

const FLAGS = "/api/projects/1/feature_flags/";
const MEGABYTE = 1024 * 1024;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const json = { "content-type": "application/json" };
const packed = { ...json, "content-encoding": "gzip" };
const send = (body: string | Uint8Array, key?: string | null, headers: Record<string, string> = json) =>
  service.api("POST", FLAGS, body, { ...(key !== undefined && { key }), headers });

describe("a body without any other credential", () => {
  const withKey = (name: string, size: number) => {
    const text = JSON.stringify({ personal_api_key: service.key, key: name });
    return `${text.slice(0, -1)}${" ".repeat(size - text.length)}}`;
  };

  it("is searched for a key up to 64 KB, packed or not", async () => {
    expect((await send(withKey("plain", 64 * 1024), null)).status).toBe(201);
    expect((await send(gzipSync(withKey("packed", 64 * 1024)), null, packed)).status).toBe(201);
  });

  it("is not searched above 64 KB: the caller is unknown", async () => {
    for (const reply of [
      await send(withKey("large", 64 * 1024 + 1), null),
      await send(gzipSync(withKey("large", 64 * 1024 + 1)), null, packed),
      await send(gzipSync(`{"a":[${"0,".repeat(9_000_000)}0]}`), null, packed),
    ]) {
      expect(reply.status).toBe(401);
      expect(reply.json.code).toBe("not_authenticated");
    }
  });

  it("is not even received when it announces more", async () => {
    let received = 0;
    const endless = new ReadableStream({
      pull(controller) {
        received += 1;
        controller.enqueue(new Uint8Array(1024));
      },
    });
    const request = (headers: Record<string, string>) =>
      service.handle(
        new Request(`http://switchyard.test${FLAGS}`, {
          method: "POST",
          headers: { ...json, ...headers },
          body: endless,
          duplex: "half",
        } as RequestInit),
      );
    expect((await request({ "content-length": "18000000" })).status).toBe(401);
    expect(received).toBeLessThan(5);
  });

  it("is not looked at when the header or the query has a credential, even a wrong one", async () => {
    const reply = await send(withKey("header", 200), "phx_wrong");
    expect([reply.status, reply.json.detail]).toEqual([401, expect.stringContaining("Authorization header")]);
    const query = await service.api("POST", `${FLAGS}?personal_api_key=phx_no`, withKey("query", 200), {
      key: null,
      headers: json,
    });
    expect([query.status, query.json.detail]).toEqual([401, expect.stringContaining("query string")]);
  });
});

describe("a management body", () => {
  it.each<{ body: string; sent: () => [string | Uint8Array, Record<string, string>]; says: string }>([
    { body: "above 2 MB", sent: () => [`{"a":"${"x".repeat(2 * MEGABYTE)}"}`, json], says: "2097152 bytes" },
    {
      body: "above 2 MB once unpacked",
      sent: () => [gzipSync(`{"a":"${"xyz123".repeat(MEGABYTE / 2)}"}`, { level: 0 }), packed],
      says: "2097152 bytes",
    },
    {
      body: "that unpacks to more than 100 times its size",
      sent: () => [gzipSync(`{"a":"${"x".repeat(1.5 * MEGABYTE)}"}`), packed],
      says: "100 times",
    },
    {
      body: "of too many values",
      sent: () => [`{"a":[${"0,".repeat(50_000)}0]}`, json],
      says: "50000 values",
    },
    {
      body: "of too many values in a form",
      sent: () => [
        `filters=${encodeURIComponent(`[${"0,".repeat(50_000)}0]`).replaceAll("%2C", ",")}`,
        { "content-type": "application/x-www-form-urlencoded" },
      ],
      says: "50000 values",
    },
    {
      body: "that is a large form",
      sent: () => [`name=${"x".repeat(256 * 1024)}`, { "content-type": "application/x-www-form-urlencoded" }],
      says: "262144 bytes",
    },
    {
      body: "that is a form of too many fields",
      sent: () => [`${"a=1&".repeat(1_000)}a=1`, { "content-type": "application/x-www-form-urlencoded" }],
      says: "1000 fields",
    },
  ])("$body is refused with 413 that names the limit", async ({ sent, says }) => {
    const [body, headers] = sent();
    const reply = await send(body, undefined, headers);
    expect(reply.status).toBe(413);
    expect(reply.json).toMatchObject({ type: "invalid_request", code: "request_too_large", attr: null });
    expect(reply.json.detail).toContain(says);
  });

  it("may be small and pack well, or hold long lists", async () => {
    const roomy = `${JSON.stringify({ key: "roomy" }).slice(0, -1)}${" ".repeat(MEGABYTE - 100)}}`;
    expect((await send(gzipSync(roomy), undefined, packed)).status).toBe(201);
    const value = Array.from({ length: 1_000 }, (_, n) => `person-${n}@shop.example`);
    const properties = [{ key: "email", type: "person", operator: "exact", value }];
    const groups = Array.from({ length: 40 }, () => ({ properties }));
    const listed = await service.api("POST", FLAGS, { key: "listed", filters: { groups } });
    expect(listed.status, listed.text).toBe(201);
  });
});

it("a body that many values or bytes make large is refused by the SDKs' paths too", async () => {
  const zeros = `[${"0,".repeat(20_000)}0]`;
  for (const path of ["/flags/?v=2", "/decide/?v=3"]) {
    const call = `{"token":"${service.token}","distinct_id":"u","x":${zeros}}`;
    const reply = await service.api("POST", path, call, { key: null, headers: json });
    expect([reply.status, reply.json.detail]).toEqual([413, expect.stringContaining("20000 values")]);
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
  }
  const context = `{"context":{"targetingKey":"u","x":${zeros}}}`;
  const ofrep = await service.api("POST", "/ofrep/v1/evaluate/flags", context, { key: service.token });
  expect([ofrep.status, ofrep.json.errorCode]).toEqual([413, "GENERAL"]);
});
