import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flagWith } from "#testing/flags.ts";
import {
  hasMarker,
  keyCheck,
  normalizePayloads,
  openFilters,
  passesKeyCheck,
  REDACTED,
  redactFilters,
  sealFilters,
} from "./payloads.ts";
import { PAYLOADS, readFlag } from "./stored.ts";

const KEY = Buffer.alloc(32, 1);
const OTHER = Buffer.alloc(32, 2);
const withPayload = (payload: unknown) => ({ groups: [], payloads: { true: payload } });
const sealedText = (text: string, key = KEY) =>
  String((sealFilters(withPayload(text), key, null).payloads as { true: string }).true);

describe("encrypted payloads", () => {
  it("come back as they were, with the same key only", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (first, second) => {
        const filters = { groups: [], payloads: { a: first.toWellFormed(), b: second } };
        const sealed = sealFilters(filters, KEY, null);
        expect(openFilters(sealed, KEY)).toEqual({ filters, unreadable: false });
        expect(openFilters(sealed, OTHER)).toEqual({
          filters: { groups: [], payloads: { a: REDACTED, b: REDACTED } },
          unreadable: true,
        });
      }),
    );
  });

  it("look different each time, and tell nothing of their text", () => {
    const [first, second] = [sealedText("secret"), sealedText("secret")];
    expect(first).toMatch(/^aes-gcm:[\w+/]+=*$/);
    expect(first).not.toBe(second);
    expect(Buffer.from(first.slice(8), "base64").toString("latin1")).not.toContain("secret");
  });

  it.each([
    // In the middle: the last character of base64 has bits that mean nothing.
    ["changed", (text: string) => `${text.slice(0, 20)}${text[20] === "A" ? "B" : "A"}${text.slice(21)}`],
    ["cut", (text: string) => text.slice(0, 20)],
    ["emptied", () => "aes-gcm:"],
  ])("cannot be read once they were %s", (_, damage) => {
    const damaged = damage(sealedText("a payload of some length"));
    expect(openFilters(withPayload(damaged), KEY)).toEqual({
      filters: withPayload(REDACTED),
      unreadable: true,
    });
  });

  it("leave what is no text, and what was never encrypted, as it is", () => {
    for (const payload of ["plain", "", 3, null, { a: 1 }])
      expect(openFilters(withPayload(payload), KEY)).toEqual({
        filters: withPayload(payload),
        unreadable: false,
      });
    expect(sealFilters(withPayload(3), KEY, null)).toEqual(withPayload(3));
    for (const filters of [{ groups: [] }, { payloads: null }, { payloads: [REDACTED] }]) {
      expect(sealFilters(filters, KEY, null)).toBe(filters);
      expect(openFilters(filters, KEY).filters).toBe(filters);
      expect(redactFilters(filters)).toBe(filters);
      expect(normalizePayloads(filters, null)).toBe(filters);
    }
  });

  it("that could not be read keep what is stored, until a new one is sent", () => {
    const stored = withPayload(sealedText("old", OTHER));
    expect(sealFilters(withPayload(REDACTED), KEY, stored)).toEqual(stored);
    const opened = (filters: Record<string, unknown>) => openFilters(filters, KEY).filters;
    expect(opened(sealFilters(withPayload("new"), KEY, stored))).toEqual(withPayload("new"));
    // The marker is a payload like any other where nothing unreadable is stored.
    for (const readable of [withPayload(sealedText("old")), withPayload("old"), { groups: [] }, null])
      expect(opened(sealFilters(withPayload(REDACTED), KEY, readable))).toEqual(withPayload(REDACTED));
  });
});

describe("the key check", () => {
  it("is passed by the key that made it", () => {
    const check = keyCheck(KEY);
    expect(passesKeyCheck(check, KEY)).toBe(true);
    expect(passesKeyCheck(check, OTHER)).toBe(false);
    expect(passesKeyCheck(sealedText("something else"), KEY)).toBe(false);
    expect(passesKeyCheck(check.replace("aes-gcm:", "aes-cbc:"), KEY)).toBe(false);
    expect(passesKeyCheck("", KEY)).toBe(false);
  });
});

describe("the marker of an encrypted payload", () => {
  it("stands for every payload that is text", () => {
    const filters = { groups: [], payloads: { a: "1", b: "", c: 3 } };
    expect(redactFilters(filters)).toEqual({ groups: [], payloads: { a: REDACTED, b: REDACTED, c: 3 } });
    expect(JSON.parse(REDACTED)).toEqual(expect.any(String));
  });

  it.each([
    [withPayload(REDACTED), true],
    [{ payloads: { a: "1", b: REDACTED } }, true],
    [withPayload("1"), false],
    [{ payloads: {} }, false],
    [{ payloads: null }, false],
    [{ payloads: [REDACTED] }, false],
    [{}, false],
  ])("is found in %j: %s", (filters, found) => {
    expect(hasMarker(filters)).toBe(found);
  });
});

describe("payloads as they are stored", () => {
  it.each<[unknown, unknown, unknown]>([
    // sent, stored before, stored then
    ['{"a":1}', undefined, '{"a":1}'],
    [{ a: 1 }, undefined, '{"a":1}'],
    [[1, "x"], undefined, '[1,"x"]'],
    [3, undefined, "3"],
    [null, undefined, "null"],
    ["new", "old", "new"],
    [REDACTED, "old", "old"],
    [REDACTED, undefined, REDACTED],
    [REDACTED, 3, REDACTED],
  ])("%j after %j", (sent, before, then) => {
    const old = before === undefined ? null : withPayload(before);
    expect(normalizePayloads(withPayload(sent), old)).toEqual(withPayload(then));
  });

  it("are looked for under the same name", () => {
    const sent = { payloads: { a: REDACTED, b: REDACTED } };
    expect(normalizePayloads(sent, { payloads: { b: "old" } })).toEqual({
      payloads: { a: REDACTED, b: "old" },
    });
    for (const before of [{}, { payloads: null }, { payloads: ["old"] }])
      expect(normalizePayloads(sent, before)).toEqual(sent);
  });
});

describe("a flag from the database", () => {
  const sealed = withPayload(sealedText("s3cret"));
  it.each<[string, object, Buffer, unknown, string[]]>([
    ["is decrypted", { filters: sealed, has_encrypted_payloads: true }, KEY, withPayload("s3cret"), []],
    [
      "has the marker where the key is another",
      { filters: sealed, has_encrypted_payloads: true },
      OTHER,
      withPayload(REDACTED),
      [PAYLOADS],
    ],
    ["is left alone without encryption", { filters: sealed, has_encrypted_payloads: false }, KEY, sealed, []],
    [
      "is left alone where nothing is said",
      { filters: sealed, has_encrypted_payloads: null },
      KEY,
      sealed,
      [],
    ],
    [
      "names what else cannot be read first",
      { filters: { ...sealed, multivariate: 3 }, has_encrypted_payloads: true },
      OTHER,
      withPayload(REDACTED),
      ["filters.multivariate", PAYLOADS],
    ],
    [
      "names what else cannot be read, beside readable payloads",
      { filters: { ...sealed, multivariate: 3 }, has_encrypted_payloads: true },
      KEY,
      withPayload("s3cret"),
      ["filters.multivariate"],
    ],
  ])("%s", (_, fields, key, filters, unreadable_fields) => {
    const row = flagWith({ key: "as-stored", ...fields });
    expect(readFlag(row, key)).toEqual({ ...row, filters, unreadable_fields });
  });
});
