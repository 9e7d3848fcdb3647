import { describe, expect, it } from "vitest";
import type { Question } from "#lib/engines/branching/question.ts";
import {
  assignChoiceIds,
  type ChoiceHistory,
  choiceIdsOf,
  choiceReader,
  findUnknownChoice,
  formerChoices,
  knownTexts,
  listedChoices,
  nextHistory,
  readingOf,
  withChoiceIds,
  withRecords,
} from "./choices.ts";

const question = (choices: string[], choice_ids?: unknown, more: Question = {}): Question => ({
  id: "q",
  choices,
  ...(choice_ids !== undefined && { choice_ids }),
  ...more,
});
const text = (text: string, from: number | null, until: number | null, translated?: true) => ({
  text,
  from,
  until,
  ...(translated && { translated }),
});

describe("ids of stored choices", () => {
  it.each<[string, unknown, string[]]>([
    ["are used where there is one each", ["x", "y"], ["x", "y"]],
    ["are made by place where there are none", undefined, ["c0", "c1"]],
    ["are made by place where there are fewer", ["x"], ["c0", "c1"]],
    ["are made by place where there are more", ["x", "y", "z"], ["c0", "c1"]],
    ["are made by place where one is empty", ["x", ""], ["c0", "c1"]],
    ["are made by place where one is no text", ["x", 5], ["c0", "c1"]],
    ["are made by place where two are the same", ["x", "x"], ["c0", "c1"]],
    ["are made by place where they are no list", "xy", ["c0", "c1"]],
  ])("%s", (_, ids, expected) => {
    expect(choiceIdsOf(question(["A", "B"], ids))).toEqual(expected);
    expect(withChoiceIds(question(["A", "B"], ids))).toEqual(question(["A", "B"], expected));
  });

  it("are none of a question without choices", () => {
    for (const choices of [undefined, null, "A", []]) {
      expect(choiceIdsOf({ choices })).toEqual([]);
      const stored = { id: "q", choices };
      expect(withChoiceIds(stored)).toBe(stored);
    }
  });
});

describe("the listed choices", () => {
  it("are each text once, without the open one", () => {
    const stored = question(["A", "B", "A", "Other"], ["w", "x", "y", "z"]);
    expect(listedChoices(stored)).toEqual([
      { id: "w", text: "A", place: 0 },
      { id: "x", text: "B", place: 1 },
      { id: "z", text: "Other", place: 3 },
    ]);
    expect(listedChoices({ ...stored, hasOpenChoice: true }).map(({ id }) => id)).toEqual(["w", "x"]);
    expect(listedChoices({ choices: [1, true] })).toEqual([
      { id: "c0", text: "1", place: 0 },
      { id: "c1", text: "true", place: 1 },
    ]);
  });
});

