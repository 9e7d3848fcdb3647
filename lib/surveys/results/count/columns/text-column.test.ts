import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextColumn, type TextKind, textKey, wordsOfUuid } from "./text-column.ts";

const KIND: TextKind = { form: "whole", index: 2, id: "why", type: "open" };

/** Rows with texts in which something is found. */
async function found(texts: TextColumn, text: string, whole = false, rows = 100): Promise<number[]> {
  const marks = new Uint8Array(rows);
  await texts.mark(marks, text, whole);
  return [...marks.keys()].filter((row) => marks[row] === 1);
}

const put = (texts: TextColumn, row: number, ...list: string[]) =>
  texts.put(
    row,
    list.map((text) => Buffer.from(text)),
  );

describe("texts of answers", () => {
  it("are found wherever they stand, in the texts that a row has now", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "ä", "价"), maxLength: 4 });
    const change = fc.record({
      row: fc.nat(30),
      texts: fc.oneof(
        { weight: 5, arbitrary: fc.array(text, { minLength: 1, maxLength: 3 }) },
        fc.constant(null),
      ),
    });
    const needle = fc.string({ unit: fc.constantFrom("a", "b", "ä", "价"), minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 80 }),
        needle,
        fc.boolean(),
        async (changes, wanted, whole) => {
          const texts = new TextColumn(KIND);
          const now = new Map<number, string[]>();
          for (const { row, texts: list } of changes) {
            if (list) {
              put(texts, row, ...list);
              now.set(row, list);
            } else {
              texts.clear(row);
              now.delete(row);
            }
          }
          const expected = [...now]
            .filter(([, list]) => list.some((one) => (whole ? one === wanted : one.includes(wanted))))
            .map(([row]) => row)
            .sort((a, b) => a - b);
          expect(await found(texts, wanted, whole)).toEqual(expected);
        },
      ),
    );
  });

  it("are found among very many, at the ends and in the middle", async () => {
    const texts = new TextColumn(KIND);
    for (let row = 0; row < 3_000; row++) put(texts, row, row % 1_000 === 7 ? "needle" : "hay");
    expect(await found(texts, "eedl", false, 3_000)).toEqual([7, 1_007, 2_007]);
    expect(await found(texts, "needle", true, 3_000)).toEqual([7, 1_007, 2_007]);
    expect(await found(texts, "eedl", true, 3_000)).toEqual([]);
    expect((await found(texts, "hay", true, 3_000)).length).toBe(2_997);
  });

  it("may be larger than the pieces of memory they are kept in", async () => {
    const texts = new TextColumn(KIND);
    expect(texts.bytes).toBeLessThan(1_000);
    const megabytes = (n: number, end: string) => `${"x".repeat(n * 1024 * 1024)}${end}`;
    put(texts, 0, "first");
    put(texts, 1, megabytes(3, "second"));
    put(texts, 2, megabytes(3, "third"));
    put(texts, 3, megabytes(5, "fourth"));
    put(texts, 4, "fifth");
    for (const [row, text] of ["first", "second", "third", "fourth", "fifth"].entries())
      expect([text, await found(texts, text)]).toEqual([text, [row]]);
    expect(await found(texts, "th")).toEqual([2, 3, 4]);
    // Three pieces of four megabytes, and one for the text that is larger.
    expect(texts.bytes).toBeGreaterThan(17 * 1024 * 1024);
    expect(texts.bytes).toBeLessThan(18 * 1024 * 1024);
  });

  it("fill a piece of memory to the last byte", async () => {
    const texts = new TextColumn(KIND);
    const empty = texts.bytes;
    const size = 4 * 1024 * 1024;
    // Around each text stands a byte.
    put(texts, 0, "a".repeat(size - 5));
    put(texts, 1, "b");
    expect(texts.bytes - empty).toBeLessThan(size + 1_000);
    put(texts, 2, "c");
    expect(texts.bytes - empty).toBeGreaterThan(2 * size - 1);
    expect([await found(texts, "b"), await found(texts, "c")]).toEqual([[1], [2]]);
  });

  it("are known by their form and question", () => {
    const keys = [
      KIND,
      { ...KIND, form: "exact" as const },
      { ...KIND, index: 3 },
      { ...KIND, id: null },
    ].map(textKey);
    expect(new Set(keys).size).toBe(4);
    expect(textKey({ ...KIND })).toBe(keys[0]);
  });
});

describe("a uuid", () => {
  it("is four words", () => {
    const words = wordsOfUuid("00000001-0002-0003-89ab-cdef00000010");
    expect([...words]).toEqual([1, 0x0002_0003, 0x89ab_cdef, 0x10]);
  });
});
