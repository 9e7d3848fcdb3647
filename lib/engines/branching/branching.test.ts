import { describe, expect, it } from "vitest";
import { bucketOf, bucketsOf, nextStep, rangeOf, type Step, stepByKey, walk } from "./branching.ts";
import { type Question, type QuestionType, rulesOf } from "./question.ts";

const open: Question = { type: "open" };
const goTo = (index: unknown): Question => ({
  type: "open",
  branching: { type: "specific_question", index },
});
const byAnswer = (type: QuestionType, responseValues: unknown, more: object = {}): Question => ({
  type,
  branching: { type: "response_based", responseValues },
  ...more,
});

describe("scales", () => {
  it.each([
    [2, 1, "positive negative"],
    [3, 1, "negative neutral positive"],
    [5, 1, "negative negative neutral positive positive"],
    [7, 1, "negative negative negative neutral positive positive positive"],
    [10, 0, `${"detractors ".repeat(7)}passives passives promoters promoters`],
  ])("the answers on scale %d, from %d up, are %s", (scale, first, words) => {
    const expected = words.split(" ");
    const last = first + expected.length - 1;
    expect(rangeOf(scale)).toEqual({ first, last });
    expect(expected.map((_, i) => bucketOf(scale, first + i))).toEqual(expected);
    expect(bucketsOf(scale)).toEqual([...new Set(expected)]);
    for (const answer of [first - 1, last + 1, first + 0.5, String(last), null, undefined])
      expect(bucketOf(scale, answer)).toBeNull();
  });

  it.each([4, 0, -1, "5", null, undefined, ["5"]])("there is no scale of %j", (scale) => {
    expect([rangeOf(scale), bucketsOf(scale), bucketOf(scale, 1)]).toEqual([null, [], null]);
  });
});

describe("the next question", () => {
  const choice = (values: unknown, more = {}) =>
    byAnswer("single_choice", values, { choices: ["A", "B"], ...more });
  const rating = (values: unknown) => byAnswer("rating", values, { scale: 5 });

  it.each<[string, Question, unknown, Step]>([
    ["follows without a rule", open, "x", 1],
    ["follows a rule that is none", { branching: "end" }, "x", 1],
    ["follows rules in a list", { branching: [{ type: "end" }] }, "x", 1],
    ["follows a rule of an unknown kind", { branching: { type: "jump", index: 2 } }, "x", 1],
    ["follows an explicit rule", { branching: { type: "next_question", index: 2 } }, "x", 1],
    ["is none after a rule to end", { branching: { type: "end" } }, "x", "end"],
    ["is the one that a rule names", goTo(2), "x", 2],
    ["may be the first one", goTo(0), "x", 0],
    ["is none past the last one", goTo(3), "x", "end"],
    ["follows a target that is no whole number", goTo(1.5), "x", 1],
    ["follows a target that is a text", goTo("2"), "x", 1],
    ["follows where a certain question is called the end", goTo("end"), "x", 1],
    ["is the choice's", choice({ 1: 2 }), "B", 2],
    ["is none where the choice ends it", choice({ 0: "end" }), "A", "end"],
    ["follows a choice without a rule", choice({ 1: 2 }), "A", 1],
    ["follows what is no choice", choice({ 0: 2, 1: 2 }), "C", 1],
    ["is the last choice's for a typed text", choice({ 1: 2 }, { hasOpenChoice: true }), "C", 2],
    ["is a choice's own, with an open one there too", choice({ 0: 2 }, { hasOpenChoice: true }), "A", 2],
    ["is found for a choice that is a number", choice({ 1: 2 }, { choices: ["4", "5"] }), 5, 2],
    ["follows what every object has", choice({}, { choices: ["toString"] }), "toString", 1],
    ["is the bucket's", rating({ positive: 2 }), 4, 2],
    ["follows a bucket without a rule", rating({ positive: 2 }), 3, 1],
    ["follows rules by answer that are a list", choice([2, 2]), "A", 1],
    ["follows rules by answer that are missing", choice(null), "A", 1],
    ["follows rules by answer of a text", byAnswer("open", { 0: 2, null: 2 }), "0", 1],
  ])("%s", (_, question, response, expected) => {
    expect(nextStep([question, open, open], 0, response)).toBe(expected);
  });

  it("is none after the last one", () => {
    expect([nextStep([open, open], 0, "x"), nextStep([open, open], 1, "x")]).toEqual([1, "end"]);
  });

  it("is no rule's by answer where the rule is of another kind", () => {
    for (const type of ["next_question", "jump", undefined])
      expect(stepByKey([{ branching: { type, responseValues: { 0: 2 } } }, open, open], 0, "0")).toBe(1);
  });

  it("is no rule's by answer without a key", () => {
    expect(stepByKey([choice({ null: 2 }), open, open], 0, null)).toBe(1);
  });

  it.each<[string, Question[], number, unknown, string]>([
    ["there is no such question", [open], 1, "x", "There is no question at index 1."],
    ["a target is before the first one", [open, goTo(-1)], 1, "x", "Question 1 leads to index -1."],
    ["a rating is off its scale", [rating({})], 0, 6, "6 is no answer on a scale of 5."],
    ["a rating is skipped", [rating({})], 0, null, "null is no answer on a scale of 5."],
    ["a scale is none", [byAnswer("rating", {}, { scale: 4 })], 0, 1, "1 is no answer on a scale of 4."],
    [
      "there are no choices",
      [choice({}, { choices: "AB" })],
      0,
      "A",
      "A question without choices cannot branch on one.",
    ],
  ])("cannot be told where %s", (_, questions, index, response, message) => {
    expect(() => nextStep(questions, index, response)).toThrow(
      expect.objectContaining({ name: "BranchingError", message }),
    );
  });
});

it.each([undefined, null, "end", 5, ["end"]])("%j is no rule", (branching) => {
  expect(rulesOf({ branching })).toEqual({});
});

describe("a walk", () => {
  const fork = byAnswer("single_choice", { 0: 2, 1: "end" }, { choices: ["A", "B"] });

  it("takes one answer for each question that is seen", () => {
    expect(walk([fork, open, open], ["A", "x"])).toEqual({ path: [0, 2], end: "end" });
    expect(walk([fork, open, open], ["B"])).toEqual({ path: [0], end: "end" });
  });

  it("skips questions when the answers run out", () => {
    expect(walk([open, fork, open], [])).toEqual({ path: [0, 1, 2], end: "end" });
  });

  it("stops in error where an answer does not fit its rule", () => {
    const rating = byAnswer("rating", {}, { scale: 3 });
    expect(walk([open, rating, open], ["x", 4])).toEqual({ path: [0, 1], end: "error" });
    expect(walk([open, rating, open], ["x"])).toEqual({ path: [0, 1], end: "error" });
  });

  it("is given up in a loop after a thousand turns", () => {
    const { path, end } = walk([goTo(0)], []);
    expect([path.length, end]).toEqual([1000, "limit"]);
  });

  it("may come to its end at the limit", () => {
    expect(walk([open, open], [], 2)).toEqual({ path: [0, 1], end: "end" });
    expect(walk([open, open], [], 1)).toEqual({ path: [0], end: "limit" });
  });

  it("passes on errors that are not about branching", () => {
    const broken = {
      get branching(): unknown {
        throw new TypeError("broken");
      },
    };
    expect(() => walk([broken], [])).toThrow(TypeError);
  });
});