describe("the history of choices", () => {
  it("has each text with the time that the choice had it", () => {
    const before = [question(["A", "B"], ["x", "y"])];
    const after = [question(["A2", "C"], ["x", "z"])];
    const history = nextHistory(null, before, after, 100);
    expect(history).toEqual({
      q: [
        { id: "x", texts: [text("A", null, 100), text("A2", 100, null)] },
        { id: "y", texts: [text("B", null, 100)] },
        { id: "z", texts: [text("C", 100, null)] },
      ],
    });
    // Saved again without a change.
    expect(nextHistory(history, after, after, 200)).toEqual(history);
    // A text that was there for no time at all.
    expect(nextHistory(history, after, [question(["A3", "C"], ["x", "z"])], 100)?.q?.[0]).toEqual({
      id: "x",
      texts: [text("A", null, 100), text("A3", 100, null)],
    });
  });

  it("is that of always in a new question, and of now in one that gets choices", () => {
    expect(nextHistory(null, [], [question([" A "], ["x"])], 100)).toEqual({
      q: [{ id: "x", texts: [text("A", null, null)] }],
    });
    expect(nextHistory(null, [{ id: "q" }], [question(["A"], ["x"])], 100)).toEqual({
      q: [{ id: "x", texts: [text("A", 100, null)] }],
    });
    expect(nextHistory(null, null, null, 100)).toEqual({});
    expect(nextHistory(null, [], [{ id: "q" }, { choices: ["A"] }, { id: "", choices: ["A"] }], 100)).toEqual(
      {},
    );
  });

  it("stays of a question that is gone, and goes on when it is back", () => {
    const stored = [question(["A"], ["x"])];
    const gone = nextHistory(null, stored, [], 100);
    expect(gone).toEqual({ q: [{ id: "x", texts: [text("A", null, 100)] }] });
    expect(nextHistory(gone, [], [], 200)).toEqual(gone);
    expect(nextHistory(gone, [], stored, 300)).toEqual({ q: [{ id: "x", texts: [text("A", null, null)] }] });
  });

  it("does not let a text go on that another choice has had meanwhile", () => {
    const states = [
      [question(["A", "B"], ["x", "y"])],
      [question(["C", "A"], ["x", "y"])],
      [question(["A", "B"], ["x", "y"])],
    ];
    let history: ChoiceHistory | null = null;
    for (const [i, after] of states.entries())
      history = nextHistory(history, i === 0 ? [] : (states[i - 1] ?? []), after, i * 100);
    expect(history?.q?.[0]?.texts).toEqual([text("A", null, 100), text("C", 100, 200), text("A", 200, null)]);
    expect(history?.q?.[1]?.texts).toEqual([text("B", null, null), text("A", 100, 200)]);
  });

  it("has translations, each once and only where they differ", () => {
    const translations = {
      de: { choices: [" Eins ", "B"] },
      at: { choices: ["Eins", ""] },
      fr: "none",
      es: { choices: "none" },
    };
    const stored = question(["A", "B"], ["x", "y"], { translations });
    const history = nextHistory(null, [], [stored], 100);
    expect(history).toEqual({
      q: [
        { id: "x", texts: [text("A", null, null), text("Eins", null, null, true)] },
        { id: "y", texts: [text("B", null, null)] },
      ],
    });
    // The same text is no translation any more.
    const renamed = question(["Eins", "B"], ["x", "y"]);
    expect(nextHistory(history, [stored], [renamed], 200)?.q?.[0]?.texts).toEqual([
      text("A", null, 200),
      text("Eins", null, 200, true),
      text("Eins", 200, null),
    ]);
    expect(knownTexts({ ...stored, choice_records: history?.q })).toEqual(["A", "Eins", "B"]);
  });

  it("is of the first of several questions with one id", () => {
    const [first, second] = [question(["A"], ["x"]), question(["B"], ["y"])];
    const history = nextHistory(null, [], [first, second], 100);
    expect(history).toEqual({ q: [{ id: "x", texts: [text("A", null, null)] }] });
    const [one, other, nameless] = withRecords([first, second, { choices: ["C"] }], history);
    expect(one?.choice_records).toBe(history?.q);
    expect([other?.choice_records, nameless?.choice_records]).toEqual([undefined, undefined]);
    expect(withRecords([question(["A"], ["x"], { id: "toString" })], {})[0]?.choice_records).toBeUndefined();
  });
});

describe("former choices", () => {
  it("have their last texts in the question's own language, one for several that had the same", () => {
    const choice_records = [
      { id: "x", texts: [text("A", null, null)] },
      { id: "f", texts: [text("Old", null, 10), text("Fax", 10, 50), text("Faxgerät", 10, 50, true)] },
      { id: "g", texts: [text("Nur so", null, 50, true)] },
      { id: "h", texts: [text("Fax", 60, 70)] },
    ];
    const stored = { ...question(["A"], ["x"]), choice_records };
    expect(formerChoices(stored)).toEqual([
      { text: "Fax", ids: ["f", "h"] },
      { text: "Nur so", ids: ["g"] },
    ]);
    const read = choiceReader(stored);
    const cases: [string, number, string | null][] = [
      ["Old", 5, "f0"],
      ["Faxgerät", 20, "f0"],
      [" Fax ", 65, "f0"],
      ["Nur so", 1, "f1"],
      ["A", 1, "0"],
      ["B", 1, null],
    ];
    for (const [said, at, slot] of cases) expect([said, read(said, at)]).toEqual([said, slot]);
  });

  it("give way to who has a text then, had it last before, or gets it first after", () => {
    const records = (list: [id: string, from: number | null, until: number | null, translated?: true][]) =>
      list.map(([id, from, until, translated]) => ({ id, texts: [text("A", from, until, translated)] }));
    const reader = (...list: Parameters<typeof records>[0]) =>
      choiceReader({ ...question(["1", "2", "3"], ["x", "y", "z"]), choice_records: records(list) });
    const then = reader(["x", null, 10], ["y", 10, 20], ["z", 30, 40]);
    expect([0, 9, 10, 19, 20, 29, 30, 39, 40, 99].map((at) => then("A", at))).toEqual([
      "0",
      "0",
      "1",
      "1",
      "1",
      "1",
      "2",
      "2",
      "2",
      "2",
    ]);
    const later = reader(["x", 50, 60], ["y", 20, 30], ["z", 40, 45]);
    expect([0, 19, 35].map((at) => later("A", at))).toEqual(["1", "1", "1"]);
    const own = reader(["x", 0, 10, true], ["y", 0, 10], ["z", 0, 10, true]);
    expect([-5, 5, 15].map((at) => own("A", at))).toEqual(["1", "1", "1"]);
    const earlier = reader(["x", 0, 10], ["y", 0, 20], ["z", 0, 15]);
    expect(earlier("A", 30)).toBe("1");
  });
});

