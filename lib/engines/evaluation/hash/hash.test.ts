import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashDigits, hashId, hashOf, hashPrefix, hashValue, VARIANT_SALT } from "./hash.ts";

function reference(text: string): number {
  return Number.parseInt(createHash("sha1").update(text).digest("hex").slice(0, 15), 16) / 2 ** 60;
}

describe("hash", () => {
  it.each([0, 1, 2, 3, 4, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 127, 128, 1000])(
    "is right for a text of %i bytes, where block borders lie",
    (length) => {
      const text = "x".repeat(length);
      expect(hashDigits(text)).toBe(createHash("sha1").update(text).digest("hex").slice(0, 15));
    },
  );

  it("agrees with the platform's SHA-1 on any key and id", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 90 });
    fc.assert(
      fc.property(text, text, (key, id) => {
        expect(hashValue(key, id)).toBe(reference(`${key}.${id}`));
        expect(hashValue(key, id, VARIANT_SALT)).toBe(reference(`${key}.${id}variant`));
      }),
      { numRuns: 500 },
    );
  });

  it("reuses a prepared id after prefixes of every length", () => {
    const id = hashId("köln-7");
    for (let length = 0; length < 140; length++) {
      const prefix = `${"p".repeat(length)}.`;
      expect(hashOf(hashPrefix(prefix), id, false)).toBe(reference(`${prefix}köln-7`));
      expect(hashOf(hashPrefix(prefix), id, true)).toBe(reference(`${prefix}köln-7variant`));
    }
  });

  it("spreads ids evenly", () => {
    const tenths = new Array<number>(10).fill(0);
    for (let i = 0; i < 20_000; i++) {
      const tenth = Math.min(9, Math.floor(hashValue("spread", `user-${i}`) * 10));
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(200);
  });
});
