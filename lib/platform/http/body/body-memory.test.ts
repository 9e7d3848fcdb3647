import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "#lib/platform/http/errors.ts";
import { readBytes, unpack } from "./body.ts";
import { releaseBody, reserveBodyMemory } from "./body-memory.ts";

const KILOBYTE = 1024;
const UNCOUNTED = 256 * KILOBYTE;
const MOST = 128 * KILOBYTE * KILOBYTE;

let requests: Request[] = [];
function request(body?: Uint8Array<ArrayBuffer>): Request {
  const made = new Request("http://host/", { method: "POST", ...(body && { body }) });
  requests.push(made);
  return made;
}
afterEach(() => {
  for (const made of requests) releaseBody(made);
  requests = [];
});

function refusalOf(hold: () => void): ApiError | null {
  try {
    hold();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
const isRefused = (made: Request, bytes: number) => refusalOf(() => reserveBodyMemory(made, bytes)) !== null;

describe("large bodies in progress", () => {
  it("take 128 MB together, and a further one is asked to retry", () => {
    const [first, second] = [request(), request()];
    reserveBodyMemory(first, UNCOUNTED + MOST);
    expect(isRefused(second, UNCOUNTED)).toBe(false);
    const refusal = refusalOf(() => reserveBodyMemory(second, 1));
    expect(refusal?.body).toEqual({
      type: "server_error",
      code: "unavailable",
      detail: "Too many large requests are in progress.",
      attr: null,
    });
    expect([refusal?.status, refusal?.headers]).toEqual([503, { "Retry-After": "1" }]);
  });

  it("are refused a byte above it", () => {
    expect(isRefused(request(), UNCOUNTED + MOST + 1)).toBe(true);
    expect(isRefused(request(), UNCOUNTED + MOST)).toBe(false);
  });

  it("leave room for any number of small ones", () => {
    reserveBodyMemory(request(), UNCOUNTED + MOST);
    for (let i = 0; i < 1_000; i++) expect(isRefused(request(), UNCOUNTED)).toBe(false);
  });

  it("are counted from 256 KB up, in however many pieces they come", () => {
    const pieces = request();
    for (let i = 0; i < 5; i++) reserveBodyMemory(pieces, 100 * KILOBYTE);
    const counted = 500 * KILOBYTE - UNCOUNTED;
    const other = request();
    reserveBodyMemory(other, UNCOUNTED);
    expect(isRefused(other, MOST - counted + 1)).toBe(true);
    expect(isRefused(other, MOST - counted)).toBe(false);
  });

  it("make room once they are answered, and only once", () => {
    const [first, second, third] = [request(), request(), request()];
    reserveBodyMemory(first, UNCOUNTED + MOST / 2);
    reserveBodyMemory(second, UNCOUNTED + MOST / 2);
    releaseBody(first);
    releaseBody(first);
    expect(isRefused(third, UNCOUNTED + MOST / 2 + 1)).toBe(true);
    expect(isRefused(third, UNCOUNTED + MOST / 2)).toBe(false);
  });

  it("are not given room by an answer to a request without a body, or a small one", () => {
    reserveBodyMemory(request(), UNCOUNTED + MOST);
    releaseBody(request());
    const small = request();
    reserveBodyMemory(small, 10);
    releaseBody(small);
    expect(isRefused(request(), UNCOUNTED + 1)).toBe(true);
  });

  it("do not take room for what was refused", () => {
    const first = request();
    reserveBodyMemory(first, UNCOUNTED + MOST - 10);
    const second = request();
    expect(isRefused(second, UNCOUNTED + 11)).toBe(true);
    expect(isRefused(second, UNCOUNTED + 10)).toBe(false);
  });

  it("are counted as they are received", async () => {
    reserveBodyMemory(request(), UNCOUNTED + MOST);
    const large = request(new Uint8Array(UNCOUNTED + 1));
    await expect(readBytes(large, 10 * UNCOUNTED)).rejects.toMatchObject({ status: 503 });
    expect(await readBytes(request(new Uint8Array(UNCOUNTED)), 10 * UNCOUNTED)).toHaveLength(UNCOUNTED);
  });

  it("are counted as they are unpacked", async () => {
    reserveBodyMemory(request(), UNCOUNTED + MOST);
    const packed = (size: number) => gzipSync(new Uint8Array(size));
    const read = unpack(request(), packed(UNCOUNTED + 1), 10 * UNCOUNTED);
    await expect(read).rejects.toMatchObject({ status: 503 });
    expect(await unpack(request(), packed(UNCOUNTED), 10 * UNCOUNTED)).toHaveLength(UNCOUNTED);
  });
});
