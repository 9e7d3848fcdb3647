import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsWith, dayEntryOf, entryOf } from "#testing/survey-columns.ts";
import { Column, Keys, Words } from "./column.ts";
import { ARCHIVED, COMPLETED, LATEST } from "./columns.ts";

describe("a column of numbers", () => {
  it("gives back what was set last, and 0 for rows that never were", () => {
    const number = fc.oneof(
      fc.integer({ min: -2, max: 300 }),
      fc.constantFrom(
        255,
        256,
        65_535,
        65_536,
        -1,
        0x7fff_ffff,
        -0x7fff_ffff,
        2 ** 31,
        -(2 ** 31) - 1,
        2 ** 53 - 1,
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(400), number)), (writes) => {
        const column = new Column();
        const expected = new Map<number, number>();
        for (const [row, value] of writes) {
          column.set(row, value);
          expected.set(row, value);
        }
        for (let row = 0; row <= 401; row++)
          expect([row, column.at(row)]).toEqual([row, expected.get(row) ?? 0]);
      }),
    );
  });

  it.each([
    [255, 1],
    [256, 2],
    [65_535, 2],
    [65_536, 4],
    [-1, 4],
    [0x7fff_ffff, 4],
    [-0x7fff_ffff, 4],
    [2 ** 31, 8],
  ])("holds %d in %d bytes a row", (value, bytes) => {
    const column = new Column();
    column.set(0, 1);
    column.set(0, value);
    expect([column.at(0), column.data.BYTES_PER_ELEMENT, column.bytes]).toEqual([value, bytes, 64 * bytes]);
    column.set(1, 1);
    expect([column.at(0), column.at(1), column.bytes]).toEqual([value, 1, 64 * bytes]);
    column.set(64, 1);
    expect([column.at(0), column.bytes]).toEqual([value, Math.ceil(65 * 1.5) * bytes]);
  });
});

describe("numbers of keys", () => {
  it("come in the order of the keys, the same for the same key", () => {
    const word = fc.oneof(fc.nat(3), fc.constantFrom(0xffff_ffff, 0x8000_0000));
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word, word)), (list) => {
        const keys = new Keys(3);
        const known: string[] = [];
        for (const words of list) {
          const found = known.indexOf(words.join());
          expect(keys.find(Uint32Array.from(words))).toBe(found);
          if (found < 0) known.push(words.join());
          expect(keys.add(Uint32Array.from(words))).toBe(known.indexOf(words.join()));
          expect(keys.length).toBe(known.length);
        }
        for (const [index, text] of known.entries())
          expect([0, 1, 2].map((place) => keys.word(index, place)).join()).toBe(text);
      }),
    );
  });

  it("stay when there are many, in memory that grows with them", () => {
    const keys = new Keys(2);
    const words = (n: number) => Uint32Array.of(n % 7, n);
    const first = keys.bytes;
    expect(first).toBe(64 * 2 * 4 + 128 * 4);
    for (let n = 0; n < 64; n++) expect(keys.add(words(n))).toBe(n);
    expect(keys.bytes).toBe(first);
    for (let n = 64; n < 1_000; n++) expect(keys.add(words(n))).toBe(n);
    expect(keys.bytes).toBe(16 * first);
    for (let n = 0; n < 1_000; n++) expect([keys.find(words(n)), keys.word(n, 1)]).toEqual([n, n]);
    expect(keys.find(words(1_000))).toBe(-1);
  });
});

describe("numbers of texts", () => {
  it("come in the order of the texts, the same for the same text", () => {
    const words = new Words();
    expect(["a", "", "a", "bc", ""].map((text) => words.add(text))).toEqual([0, 1, 0, 2, 1]);
    expect(words.list).toEqual(["a", "", "bc"]);
    expect(words.bytes).toBe(3 * 80 + 2 * 3);
  });
});

