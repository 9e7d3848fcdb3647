import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "#lib/platform/http/errors.ts";
import { FORM_LIMIT, jsonOf, parseBoundedJson, readBody, readBytes, unpack } from "./body.ts";
import { releaseBody } from "./body-memory.ts";

const MEGABYTE = 1024 * 1024;

type Sent = { body?: BodyInit; type?: string; headers?: Record<string, string>; method?: string };
let requests: Request[] = [];
function request({ body, type, headers, method = "POST" }: Sent = {}): Request {
  const made = new Request("http://host/", {
    method,
    headers: { ...(type !== undefined && { "content-type": type }), ...headers },
    ...(body !== undefined && { body }),
  });
  requests.push(made);
  return made;
}
afterEach(() => {
  for (const made of requests) releaseBody(made);
  requests = [];
});

async function refusal(read: () => unknown): Promise<[number, string, string]> {
  try {
    await read();
  } catch (error) {
    if (error instanceof ApiError) return [error.status, error.code, error.message];
    throw error;
  }
  throw new Error("It was accepted.");
}

describe("unpacking", () => {
  const unpacked = (bytes: Buffer, limit = 10 * MEGABYTE) => unpack(request(), bytes, limit);

  it.each([[[]], [[0x1f]], [[0x1f, 0x00, 1]], [[0x00, 0x8b, 1]], [[0x7b, 0x7d]]])(
    "leaves bytes as they are that do not begin like gzip: %j",
    async (bytes) => {
      expect(await unpacked(Buffer.from(bytes))).toEqual(Buffer.from(bytes));
    },
  );

  /** So many bytes of zeros, packed into exactly so many by a name in the header. */
  function packedInto(size: number, unpackedSize: number): Buffer {
    const plain = gzipSync(new Uint8Array(unpackedSize));
    plain[3] = 0x08;
    const name = Buffer.alloc(size - plain.length, "x");
    name[name.length - 1] = 0;
    return Buffer.concat([plain.subarray(0, 10), name, plain.subarray(10)]);
  }

  it("goes on to a hundred times the size", async () => {
    const size = 2 * MEGABYTE;
    expect(await unpacked(packedInto(size / 64, size))).toHaveLength(size);
    expect(await unpacked(packedInto(20_000, 2_000_000))).toHaveLength(2_000_000);
    const tooSmall = packedInto(19_999, 2_000_000);
    expect(await refusal(() => unpacked(tooSmall))).toEqual([
      413,
      "request_too_large",
      "The decompressed body is more than 100 times the compressed size, which is the limit above 1048576 bytes.",
    ]);
  });

  it("goes on to a megabyte however well it packs", async () => {
    expect(await unpacked(gzipSync(new Uint8Array(MEGABYTE)))).toHaveLength(MEGABYTE);
    expect((await refusal(() => unpacked(gzipSync(new Uint8Array(MEGABYTE + 1)))))[0]).toBe(413);
  });

  it("stops at the limit", async () => {
    expect(await unpacked(gzipSync("x".repeat(100)), 100)).toHaveLength(100);
    expect(await refusal(() => unpacked(gzipSync("x".repeat(101)), 100))).toEqual([
      413,
      "request_too_large",
      "The request body is larger than 100 bytes.",
    ]);
  });

  it("refuses what only begins like gzip", async () => {
    const broken = Buffer.concat([gzipSync("x").subarray(0, 12), Buffer.from("no gzip")]);
    for (const bytes of [broken, gzipSync("hello").subarray(0, 15)])
      expect(await refusal(() => unpacked(bytes))).toEqual([
        400,
        "parse_error",
        "The body is not valid gzip.",
      ]);
  });
});

describe("the bytes of a body", () => {
  it.each([
    [64 * 1024, true],
    [64 * 1024 + 1, true],
    [300_000, false],
  ])("are all there, %d of them, announced: %s", async (size, isAnnounced) => {
    const body = new Uint8Array(size).map((_, i) => i);
    const headers: Record<string, string> = isAnnounced ? { "content-length": String(size) } : {};
    expect(await readBytes(request({ body, headers }), size)).toEqual(Buffer.from(body));
  });

  it("are none where nothing was sent", async () => {
    expect(await readBytes(request(), 10)).toEqual(Buffer.alloc(0));
  });

  it("are refused above the limit, announced or not", async () => {
    const tooLarge = [413, "request_too_large", "The request body is larger than 10 bytes."];
    expect(await refusal(() => readBytes(request({ headers: { "content-length": "11" } }), 10))).toEqual(
      tooLarge,
    );
    expect(await refusal(() => readBytes(request({ body: "x".repeat(11) }), 10))).toEqual(tooLarge);
    expect(await readBytes(request({ body: "x".repeat(10) }), 10)).toHaveLength(10);
  });
});

