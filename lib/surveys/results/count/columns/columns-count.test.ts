import { describe, expect, it } from "vitest";
import { durationsOf } from "#lib/surveys/results/ingest/durations.ts";
import { columnsWith, type TestDay, type TestState } from "#testing/survey-columns.ts";
import { type ColumnFilter, countColumns, rowsOf, tally } from "./columns-count.ts";
import { newestRows, tallyPairs } from "./columns-rows.ts";

/** Responses to a rating, a choice and an open question. */
const STATES: TestState[] = [
  { n: 0, person: 1, day: 1, codes: ["9", "0,2", ""], path: [0, 1, 2], took: 167 },
  { n: 1, person: 1, day: 2, iteration: 1, completed: false, codes: ["3", "", ""], path: [0, 1] },
  { n: 2, person: 2, day: 2, iteration: 1, codes: ["9", "o", ""], path: [0, 1], took: 0 },
  { n: 3, person: 3, day: 2, archived: true, codes: ["1", "1", "1"], path: [0, 1, 2], took: 5 },
  // Grew on the third day to the next one.
  { n: 4, person: 3, day: 1, until: 3, completed: false, codes: ["", "", ""], path: [0] },
  { n: 5, person: 3, day: 3, codes: ["9", "0", "1"], path: [0, 1, 2] },
  { n: 6, person: 7, day: 2, completed: false, codes: ["", "", ""], path: [0] },
  { n: 7, person: 7, day: 3, completed: false, codes: ["3", "", ""], path: [0] },
  { n: 8, person: 2, day: 3, completed: false, codes: ["", "", ""], path: [] },
];

const DAYS: TestDay[] = [
  { person: 1, day: 1, shown: 2, answering: 1 },
  { person: 1, day: 2, iteration: 1, shown: 1, quit: 1, answering: 1 },
  { person: 2, day: 2, iteration: 1, dismissed: 1, answering: 1 },
  { person: 3, day: 1, shown: 1, answering: 1 },
  { person: 4, day: 2, iteration: 1, shown: 3, dismissed: 2 },
  { person: 6, day: 2, abandoned: 1 },
  { person: 8, day: 3 },
];

const columns = columnsWith(STATES, DAYS);
const day = (n: number) => `2026-02-0${n}`;
const EVERYTHING: ColumnFilter = {
  date_from: null,
  date_to: null,
  iteration: null,
  admitted: null,
  answers: [],
};

/** Marks people by the numbers that they have above. */
const admitting = (...people: number[]) => {
  const admitted = new Uint8Array(columns.people.length);
  for (const person of people) admitted[columns.findPerson(0, person)] = 1;
  return admitted;
};
const answers9 = (row: number) => columns.responses.questions[0]?.column.at(row) === 1;

const rowsWith = (filter: Partial<ColumnFilter>) => rowsOf(columns, { ...EVERYTHING, ...filter });

/** Everything counted that is not zero; what belongs to no iteration is not shown under iterations. */
async function countedWith(filter: Partial<ColumnFilter>) {
  const full = { ...EVERYTHING, ...filter };
  const tables = await countColumns(columns, full, await rowsOf(columns, full));
  const counts = [...tables.counts].filter(([key, n]) => n !== 0 && !key.startsWith("iteration 0"));
  return { ...tables, counts: Object.fromEntries(counts), days: Object.fromEntries(tables.days) };
}

describe("the responses that a filter leaves", () => {
  it.each<[string, Partial<ColumnFilter>, number[]]>([
    ["all that are the last of their states and not archived", {}, [0, 1, 2, 5, 6, 7, 8]],
    ["states that were the last ones on the last day", { date_to: day(1) }, [0, 4]],
    ["states that grew only after the last day", { date_to: day(2) }, [0, 1, 2, 4, 6]],
    ["no states that grew on the last day itself", { date_to: day(3) }, [0, 1, 2, 5, 6, 7, 8]],
    ["those from the first day on", { date_from: day(2) }, [1, 2, 5, 6, 7, 8]],
    ["those of one day", { date_from: day(3), date_to: day(3) }, [5, 7, 8]],
    ["those of an iteration", { iteration: 1 }, [1, 2]],
    ["those of none", { iteration: 0 }, [0, 5, 6, 7, 8]],
    ["those of some people", { admitted: admitting(2, 7) }, [2, 6, 7, 8]],
    ["those with an answer", { answers: [answers9] }, [0, 2, 5]],
    ["those for which all conditions hold", { answers: [answers9, (row) => row > 0] }, [2, 5]],
    ["nothing of days without any", { date_from: day(4) }, []],
  ])("are %s", async (_, filter, rows) => {
    expect([...(await rowsWith(filter))]).toEqual(rows);
  });
});

