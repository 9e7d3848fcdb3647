import { expect, it } from "vitest";
import { textArray } from "./text-array.ts";

it.each([[[]], [["a"]], [["", "é", 'quo"te']], [["x".repeat(300), "😀"]]])(
  "%j is the binary form of text[]",
  (texts) => {
    const bytes = textArray(texts);
    // One dimension, no nulls, the type text, how many there are, and the index of the first.
    const header = [0, 4, 8, 12, 16].map((at) => bytes.readInt32BE(at));
    expect(header).toEqual([1, 0, 25, texts.length, 1]);
    let at = 20;
    for (const text of texts) {
      const length = bytes.readInt32BE(at);
      expect(bytes.toString("utf8", at + 4, at + 4 + length)).toBe(text);
      at += 4 + length;
    }
    expect(at).toBe(bytes.length);
  },
);