describe("JSON", () => {
  it("in invalid UTF-8 is refused as such", async () => {
    const bytes = Buffer.from([0x22, 0xff, 0x22]);
    expect(await refusal(() => jsonOf(bytes))).toEqual([400, "parse_error", "The body is not valid UTF-8."]);
  });

  it("that is broken is refused with the parser's words", async () => {
    const [status, code, detail] = await refusal(() => jsonOf(Buffer.from('{"a":')));
    expect([status, code]).toEqual([400, "parse_error"]);
    expect(detail).toMatch(/^JSON parse error - .*end of JSON/);
  });

  it("of too many values is refused", async () => {
    expect(parseBoundedJson(Buffer.from("[1,2]"), 3)).toEqual([1, 2]);
    expect(await refusal(() => parseBoundedJson(Buffer.from("[1,2]"), 2))).toEqual([
      413,
      "request_too_large",
      "The request body has more than 2 values.",
    ]);
  });
});

describe("the body of a management call", () => {
  const read = (sent: Sent, limit?: number) => readBody(request(sent), limit);
  const bytes = (text: string) => new Uint8Array(Buffer.from(text));
  const form = "application/x-www-form-urlencoded";

  it.each<[string, Sent, unknown]>([
    ["is JSON", { body: '{"a":1}', type: "application/json" }, { a: 1 }],
    ["is JSON with parameters, in any case", { body: "[1]", type: "Application/JSON ; charset=utf-8" }, [1]],
    ["is JSON of a certain kind", { body: '{"a":1}', type: "application/vnd.api+json" }, { a: 1 }],
    ["is JSON where nothing is said", { body: bytes('{"a":1}') }, { a: 1 }],
    [
      "is unpacked where a header says so",
      {
        body: new Uint8Array(gzipSync('{"a":1}')),
        type: "application/json",
        headers: { "content-encoding": "gzip" },
      },
      { a: 1 },
    ],
    ["is nothing where nothing was sent", { type: "text/xml" }, undefined],
    ["is not looked at of a GET", { method: "GET", headers: { "content-length": "99999999" } }, undefined],
    ["is not looked at of a HEAD", { method: "HEAD", headers: { "content-length": "99999999" } }, undefined],
  ])("%s", async (_, sent, expected) => {
    expect(await read(sent)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ["5", "5"],
    ['"x"', '"x"'],
    ["true", true],
    ["false", false],
    ["null", null],
    ["nullx", "nullx"],
    [' {"a":[1]}\n', { a: [1] }],
    ["[1,\n2]", [1, 2]],
    ["{a}", "{a}"],
    ["[", "["],
    [" plain ", " plain "],
  ])("of a form is text, or data where it reads as such: %j", async (value, expected) => {
    const body = new URLSearchParams({ field: value }).toString();
    expect(await read({ body, type: form })).toEqual({ field: expected });
    expect(await read({ body, type: `${form}; charset=utf-8` })).toEqual({ field: expected });
  });

  it("may come in parts, of which files are left out", async () => {
    const body = new FormData();
    body.set("name", "a");
    body.set("filters", '{"groups":[]}');
    body.set("file", new File(["x"], "x.txt"));
    expect(await read({ body })).toEqual({ name: "a", filters: { groups: [] } });
  });

  it("of a form is read up to its limit", async () => {
    const text = (size: number) => `a=${"x".repeat(size - 2)}`;
    expect(await read({ body: text(FORM_LIMIT), type: form })).toEqual({ a: "x".repeat(FORM_LIMIT - 2) });
    expect((await refusal(() => read({ body: text(FORM_LIMIT + 1), type: form })))[0]).toBe(413);
  });

  it.each<[string, Sent, [number, string, string]]>([
    [
      "in parts that cannot be separated",
      { body: "x", type: "multipart/form-data; boundary=b" },
      [400, "parse_error", "The form cannot be read."],
    ],
    [
      "of another kind",
      { body: "<a/>", type: "text/xml; charset=utf-8" },
      [415, "unsupported_media_type", 'Unsupported media type "text/xml" in request.'],
    ],
    [
      "of a kind that only begins like JSON",
      { body: "{}", type: "application/json-seq" },
      [415, "unsupported_media_type", 'Unsupported media type "application/json-seq" in request.'],
    ],
    [
      "that announces too much",
      { body: "{}", type: "application/json", headers: { "content-length": "99999999" } },
      [413, "request_too_large", "The request body is larger than 2097152 bytes."],
    ],
    [
      "with NUL in a form",
      { body: "a=%00", type: form },
      [400, "invalid_input", "Null characters and invalid Unicode are not allowed."],
    ],
  ])("%s is refused", async (_, sent, expected) => {
    expect(await refusal(() => read(sent))).toEqual(expected);
  });

  it("that is packed is not read where no header says so", async () => {
    const sent = { body: new Uint8Array(gzipSync("{}")), type: "application/json" };
    expect((await refusal(() => read(sent)))[0]).toBe(400);
  });

  it("keeps to the limit that the caller names", async () => {
    expect(await read({ body: "[1]", type: "application/json" }, 3)).toEqual([1]);
    expect((await refusal(() => read({ body: "[10]", type: "application/json" }, 3)))[0]).toBe(413);
  });
});