describe("columns of responses", () => {
  const one = { n: 1, person: 5, day: 1, codes: ["3"], path: [0, 10] };

  it("keep a row an event, with what was written last", () => {
    const columns = columnsWith([one, { ...one, n: 2, completed: false, until: 4, archived: true, took: 9 }]);
    const { responses } = columns;
    expect([responses.length, responses.flags.at(0), responses.flags.at(1)]).toEqual([
      2,
      COMPLETED | LATEST,
      ARCHIVED,
    ]);
    expect([responses.took.at(0), responses.took.at(1)]).toEqual([0, 10]);
    expect(responses.until.at(0)).toBe(0);
    expect(responses.until.at(1)).toBe(responses.day.at(1) + 3);
    expect(responses.put(entryOf(columns, { ...one, completed: false, codes: ["4"], path: [] }))).toBe(0);
    expect([responses.length, responses.flags.at(0)]).toEqual([2, LATEST]);
    expect(responses.pathList).toEqual([[0, 10], []]);
    expect(responses.questions[0]?.codes.list).toEqual(["", "3", "4"]);
    expect([0, 1].map((row) => responses.questions[0]?.column.at(row))).toEqual([2, 1]);
    expect(columns.personId(responses.person.at(0))).toBe(5);
  });

  it("have no answer to questions that came later, or are gone", () => {
    const { responses } = columnsWith([
      one,
      { ...one, n: 2, codes: ["3", "x"] },
      { ...one, n: 3, codes: [] },
    ]);
    const codes = [0, 1, 2].map((row) =>
      responses.questions.map(({ codes, column }) => codes.list[column.at(row)]),
    );
    expect(codes).toEqual([
      ["3", ""],
      ["3", "x"],
      ["", ""],
    ]);
  });

  it("forget an event that is gone, and nothing else", () => {
    const { responses } = columnsWith([one, { ...one, n: 2 }]);
    responses.remove(Uint32Array.of(0, 0, 0, 2));
    responses.remove(Uint32Array.of(0, 0, 0, 9));
    expect([responses.length, responses.flags.at(0), responses.flags.at(1)]).toEqual([
      2,
      COMPLETED | LATEST,
      ARCHIVED,
    ]);
  });

  it("know people by numbers of more than 32 bits", () => {
    const columns = columnsWith([]);
    const place = columns.personOf(3, 7);
    expect([columns.personId(place), columns.findPerson(3, 7), columns.findPerson(7, 3)]).toEqual([
      3 * 2 ** 32 + 7,
      place,
      -1,
    ]);
  });

  it("take more memory with more responses, people and texts", () => {
    const sizes = [0, 200, 400].map((count) => {
      const states = Array.from({ length: count }, (_, n) => ({ ...one, n, person: n, codes: [`c${n}`] }));
      return columnsWith(
        states,
        states.map(({ person }) => ({ person, shown: 1 })),
      ).bytes;
    });
    expect(sizes[0]).toBeGreaterThan(0);
    // Of each response 16 bytes of uuid, 8 of a person, and 88 of the text of a new code at least.
    expect((sizes[2] ?? 0) - (sizes[1] ?? 0)).toBeGreaterThan(200 * (16 + 8 + 84));
  });
});

describe("columns of people's days", () => {
  const did = {
    person: 5,
    day: 1,
    iteration: 0,
    shown: 1,
    dismissed: 2,
    quit: 3,
    abandoned: 4,
    answering: 5,
  };
  const setup = () =>
    columnsWith([], [did, { ...did, person: 6 }, { ...did, day: 2 }, { ...did, iteration: 1 }]);
  const figures = ({ days }: ReturnType<typeof setup>) =>
    Array.from({ length: days.length }, (_, row) =>
      Object.values(days.figures).map((column) => column.at(row)),
    );
  const FULL = [1, 2, 3, 4, 5];
  const NOTHING = [0, 0, 0, 0, 0];

  it("take back all that a person did, and nothing of others", () => {
    const columns = setup();
    expect(figures(columns)).toEqual([FULL, FULL, FULL, FULL]);
    columns.days.clear(columns.personOf(0, 5));
    expect(figures(columns)).toEqual([NOTHING, FULL, NOTHING, NOTHING]);
    columns.days.clear(columns.personOf(0, 99));
    expect(figures(columns)[1]).toEqual(FULL);
  });

  it("write a known day again in its place, and a new one at the end", () => {
    const columns = setup();
    const put = (entry: typeof did) => columns.days.put(dayEntryOf(columns, entry));
    put({ ...did, iteration: 1, shown: 7 });
    put({ ...did, day: 2, shown: 8 });
    put({ ...did, shown: 9 });
    expect(figures(columns).map(([shown]) => shown)).toEqual([9, 1, 8, 7]);
    put({ ...did, person: 6, day: 2, shown: 3 });
    put({ ...did, person: 7, shown: 4 });
    expect(figures(columns).map(([shown]) => shown)).toEqual([9, 1, 8, 7, 3, 4]);
    const { person, day, iteration } = columns.days;
    expect([columns.personId(person.at(4)), day.at(4) - day.at(0), iteration.at(3)]).toEqual([6, 1, 1]);
  });
});
