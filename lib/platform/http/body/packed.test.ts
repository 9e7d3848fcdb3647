import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ApiError } from "#lib/platform/http/errors.ts";
import { jsonOf } from "./body.ts";
import { decodeBase64, decodeText } from "./packed.ts";

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64");

const request = new Request("http://switchyard.test/");
const fromBase64 = async (text: string, limit: number) => jsonOf(await decodeBase64(request, text, limit));
const fromText = async (text: string, limit = 1_000) => jsonOf(await decodeText(request, text, limit));

it("text that is neither JSON nor base64 is refused as such", () => {
  const read = () => decodeBase64(request, "a=1&b", 100);
  expect(read).toThrow(
    new ApiError(400, "invalid_request", "parse_error", "The data is neither JSON nor base64."),
  );
});

async function refusal(read: () => Promise<unknown>): Promise<[number, string]> {
  const error = await read().catch((thrown: unknown) => thrown);
  if (error instanceof ApiError) return [error.status, error.code];
  throw new Error("It was accepted.");
}

describe("JSON that SDKs send as text", () => {
  it.each([
    ["as it is", '{"a":1}', { a: 1 }],
    ["a list", " \n[1]", [1]],
    ["in base64", base64('{"a":1}'), { a: 1 }],
    ["in base64 with blanks around it", ` ${base64('{"a":1}')}\n`, { a: 1 }],
    ["packed, in base64", base64(gzipSync('{"a":1}')), { a: 1 }],
    [
      "with blanks for plus signs",
      base64('["\u00fb\u00ef\u00be>>>"]').replaceAll("+", " "),
      ["\u00fb\u00ef\u00be>>>"],
    ],
    [
      "in the alphabet for addresses",
      Buffer.from('["\u00fb\u00ef\u00be?>>>"]').toString("base64url"),
      ["\u00fb\u00ef\u00be?>>>"],
    ],
  ])("%s", async (_, text, expected) => {
    expect(await fromText(text)).toEqual(expected);
  });

  it.each([
    ["neither JSON nor base64", () => fromText("a=1&b"), [400, "parse_error"]],
    ["broken JSON", () => fromText("{"), [400, "parse_error"]],
    ["base64 of no JSON", () => fromText(base64("hello")), [400, "parse_error"]],
    ["nothing", () => fromText(""), [400, "parse_error"]],
    [
      "more than allowed once unpacked",
      () => fromBase64(base64(gzipSync(`"${"a".repeat(99)}"`)), 100),
      [413, "request_too_large"],
    ],
    [
      "more than allowed once unpacked, by way of text",
      () => fromText(base64(gzipSync(`"${"a".repeat(99)}"`)), 100),
      [413, "request_too_large"],
    ],
    ["broken gzip", () => fromText(base64(gzipSync('{"a":1}').subarray(0, 12))), [400, "parse_error"]],
  ] as const)("%s is refused", async (_, read, expected) => {
    expect(await refusal(read)).toEqual(expected);
  });

  it("is read up to the limit", async () => {
    expect(await fromBase64(base64(gzipSync(`"${"a".repeat(98)}"`)), 100)).toBe("a".repeat(98));
  });
});
