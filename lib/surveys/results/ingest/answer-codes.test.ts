import { describe, expect, it } from "vitest";
import { QUESTIONS } from "#testing/survey-results.ts";
import {
  type Answers,
  answerTo,
  type CodedQuestion,
  choicesOf,
  codingFingerprint,
  countedAnswer,
  createCoder,
  edgesOf,
  encodeAnswers,
  formerSlots,
  formersOf,
  isChoice,
  rangeOfRating,
  type Step,
  slotsContaining,
  slotsFor,
  textsOf,
  tracePath,
  waitingAt,
} from "./answer-codes.ts";

const RENAMED_AT = 1_000;

/** Web, and Phone that was called App first; a fax machine and a pager were choices once. */
const how: CodedQuestion = {
  id: "how",
  type: "multiple_choice",
  choices: ["Web", "Phone", "Somewhere else"],
  hasOpenChoice: true,
  choice_ids: ["w", "a", "o"],
  choice_records: [
    { id: "w", texts: [{ text: "Web", from: null, until: null }] },
    {
      id: "a",
      texts: [
        { text: "App", from: null, until: RENAMED_AT },
        { text: "Phone", from: RENAMED_AT, until: null },
      ],
    },
    { id: "f", texts: [{ text: "Fax machine", from: null, until: RENAMED_AT }] },
    { id: "p", texts: [{ text: "Pager", from: null, until: RENAMED_AT }] },
  ],
};

const codeOf = (question: CodedQuestion, answer: unknown, at = 2_000) =>
  encodeAnswers(createCoder([{ ...question, id: "q" }]), answer === undefined ? {} : { q: answer }, at)[0];

describe("the code of an answer", () => {
  it.each([
    [2, [1, 2], [0, 3]],
    [3, [1, 3], [0, 4]],
    [5, [1, 5], [0, 6]],
    [7, [1, 7], [0, 8]],
    [10, [0, 10], [-1, 11]],
  ])("on a scale of %d is the number from %j, off the scale a question mark", (scale, on, off) => {
    const rating: CodedQuestion = { type: "rating", scale };
    expect(rangeOfRating(rating)).toEqual(on);
    for (const value of on) expect(codeOf(rating, value)).toBe(String(value));
    for (const value of on) expect(codeOf(rating, String(value))).toBe(String(value));
    for (const value of off) expect(codeOf(rating, value)).toBe("?");
  });

  it.each([["x"], [1.5], ["1.5"], [[1]], [true], [{}]])("that is no number is off the scale: %j", (value) => {
    expect(codeOf({ type: "rating", scale: 5 }, value)).toBe("?");
  });

  it.each<[CodedQuestion]>([
    [{ type: "rating", scale: 4 }],
    [{ type: "rating", scale: "5" }],
    [{ type: "rating" }],
    [{ type: "open", scale: 5 }],
    [{ type: "link" }],
    [{}],
  ])("to %j only says that there is one", (question) => {
    expect([rangeOfRating(question), isChoice(question)]).toEqual([null, false]);
    expect([codeOf(question, "3"), codeOf(question, undefined)]).toEqual(["1", ""]);
  });

  it.each<[unknown, string]>([
    [undefined, ""],
    ["Web", "0"],
    [" Phone ", "1"],
    ["App", "1"],
    ["Fax machine", "f0"],
    ["Pager", "f1"],
    ["web", "o"],
    ["Somewhere else", "o"],
    [["By letter", "Pager", "Fax machine", "Phone", "Web"], "0,1,f0,f1,o"],
    [["Phone", "App"], "1"],
    [["By letter", "By bird"], "o"],
    [[null, {}, "Web"], "0"],
  ])("to a choice names the choices that it picks: %j", (answer, code) => {
    expect(codeOf(how, answer)).toBe(code);
  });

  it("has the choices in their order where there are more than ten", () => {
    const many: CodedQuestion = {
      type: "multiple_choice",
      choices: Array.from({ length: 12 }, (_, i) => `c${i}`),
    };
    expect(codeOf(many, ["c11", "c2", "c10", "c0"])).toBe("0,2,10,11");
    const gone = Array.from({ length: 12 }, (_, i) => ({
      id: `g${i}`,
      texts: [{ text: `g${i}`, from: null, until: 1 }],
    }));
    const records = [{ id: "c0", texts: [{ text: "c0", from: null, until: null }] }, ...gone];
    const former: CodedQuestion = {
      type: "multiple_choice",
      choices: ["c0"],
      choice_ids: ["c0"],
      choice_records: records,
    };
    expect(codeOf(former, ["x", "g10", "g9", "c0"])).toBe("0,f9,f10,o");
  });

  it("reads numbers and yes or no as texts", () => {
    const question: CodedQuestion = { type: "single_choice", choices: ["1", "true"] };
    expect([codeOf(question, 1), codeOf(question, true), codeOf(question, 2)]).toEqual(["0", "1", "o"]);
  });
});

