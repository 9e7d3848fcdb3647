import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { releaseBody } from "#lib/platform/http/body/body-memory.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { readCapture, tokenOfEvent } from "./body.ts";

type Sent = { body: unknown; query?: string; headers?: Record<string, string> };

async function read({ body, query = "", headers = {} }: Sent) {
  const url = new URL(`http://switchyard.test/e/${query}`);
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const request = new Request(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: raw ? (body as BodyInit) : JSON.stringify(body),
  });
  const { groups, ...rest } = await readCapture(request, url).finally(() => releaseBody(request));
  const events: unknown[] = [];
  for await (const group of groups()) events.push(...group.map(({ raw }) => raw));
  expect(events).toHaveLength(rest.count);
  return { ...rest, events };
}

const refusalOf = async (sent: Sent): Promise<ApiError> => {
  const error = await read(sent).catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error("It was read.");
  return error;
};

const form = { "content-type": "application/x-www-form-urlencoded" };
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

describe("the token of an event", () => {
  it.each<[unknown, string | null]>([
    [{ api_key: "a", token: "b", $token: "c" }, "a"],
    [{ token: "b", $token: "c" }, "b"],
    [{ $token: "c" }, "c"],
    [{ api_key: "", token: 7, $token: "c" }, "c"],
    [{ api_key: 7 }, null],
    [{ token: "b", properties: { token: "d" } }, "b"],
    [{ properties: { token: "d" } }, "d"],
    [{ properties: { api_key: "d" } }, "d"],
    [{ properties: { token: "" } }, null],
    [{ properties: null }, null],
    [{ properties: "token" }, null],
    [{}, null],
    [null, null],
    ["token", null],
    [7, null],
    [undefined, null],
  ])("in %j is %j", (event, token) => {
    expect(tokenOfEvent(event)).toBe(token);
  });
});

describe("the token of a request", () => {
  const event = (token?: string) => ({ event: "e", properties: { ...(token && { token }) } });

  it.each<{ from: string; sent: Sent; token: string | null }>([
    {
      from: "the envelope first",
      sent: { body: { token: "a", batch: [event("c")] }, query: "?token=b" },
      token: "a",
    },
    {
      from: "the form next",
      sent: {
        body: `data=${encodeURIComponent(base64([event("c")]))}&api_key=f`,
        query: "?token=b",
        headers: form,
      },
      token: "f",
    },
    { from: "the query next", sent: { body: [event("c")], query: "?api_key=b" }, token: "b" },
    {
      from: "the first event that has one",
      sent: { body: [event(), null, event("c"), event("d")] },
      token: "c",
    },
    { from: "an only event's properties", sent: { body: event("c") }, token: "c" },
    { from: "nothing", sent: { body: { batch: [event()] } }, token: null },
    { from: "an empty list", sent: { body: [] }, token: null },
    { from: "an empty batch", sent: { body: { batch: [] }, query: "?token=" }, token: null },
  ])("is taken from $from", async ({ sent, token }) => {
    expect((await read(sent)).token).toBe(token);
  });
});

describe("when a request was sent", () => {
  it.each<[unknown, string, number | null]>([
    [undefined, "", null],
    ["2026-01-02T03:04:05Z", "", Date.UTC(2026, 0, 2, 3, 4, 5)],
    [1_700_000_000_000, "", 1_700_000_000_000],
    ["soon", "", null],
    [undefined, "?_=1700000000000", 1_700_000_000_000],
    ["2026-01-02", "?_=1700000000000", Date.UTC(2026, 0, 2)],
    ["soon", "?_=1700000000000", 1_700_000_000_000],
    // Not milliseconds of our time.
    [undefined, "?_=1700000000", null],
    [undefined, "?_=1000000000000", null],
    [undefined, "?_=1000000000001", 1_000_000_000_001],
    [undefined, "?_=abc", null],
    [undefined, "?_=", null],
  ])("with sent_at %j and %j in the query is %j", async (sent_at, query, sentAt) => {
    expect((await read({ body: { sent_at, batch: [] }, query })).sentAt).toBe(sentAt);
  });

  it.each<[unknown, boolean]>([
    [true, true],
    [false, false],
    [undefined, false],
    ["true", false],
    [1, false],
  ])("historical_migration %j makes it history: %s", async (historical_migration, historical) => {
    expect((await read({ body: { historical_migration, batch: [] } })).historical).toBe(historical);
  });
});