describe("how answers are read", () => {
  const stored = { ...question(["A"], ["x"]), choice_records: [{ id: "x", texts: [text("A", null, null)] }] };
  it.each([
    [{ choices: ["B"] }],
    [{ choice_ids: ["y"] }],
    [{ choice_records: [{ id: "x", texts: [text("A", 5, null)] }] }],
    [{ choice_records: [{ id: "x", texts: [text("A", null, 5)] }] }],
    [{ choice_records: [{ id: "x", texts: [text("A", null, null, true)] }] }],
    [{ choice_records: [{ id: "y", texts: [text("A", null, null)] }] }],
    [{ choice_records: [{ id: "x", texts: [text("B", null, null)] }] }],
  ])("depends on %j", (fields) => {
    expect(readingOf({ ...stored, ...fields })).not.toEqual(readingOf(stored));
  });

  it("does not depend on anything else", () => {
    expect(readingOf({ ...stored, question: "Other?", hasOpenChoice: false })).toEqual(readingOf(stored));
  });
});

describe("sent choices", () => {
  const stored = [question(["A", "B"], ["x", "y"])];
  const history = {
    q: [
      { id: "x", texts: [text("A", null, null)] },
      { id: "old", texts: [text("Fax", null, 5)] },
    ],
  };
  const ids = (sent: Question, before: Question[] | null = stored, known: ChoiceHistory | null = history) => {
    let made = 0;
    return assignChoiceIds(
      [sent],
      before,
      known,
      () => ["x", "new1", "new1", "new2", "new3"][made++] ?? "more",
    )[0]?.choice_ids;
  };

  it.each<[string, Question, unknown]>([
    ["keep the ids that are sent", question(["A", "B"], ["y", "x"]), ["y", "x"]],
    ["get ids where null is sent, none that is taken", question(["A", "B"], ["y", null]), ["y", "new1"]],
    ["get different ids", question(["C", "D"], [null, null]), ["new1", "new2"]],
    ["get ids for what is no text", question(["A", "B"], [5, "y"]), ["new1", "y"]],
    ["are known by their texts, spaces apart", question([" B", "A "]), ["y", "x"]],
    ["are known by a text of before", question(["Fax", "A"]), ["old", "x"]],
    ["are known once", question(["Fax", "Fax"]), ["old", "new1"]],
    ["lose ids without choices", { id: "q", choice_ids: ["x"] }, undefined],
  ])("%s", (_, sent, expected) => {
    expect(ids(sent)).toEqual(expected);
  });

  it("of a new question get new ids whatever their texts", () => {
    expect(ids({ ...question(["A", "B"]), id: "other" })).toEqual(["x", "new1"]);
    expect(ids(question(["A"]), null, null)).toEqual(["x"]);
  });

  it("of a question that was removed are known by their texts", () => {
    expect(ids(question(["A", "C"]), [])).toEqual(["x", "new1"]);
  });

  it.each<[string, Question[], { place: number; id: string } | null]>([
    ["is none among known ids", [question(["A", "B", "C"], ["x", "old", null])], null],
    ["is found with its place", [{ question: "?" }, question(["A"], ["z"])], { place: 1, id: "z" }],
    ["is none without ids", [question(["A"])], null],
    ["is none of a question without an id", [{ choices: ["A"], choice_ids: ["z"] }], null],
    ["is none of a new question", [{ ...question(["A"], ["z"]), id: "other" }], null],
    ["is none of what is no text", [question(["A"], [7])], null],
  ])("an unknown one %s", (_, sent, expected) => {
    expect(findUnknownChoice(sent, stored, history)).toEqual(expected);
  });

  it("may bring ids where the question had no choices", () => {
    expect(findUnknownChoice([question(["A"], ["z"])], [{ id: "q" }], null)).toBeNull();
  });
});