describe("figures from columns", () => {
  it("count answers, ways, people and events", async () => {
    const { counts, days, durations } = await countedWith({});
    expect(counts).toEqual({
      "answered ": 7,
      "completed ": 3,
      "given 0": 5,
      "given 1": 3,
      "given 2": 1,
      "code 0:9": 3,
      "code 0:3": 2,
      "code 1:0": 2,
      "code 1:2": 1,
      "code 1:o": 1,
      "code 2:1": 1,
      "edge start>0": 6,
      "edge 0>1": 4,
      "edge 1>2": 2,
      "edge 2>end": 2,
      "edge 1>end": 1,
      "edge 1>left": 1,
      "edge 0>left": 2,
      // Who left at the rating after answering it does not wait there.
      "waiting 0": 1,
      "waiting 1": 1,
      "iteration 1:answered": 2,
      "iteration 1:completed": 1,
      "iteration 1:shown": 4,
      "iteration 1:dismissed": 3,
      "shown ": 7,
      "dismissed ": 3,
      "quit ": 1,
      "abandoned ": 1,
      "people shown": 3,
      // The second person closed it too, but answered.
      "people dismissed": 1,
      "people quit": 1,
      "people answered": 4,
      "people completed": 3,
    });
    expect(days).toEqual({
      [day(1)]: { shown: 3, dismissed: 0, answered: 1, completed: 1 },
      [day(2)]: { shown: 4, dismissed: 3, answered: 3, completed: 1 },
      [day(3)]: { shown: 0, dismissed: 0, answered: 3, completed: 1 },
    });
    expect(durations).toEqual(
      durationsOf([
        [0, 1],
        [167, 1],
      ]),
    );
  });

  it.each<[string, Partial<ColumnFilter>, Record<string, number | undefined>]>([
    [
      "a day",
      { date_from: day(2), date_to: day(2) },
      {
        "answered ": 3,
        "completed ": 1,
        "shown ": 4,
        "dismissed ": 3,
        "quit ": 1,
        "abandoned ": 1,
        "people shown": 2,
        "people dismissed": 1,
        "people answered": 3,
        "people completed": 1,
        "waiting 0": 1,
        "iteration 1:shown": 4,
      },
    ],
    ["the time from a day on", { date_from: day(2) }, { "shown ": 4, "people shown": 2, "answered ": 6 }],
    ["the time up to a day", { date_to: day(1) }, { "shown ": 3, "people shown": 2, "answered ": 2 }],
    [
      "an iteration",
      { iteration: 1 },
      { "answered ": 2, "shown ": 4, "dismissed ": 3, "abandoned ": undefined, "people shown": 2 },
    ],
    [
      "what belongs to no iteration",
      { iteration: 0 },
      { "shown ": 3, "dismissed ": undefined, "abandoned ": 1, "people shown": 2 },
    ],
    [
      "some people",
      { admitted: admitting(4) },
      { "answered ": undefined, "shown ": 3, "dismissed ": 2, "people shown": 1, "people dismissed": 1 },
    ],
    [
      "the people with an answer, whoever else was shown it",
      { answers: [answers9] },
      {
        "answered ": 3,
        "shown ": 4,
        "dismissed ": 1,
        "quit ": 1,
        "abandoned ": undefined,
        "people shown": 2,
        "people dismissed": undefined,
        "people answered": 3,
      },
    ],
  ])("are those of %s", async (_, filter, expected) => {
    const { counts } = await countedWith(filter);
    for (const [name, n] of Object.entries(expected)) expect([name, counts[name]]).toEqual([name, n]);
  });

  it("are none of a survey with which nothing happened", async () => {
    const empty = columnsWith([]);
    const tables = await countColumns(empty, EVERYTHING, await rowsOf(empty, EVERYTHING));
    expect([...tables.counts.values()].every((n) => n === 0)).toBe(true);
    expect([...tables.days]).toEqual([]);
    expect(tables.durations).toEqual(durationsOf([]));
  });
});