describe("the forms of a body", () => {
  const events = [{ event: "a", text: "???>>>~~~ü" }, { event: "b" }];
  const json = JSON.stringify(events);

  it.each<{ form: string; sent: Sent }>([
    { form: "JSON", sent: { body: json } },
    { form: "JSON with blanks around", sent: { body: ` \n${json}\n` } },
    { form: "JSON without a type", sent: { body: json, headers: { "content-type": "" } } },
    {
      form: "JSON that says it is not encoded",
      sent: { body: json, headers: { "content-encoding": "identity" } },
    },
    { form: "gzip", sent: { body: gzipSync(json), headers: { "content-encoding": " GZIP " } } },
    { form: "gzip that nothing announces", sent: { body: gzipSync(json) } },
    { form: "JSON, announced as base64", sent: { body: ` ${json}`, query: "?compression=base64" } },
    { form: "base64", sent: { body: base64(events), query: "?compression=base64" } },
    {
      form: "base64 of gzip",
      sent: { body: gzipSync(json).toString("base64"), query: "?compression=base64" },
    },
    { form: "JSON, announced as a form", sent: { body: ` ${json}`, headers: form } },
    { form: "a form", sent: { body: `data=${encodeURIComponent(base64(events))}`, headers: form } },
    {
      form: "a form whose type has a charset",
      sent: {
        body: `v=1&data=${encodeURIComponent(json)}`,
        headers: { "content-type": "Application/X-WWW-Form-Urlencoded ; charset=UTF-8" },
      },
    },
    { form: "a form that says it is JSON", sent: { body: `data=${encodeURIComponent(json)}` } },
    {
      form: "a form that ends in data and names its compression",
      sent: {
        body: `compression=gzip-js&data=${encodeURIComponent(gzipSync(json).toString("base64"))}`,
        headers: form,
      },
    },
  ])("are read: $form", async ({ sent }) => {
    expect((await read(sent)).events).toEqual(events);
  });

  it.each<{ form: string; sent: Sent; status: number; detail: string }>([
    { form: "nothing", sent: { body: "" }, status: 400, detail: "The body is empty." },
    {
      form: "a form without data",
      sent: { body: "date=1", headers: form },
      status: 400,
      detail: "no field named data",
    },
    { form: "a form with empty data", sent: { body: "data=" }, status: 400, detail: "no field named data" },
    {
      form: "lz64 in a form",
      sent: { body: "data=abc&compression=lz64", headers: form },
      status: 400,
      detail: "Compression lz64 is not supported.",
    },
    {
      form: "lz-string that the query announces",
      sent: { body: "data=abc", query: "?compression=lz-string" },
      status: 400,
      detail: "Compression lz-string is not supported.",
    },
    {
      form: "base64 that nothing announces",
      sent: { body: base64(events) },
      status: 400,
      detail: "JSON parse error",
    },
    {
      form: "no base64",
      sent: { body: "~~~", query: "?compression=base64" },
      status: 400,
      detail: "neither JSON nor base64",
    },
    { form: "a number", sent: { body: "7" }, status: 400, detail: "neither an event nor a list of events" },
    { form: "null", sent: { body: "null" }, status: 400, detail: "neither an event nor a list of events" },
    { form: "a text", sent: { body: '"e"' }, status: 400, detail: "neither an event nor a list of events" },
    {
      form: "a batch that is no list",
      sent: { body: { batch: {} } },
      status: 400,
      detail: "batch must be a list",
    },
    { form: "a batch of null", sent: { body: { batch: null } }, status: 400, detail: "batch must be a list" },
    {
      form: "another encoding",
      sent: { body: json, headers: { "content-encoding": "br" } },
      status: 415,
      detail: "br",
    },
  ])("are refused: $form", async ({ sent, status, detail }) => {
    const error = await refusalOf(sent);
    expect(error.status).toBe(status);
    expect(error.message).toContain(detail);
  });

  /** JSON of a list with one text, so many bytes long. */
  const listOf = (bytes: number) => `["${"x".repeat(bytes - 4)}"]`;
  const KB = 1024;

  it.each<{ form: string; most: number; sent: (size: number) => Sent }>([
    {
      form: "a form",
      most: 256 * KB,
      sent: (size) => ({ body: `data=${listOf(size - 5)}`, headers: form }),
    },
    {
      form: "base64 without a form",
      most: KB * KB,
      sent: (size) => ({
        body: Buffer.from(listOf((KB * KB * 3) / 4))
          .toString("base64")
          .padEnd(size, " "),
        query: "?compression=base64",
      }),
    },
    { form: "JSON", most: 20 * KB * KB, sent: (size) => ({ body: `[${" ".repeat(size - 2)}]` }) },
  ])("of $form may have $most bytes and no more", async ({ most, sent }) => {
    expect((await read(sent(most))).count).toBeLessThanOrEqual(1);
    const error = await refusalOf(sent(most + 1));
    expect(error.status).toBe(413);
    expect(error.message).toContain(`larger than ${most} bytes`);
  });
});
