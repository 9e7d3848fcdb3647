import { describe, expect, it } from "vitest";
import {
  buildHistory,
  dayOf,
  type NewState,
  noPersonFigures,
  sumDays,
  type Tallies,
  Tally,
  tallyEvents,
  tallyHistory,
  tallyPerson,
} from "./response-history.ts";

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 1, 1, 12);

const stateOf = (fields: Partial<NewState> = {}): NewState => ({
  project_id: 7,
  survey_id: "s",
  key: "k",
  uuid: "a",
  at: NOON,
  person_id: 3,
  distinct_id: "d",
  iteration: 0,
  completed: true,
  archived: false,
  codes: [],
  path: [],
  answers: {},
  ...fields,
});

const newTallies = (): Tallies => ({
  counts: new Tally(),
  durations: new Tally(),
  days: new Tally(),
});

const read = (tally: Tally) =>
  Object.fromEntries(
    tally.changes().map(([[project, survey, ...names], n]) => {
      expect([project, survey]).toEqual(["7", "s"]);
      return [names.join(" "), n];
    }),
  );

/** What the states of one response count for. */
function counted(...states: Partial<NewState>[]) {
  const tallies = newTallies();
  tallyHistory(tallies, buildHistory(states.map(stateOf)), 1);
  return { counts: read(tallies.counts), durations: read(tallies.durations), days: read(tallies.days) };
}

describe("a tally", () => {
  it("has what is not zero, sorted by name", () => {
    const tally = new Tally();
    tally.add(["b", 1], 2);
    tally.add(["a", 2], -1);
    tally.add(["b", 1], 3);
    tally.add(["c"], 1);
    tally.add(["c"], -1);
    expect(tally.changes()).toEqual([
      [["a", "2"], -1],
      [["b", "1"], 5],
    ]);
  });
});

describe("the states of a response", () => {
  it("stand in their order, the later of simultaneous ones by uuid, and know the next", () => {
    const history = buildHistory([
      stateOf({ uuid: "b", at: NOON + 5 }),
      stateOf({ uuid: "c", at: NOON }),
      stateOf({ uuid: "a", at: NOON + 5 }),
    ]);
    expect(
      history.map(({ uuid, latest, next_at, started_at }) => [uuid, latest, next_at, started_at]),
    ).toEqual([
      ["c", false, NOON + 5, NOON],
      ["a", false, NOON + 5, NOON],
      ["b", true, null, NOON],
    ]);
    expect(buildHistory([])).toEqual([]);
  });

  it("are of days in UTC", () => {
    expect([dayOf(NOON), dayOf(NOON + DAY / 2 - 1), dayOf(NOON + DAY / 2)]).toEqual([
      "2026-02-01",
      "2026-02-01",
      "2026-02-02",
    ]);
  });
});