describe("the texts of an answer", () => {
  it.each([
    ["a", ["a"]],
    [" a ", ["a"]],
    [
      ["a", "", " ", "b"],
      ["a", "b"],
    ],
    [
      [1, true, false, null, {}, ["x"]],
      ["1", "true", "false"],
    ],
    [null, []],
    [{ a: 1 }, []],
  ])("%j are %j", (value, texts) => {
    expect(textsOf(value)).toEqual(texts);
  });
});

describe("the answer to a question", () => {
  it.each<[string, CodedQuestion, number, Answers, unknown]>([
    ["by its id", { id: "q" }, 0, { q: "a", "": "b" }, "a"],
    ["by its place, of older SDKs", { id: "q" }, 2, { 2: "b" }, "b"],
    ["by nothing at the first place", { id: "q" }, 0, { "": "b", 0: "c" }, "b"],
    ["by place where that of the id is null", { id: "q" }, 1, { q: null, 1: "b" }, "b"],
    ["by place where the id is no text", { id: 7 }, 1, { 7: "a", 1: "b" }, "b"],
    ["nowhere", { id: "q" }, 1, { 0: "a", x: "b" }, undefined],
    ["not in what every object has", { id: "toString" }, 1, {}, undefined],
  ])("is found %s", (_, question, index, answers, answer) => {
    expect(answerTo(question, index, answers)).toBe(answer);
  });
});

describe("what choices mean", () => {
  it("has the listed ones, and the former ones with a note", () => {
    expect(choicesOf(how)).toEqual(["Web", "Phone"]);
    expect(formersOf(how)).toEqual([
      { slot: "f0", text: "Fax machine", label: "Fax machine (former choice)" },
      { slot: "f1", text: "Pager", label: "Pager (former choice)" },
    ]);
  });

  it("tells texts that are choices from texts of people's own", () => {
    expect(slotsFor(how, ["Phone", " Pager", " By letter ", "App"])).toEqual({
      slots: ["1", "f1", "1"],
      own: ["By letter"],
    });
    expect(slotsFor(how, [])).toEqual({ slots: [], own: [] });
  });

  it("finds former choices by their last texts", () => {
    expect(formerSlots(how, [" Pager ", "Web", "nothing"])).toEqual(["f1"]);
    expect(formerSlots(how, ["Pager", "Fax machine"])).toEqual(["f0", "f1"]);
  });

  it.each([
    ["E", ["0", "1", "f0", "f1"]],
    ["PAG", ["f1"]],
    ["phone", ["1"]],
    // It is not called so any more.
    ["App", []],
    ["former", []],
  ])("finds those whose texts contain %s", (text, slots) => {
    expect(slotsContaining(how, [text])).toEqual(slots);
    expect(slotsContaining(how, ["zzz", text])).toEqual(slots);
  });
});

describe("an answer as it is counted", () => {
  it.each<[unknown, number, unknown]>([
    ["Web", 0, "Web"],
    ["App", 500, "Phone"],
    [" Phone ", 2_000, " Phone "],
    ["Pager", 500, "Pager (former choice)"],
    ["By letter", 500, "By letter"],
    [["App", "By letter", 7, null], 500, ["Phone", "By letter", 7, null]],
    [[["App"]], 500, [["App"]]],
    [{ a: 1 }, 500, { a: 1 }],
    ["", 500, ""],
  ])("says of %j what the choices are called now", (value, at, counted) => {
    expect(countedAnswer(how, value, at)).toEqual(counted);
  });

  it("is what was said where the choice differs in nothing but spaces", () => {
    expect(countedAnswer({ type: "single_choice", choices: ["Web "] }, "Web", 0)).toBe("Web");
  });

  it("is what was said where the question is no choice", () => {
    expect(countedAnswer({ ...how, type: "open" }, "App", 500)).toBe("App");
  });
});