describe("a tally of numbers", () => {
  it("counts those of the chosen rows alone", () => {
    expect([...tally([4, 0, 4, 7, 0, 4], Uint32Array.of(0, 1, 2, 3))]).toEqual([
      [0, 1],
      [4, 2],
      [7, 1],
    ]);
    expect([...tally([4], new Uint32Array())]).toEqual([]);
  });
});

describe("pairs of codes", () => {
  it("are of the responses that answered both questions", async () => {
    const byCodes = (rows: Uint32Array, a: number, b: number) =>
      tallyPairs(columns, rows, a, b)
        .map((pair) => [pair.a, pair.b, pair.n])
        .sort((one, other) => (`${one}` < `${other}` ? -1 : 1));
    const rows = await rowsWith({});
    expect(byCodes(rows, 0, 1)).toEqual([
      ["9", "0", 1],
      ["9", "0,2", 1],
      ["9", "o", 1],
    ]);
    expect(byCodes(rows, 1, 0)).toEqual([
      ["0,2", "9", 1],
      ["0", "9", 1],
      ["o", "9", 1],
    ]);
    expect(byCodes(rows, 0, 0)).toEqual([
      ["3", "3", 2],
      ["9", "9", 3],
    ]);
    expect(byCodes(Uint32Array.of(0), 0, 1)).toEqual([["9", "0,2", 1]]);
    expect(tallyPairs(columns, rows, 0, 3)).toEqual([]);
    expect(tallyPairs(columns, rows, 3, 0)).toEqual([]);
  });
});

describe("the newest responses with an answer", () => {
  const named = (n: number) => `00000000-0000-0000-0000-${String(n).padStart(12, "0")}`;
  const timed = columnsWith([
    { n: 1, day: 1, second: 86_399, codes: ["o"] },
    { n: 2, day: 3, second: 10, codes: ["o"] },
    { n: 3, day: 2, second: 0, codes: ["0"] },
    { n: 4, day: 2, second: 500, codes: ["o"] },
    { n: 5, day: 2, second: 40, codes: ["0,o"] },
    { n: 6, day: 2, second: 30, codes: [""] },
  ]);
  const all = Uint32Array.of(0, 1, 2, 3, 4, 5);
  const isOther = (code: string) => code.includes("o");

  it.each([
    [1, [2]],
    [2, [2, 4]],
    [3, [2, 4, 5]],
    // The fourth newest gave none.
    [4, [2, 4, 5]],
    [5, [2, 4, 5]],
    [6, [1, 2, 4, 5]],
    [7, [1, 2, 4, 5]],
  ])("are looked for among the last %d", (most, found) => {
    expect(newestRows(timed, all, most, 0, isOther)).toEqual(found.map(named));
  });

  it("are of the chosen rows, with the event's whole uuid", () => {
    expect(newestRows(timed, Uint32Array.of(0, 2), 1, 0, isOther)).toEqual([]);
    expect(newestRows(timed, all, 9, 1, isOther)).toEqual([]);
    const one = columnsWith([]);
    one.responses.put({
      uuid: Uint32Array.of(0x0a1b2c3d, 0x12344321, 0x89abcdef, 0xf),
      person: 0,
      day: 1,
      second: 0,
      until: null,
      iteration: 0,
      completed: true,
      archived: false,
      took: -1,
      codes: ["o"],
      path: "",
    });
    expect(newestRows(one, Uint32Array.of(0), 1, 0, isOther)).toEqual([
      "0a1b2c3d-1234-4321-89ab-cdef0000000f",
    ]);
  });
});