describe("what a response counts for", () => {
  it("is its answers, its way and its person's day", () => {
    const found = counted({ iteration: 2, codes: ["9", "", "0,o"], path: [0, 1, 2] });
    const from = "2026-02-01 infinity";
    expect(found).toEqual({
      counts: Object.fromEntries(
        [
          "answered ",
          "completed ",
          "iteration 2:answered",
          "iteration 2:completed",
          "given 0",
          "given 2",
          "code 0:9",
          "code 2:0",
          "code 2:o",
          "edge start>0",
          "edge 0>1",
          "edge 1>2",
          "edge 2>end",
        ].map((name) => [`${name} ${from}`, 1]),
      ),
      durations: {},
      days: {
        "3 2026-02-01 2 answering": 1,
        "3 2026-02-01 2 answered": 1,
        "3 2026-02-01 2 completed": 1,
      },
    });
  });

  it("of an unfinished one has no completion, and the question that waits", () => {
    const { counts, days } = counted({ completed: false, codes: ["9", ""], path: [0, 1], iteration: 1 });
    expect(Object.keys(counts).sort()).toEqual(
      [
        "answered ",
        "iteration 1:answered",
        "given 0",
        "code 0:9",
        "waiting 1",
        "edge start>0",
        "edge 0>1",
        "edge 1>left",
      ]
        .map((name) => `${name} 2026-02-01 infinity`)
        .sort(),
    );
    expect(days).toEqual({ "3 2026-02-01 1 answering": 1, "3 2026-02-01 1 answered": 1 });
  });

  it("of one that grew counts each day's last state until the day of the next", () => {
    const { counts, days } = counted(
      { uuid: "a", completed: false },
      { uuid: "b", completed: false, at: NOON + 1_000 },
      { uuid: "c", at: NOON + 2 * DAY },
    );
    expect(counts).toEqual({
      "answered  2026-02-01 2026-02-03": 1,
      "answered  2026-02-03 infinity": 1,
      "completed  2026-02-03 infinity": 1,
    });
    expect(days).toEqual({
      "3 2026-02-01 0 answering": 2,
      "3 2026-02-01 0 answered": 1,
      "3 2026-02-03 0 answering": 1,
      "3 2026-02-03 0 answered": 1,
      "3 2026-02-03 0 completed": 1,
    });
  });

  it("is taken away again by the same", () => {
    const history = buildHistory([
      stateOf({ codes: ["9"], path: [0] }),
      stateOf({ uuid: "b", at: NOON + 9_990 }),
    ]);
    const tallies = newTallies();
    tallyHistory(tallies, history, 1);
    tallyHistory(tallies, history, -1);
    tallyHistory(tallies, [], 1);
    expect([tallies.counts, tallies.durations, tallies.days].flatMap((tally) => tally.changes())).toEqual([]);
  });

  it.each<[string, number, boolean, Record<string, number>]>([
    [
      "from its first event, in intervals of each width",
      16_740,
      true,
      { "150 150": 1, "10 160": 1, "1 167": 1 },
    ],
    ["to the nearest tenth", 30, true, { "150 0": 1, "10 0": 1, "1 0": 1 }],
    ["not at all where it is unfinished", 16_740, false, {}],
    ["not at all where all came at once", 0, true, {}],
  ])("is timed %s", (_, took, completed, durations) => {
    const found = counted(
      { uuid: "a", completed: false },
      { uuid: "b", at: NOON + took, completed },
    ).durations;
    expect(found).toEqual(
      Object.fromEntries(Object.entries(durations).map(([name, n]) => [`${name} 2026-02-01 infinity`, n])),
    );
  });

  const irregular = { "irregular  1970-01-01 infinity": 1 };
  it.each<[string, Partial<NewState>[], object]>([
    ["one state", [{ archived: true }], {}],
    ["states of one day and two persons", [{}, { at: NOON + 1, person_id: 4 }], {}],
    ["states of two days and one person", [{ completed: false }, { at: NOON + DAY }], {}],
    ["two finished states", [{}, { at: NOON + DAY }], {}],
    ["states of two days and two persons", [{}, { at: NOON + DAY, person_id: 4 }], irregular],
    ["a completion that was lost", [{}, { at: NOON + DAY, completed: false }], irregular],
    [
      "a completion that was lost later",
      [{}, { at: NOON + DAY }, { at: NOON + 2 * DAY, completed: false }],
      irregular,
    ],
    ["a part that was archived", [{}, { at: NOON + DAY, archived: true }], irregular],
    ["a first part that was archived", [{ archived: true }, { at: NOON + DAY }], irregular],
  ])("of %s says whether people can be counted by their days", (_, states, expected) => {
    const { counts } = counted(...states.map((state, i) => ({ uuid: `u${i}`, ...state })));
    const found = Object.entries(counts).filter(([name]) => name.startsWith("irregular"));
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it("is the same in whatever order its states are read", () => {
    // A completion that came later was not lost.
    const history = buildHistory([
      stateOf({ uuid: "a", completed: false }),
      stateOf({ uuid: "b", at: NOON + DAY }),
      stateOf({ uuid: "c", at: NOON + 2 * DAY }),
    ]);
    const [a, b, c] = history;
    if (!a || !b || !c) throw new Error("There are three states.");
    const readAs = (...states: typeof history) => {
      const tallies = newTallies();
      tallyHistory(tallies, states, 1);
      return [tallies.counts, tallies.durations, tallies.days].map(read);
    };
    for (const order of [
      [b, a, c],
      [c, b, a],
      [b, c, a],
    ])
      expect(readAs(...order)).toEqual(readAs(a, b, c));
  });

  it("of an archived one is nothing but that", () => {
    expect(counted({ archived: true, codes: ["9"], path: [0] })).toEqual({
      counts: { "archived  1970-01-01 infinity": 1 },
      durations: {},
      days: {},
    });
  });
});

describe("what an event counts for", () => {
  const happened = (iteration: number, kind: "shown" | "quit") => {
    const tallies = newTallies();
    const of = { project_id: 7, survey_id: "s", person_id: 3, day: dayOf(NOON), iteration, kind };
    tallyEvents(tallies, of, 1);
    return { counts: read(tallies.counts), days: read(tallies.days) };
  };

  it("is its day, its iteration and its person's day", () => {
    expect(happened(4, "quit")).toEqual({
      counts: { "quit  2026-02-01 infinity": 1, "iteration 4:quit 2026-02-01 infinity": 1 },
      days: { "3 2026-02-01 4 quit": 1 },
    });
    expect(happened(1, "shown").counts).toHaveProperty("iteration 1:shown 2026-02-01 infinity");
    expect(happened(0, "shown").counts).toEqual({ "shown  2026-02-01 infinity": 1 });
  });
});

describe("the sets of people", () => {
  const tallied = (...days: [string, Partial<ReturnType<typeof noPersonFigures>>][]) => {
    const counts = new Tally();
    const rows = days.map(([day, did]) => ({ day, did: { ...noPersonFigures(), ...did } }));
    tallyPerson(counts, [7, "s"], rows, 1);
    return read(counts);
  };

  it.each([
    [{ shown: 2 }, ["shown"]],
    [{ dismissed: 1 }, ["closed", "dismissed"]],
    [{ quit: 1 }, ["quit"]],
    [{ abandoned: 1 }, []],
    [{ answering: 1 }, ["answering", "closed"]],
    [{ answering: 3, answered: 1, completed: 1 }, ["answered", "answering", "closed", "completed"]],
    [{ shown: -1 }, []],
    [{}, []],
  ])("have who did %j once: in %j", (did, sets) => {
    expect(tallied(["2026-02-01", did])).toEqual(
      Object.fromEntries(sets.map((set) => [`people ${set} 2026-02-01 infinity`, 1])),
    );
  });

  it("have a person for each day until the next", () => {
    expect(
      tallied(
        ["2026-02-05", { shown: 1 }],
        ["2026-02-02", { shown: 4 }],
        ["2026-02-03", { quit: 1 }],
        ["2026-02-05", { shown: 1 }],
      ),
    ).toEqual({
      "people shown 2026-02-02 2026-02-05": 1,
      "people shown 2026-02-05 infinity": 1,
      "people quit 2026-02-03 infinity": 1,
    });
  });

  it("put a day's iterations and surveys together", () => {
    const row = (day: string, shown: number, completed: number) => ({
      ...noPersonFigures(),
      day,
      shown,
      completed,
    });
    expect(sumDays([row("a", 1, 0), row("b", 2, 1), row("a", 3, 5)])).toEqual([
      { day: "a", did: { ...noPersonFigures(), shown: 4, completed: 5 } },
      { day: "b", did: { ...noPersonFigures(), shown: 2, completed: 1 } },
    ]);
    const all = { shown: 1, dismissed: 2, quit: 3, abandoned: 4, answering: 5, answered: 6, completed: 7 };
    expect(sumDays([{ day: "a", ...all }])).toEqual([{ day: "a", did: all }]);
  });
});