describe("the way through a survey", () => {
  const coder = createCoder(QUESTIONS);
  it.each<[string, Answers, boolean, number[]]>([
    [
      "all questions, one after another",
      { nps: 3, how: "Web", what: ["Flags"], why: "x" },
      true,
      [0, 1, 2, 3],
    ],
    ["the next question, where a rule has no answer to go by", {}, true, [0, 1, 2, 3]],
    ["where a rule leads", { nps: 9, what: ["Flags"] }, true, [0, 2, 3]],
    ["where a rule leads by a number sent as text", { nps: "10", why: "x" }, true, [0, 2, 3]],
    ["up to the question that waits", { nps: 3 }, false, [0, 1]],
    ["the first question, before any answer", {}, false, [0]],
    ["past a question that was skipped", { nps: 3, what: ["Flags"] }, false, [0, 1, 2, 3]],
    [
      "all questions, left on the last",
      { nps: 3, how: "Web", what: ["Flags"], why: "x" },
      false,
      [0, 1, 2, 3],
    ],
    ["the answered questions, where no rule leads there", { nps: 9, how: "Web", why: "x" }, true, [0, 1, 3]],
  ])("is %s", (_, answers, completed, path) => {
    expect(tracePath(coder, answers, completed, 0)).toEqual(path);
  });

  const first = (fields: CodedQuestion) =>
    createCoder([
      { id: "a", ...fields },
      { id: "b", type: "open" },
      { id: "c", type: "open" },
    ]);

  it.each<[string, CodedQuestion, unknown, number[]]>([
    ["to the end", { type: "open", branching: { type: "end" } }, "x", [0]],
    ["to a question", { type: "open", branching: { type: "specific_question", index: 2 } }, "x", [0, 2]],
    // A rule that leads before the first question, and one by rating that has none.
    ["nowhere", { type: "open", branching: { type: "specific_question", index: -1 } }, "x", [0, 1, 2]],
    [
      "by a rating that is off the scale",
      { type: "rating", scale: 5, branching: { type: "response_based", responseValues: { negative: 2 } } },
      9,
      [0, 1, 2],
    ],
    [
      "by the first choice",
      {
        type: "single_choice",
        choices: ["A ", "B"],
        branching: { type: "response_based", responseValues: { 0: 2, 1: "end" } },
      },
      "A ",
      [0, 2],
    ],
    [
      "of a choice only by its very text, as SDKs do",
      {
        type: "single_choice",
        choices: ["A ", "B"],
        branching: { type: "response_based", responseValues: { 0: 2, 1: "end" } },
      },
      "A",
      [0, 1, 2],
    ],
    [
      "by the second",
      {
        type: "single_choice",
        choices: ["A", "B"],
        branching: { type: "response_based", responseValues: { 0: 2, 1: "end" } },
      },
      "B",
      [0],
    ],
    [
      "by what somebody typed",
      {
        type: "single_choice",
        choices: ["A", "B", "Other"],
        hasOpenChoice: true,
        branching: { type: "response_based", responseValues: { 2: "end" } },
      },
      "mine",
      [0],
    ],
  ])("follows a rule %s", (_, question, answer, path) => {
    expect(tracePath(first(question), { a: answer }, true, 0)).toEqual(path);
  });

  it.each([
    ["App", 500, [0, 2]],
    ["Phone", 2_000, [0, 2]],
    // A former choice has no rule any more.
    ["Pager", 500, [0, 1, 2]],
    ["By letter", 500, [0]],
  ])("follows the rule of the choice that %s means", (answer, at, path) => {
    const branching = { type: "response_based", responseValues: { 1: 2, 2: "end" } };
    const coder = first({ ...how, id: "a", type: "single_choice", branching });
    expect(tracePath(coder, { a: answer }, true, at)).toEqual(path);
  });

  it("goes on after a choice that has no single answer", () => {
    const branching = { type: "response_based", responseValues: { 0: "end" } };
    const coder = first({ type: "single_choice", choices: ["A", "B"], branching });
    expect(tracePath(coder, { a: ["A", "B"] }, true, 0)).toEqual([0, 1, 2]);
  });

  it("ends where it would go round", () => {
    const coder = createCoder([
      { id: "a", type: "open" },
      { id: "b", type: "open", branching: { type: "specific_question", index: 0 } },
    ]);
    expect(tracePath(coder, { a: "x", b: "y" }, true, 0)).toEqual([0, 1]);
  });

  it("is none in a survey without questions", () => {
    expect(tracePath(createCoder([]), { a: "x" }, true, 0)).toEqual([]);
  });

  it.each<[number[], boolean, Step[]]>([
    [
      [0, 2],
      true,
      [
        { from: "start", to: 0 },
        { from: 0, to: 2 },
        { from: 2, to: "end" },
      ],
    ],
    [
      [0],
      false,
      [
        { from: "start", to: 0 },
        { from: 0, to: "left" },
      ],
    ],
    [[], true, []],
  ])("%j has its steps", (path, completed, edges) => {
    expect(edgesOf(path, completed)).toEqual(edges);
  });

  it.each([
    [{ codes: ["9", ""], path: [0, 1], completed: false }, 1],
    [{ codes: ["", ""], path: [0], completed: false }, 0],
    [{ codes: ["9", "1"], path: [0, 1], completed: false }, null],
    [{ codes: ["9", ""], path: [0, 1], completed: true }, null],
    [{ codes: [""], path: [], completed: false }, null],
  ])("%j was left at an unanswered question or not", (of, at) => {
    expect(waitingAt(of)).toBe(at);
  });
});

describe("what decides how answers are read", () => {
  const change = (fields: object) => codingFingerprint([{ ...how, ...fields }]);
  it.each([
    [{ id: "other" }],
    [{ type: "single_choice" }],
    [{ scale: 5 }],
    [{ choices: ["Web", "Telephone", "Somewhere else"] }],
    [{ hasOpenChoice: false }],
    [{ branching: { type: "end" } }],
    [{ choice_ids: ["w", "x", "o"] }],
    [{ choice_records: [] }],
  ])("is another with %j", (fields) => {
    expect(change(fields)).not.toBe(codingFingerprint([how]));
  });

  it.each([[{ question: "How do you use it?" }], [{ description: "Please" }], [{ optional: true }]])(
    "is the same with %j",
    (fields) => {
      expect(change(fields)).toBe(codingFingerprint([how]));
    },
  );

  it("is the order of the questions too", () => {
    const why: CodedQuestion = { id: "why", type: "open" };
    expect(codingFingerprint([how, why])).not.toBe(codingFingerprint([why, how]));
  });
});
