import { describe, expect, it } from "vitest";
import { checkPaths, classesOf, classOf } from "./paths.ts";
import type { Question } from "./question.ts";

const rules = (responseValues: unknown = {}) => ({
  branching: { type: "response_based", responseValues },
});
const brief = (question: Question) =>
  classesOf(question).map(({ key, kind, label, response, rule_key }) => [
    key,
    kind,
    label,
    response,
    rule_key,
  ]);

describe("the answers that a rule can tell apart", () => {
  it.each<[string, Question, unknown[]]>([
    [
      "are the buckets of a rating",
      { type: "rating", scale: 10, ...rules() },
      [
        ["detractors", "bucket", "0 to 6 (detractors)", 0, "detractors"],
        ["passives", "bucket", "7 to 8 (passives)", 7, "passives"],
        ["promoters", "bucket", "9 to 10 (promoters)", 9, "promoters"],
      ],
    ],
    [
      "are single answers where a bucket has one",
      { type: "rating", scale: 5, ...rules() },
      [
        ["negative", "bucket", "1 to 2 (negative)", 1, "negative"],
        ["neutral", "bucket", "3 (neutral)", 3, "neutral"],
        ["positive", "bucket", "4 to 5 (positive)", 4, "positive"],
      ],
    ],
    [
      "include a skipped one where that is allowed",
      { type: "rating", scale: 2, optional: true, ...rules() },
      [
        ["positive", "bucket", "1 (positive)", 1, "positive"],
        ["negative", "bucket", "2 (negative)", 2, "negative"],
        ["skipped", "skipped", "skipped", null, null],
      ],
    ],
    [
      "are the choices, each text once",
      { type: "single_choice", choices: ["A", "B", "A"], ...rules() },
      [
        ["choice:0", "choice", "A", "A", "0"],
        ["choice:1", "choice", "B", "B", "1"],
      ],
    ],
    [
      "include what somebody types where the last choice is open",
      { type: "single_choice", choices: ["A", "Other"], hasOpenChoice: true, ...rules() },
      [
        ["choice:0", "choice", "A", "A", "0"],
        ["choice:1", "open_choice", "Other", "Something else", "1"],
      ],
    ],
    [
      "type a text that is no choice",
      {
        type: "single_choice",
        choices: ["Something else", "Something else…", "Something else……"],
        hasOpenChoice: true,
        ...rules(),
      },
      [
        ["choice:0", "choice", "Something else", "Something else", "0"],
        ["choice:1", "choice", "Something else…", "Something else…", "1"],
        ["choice:2", "open_choice", "Something else……", "Something else………", "2"],
      ],
    ],
    [
      "keep the open choice apart even where another has its text",
      { type: "single_choice", choices: ["A", "A"], hasOpenChoice: true, ...rules() },
      [
        ["choice:0", "choice", "A", "A", "0"],
        ["choice:1", "open_choice", "A", "Something else", "1"],
      ],
    ],
  ])("%s", (_, question, expected) => {
    expect(brief(question)).toEqual(expected);
  });

  it.each<[string, Question, unknown]>([
    ["a rating", { type: "rating", scale: 10 }, 0],
    ["a rating from 1", { type: "rating", scale: 7 }, 1],
    ["a rating on no known scale", { type: "rating", scale: 4 }, 1],
    ["several choices", { type: "multiple_choice", choices: ["A", "B"] }, ["A"]],
    ["several choices, of which there are none", { type: "multiple_choice" }, []],
    ["several choices that are a text", { type: "multiple_choice", choices: "AB" }, []],
    ["a choice", { type: "single_choice", choices: ["A", "B"] }, "A"],
    ["a choice of nothing", { type: "single_choice", choices: [] }, "Something"],
    ["a choice of a text", { type: "single_choice", choices: "AB" }, "Something"],
    ["a link", { type: "link" }, "link clicked"],
    ["a text", { type: "open", choices: ["A"] }, "Something"],
  ])("are all alike without rules by answer: %s", (_, question, response) => {
    const any = ["answered", "answered", "any answer", response, null];
    for (const optional of [false, true]) expect(brief({ ...question, optional })).toEqual([any]);
  });

  it.each<[string, Question]>([
    ["a text", { type: "open", ...rules() }],
    ["several choices", { type: "multiple_choice", choices: ["A"], ...rules() }],
  ])("are all alike where rules by answer cannot tell them: %s", (_, question) => {
    expect(classesOf({ ...question, optional: true }).map(({ key }) => key)).toEqual(["answered"]);
  });

  it.each<[string, Question]>([
    ["a scale that nobody knows", { type: "rating", scale: 4, ...rules() }],
    ["choices that are none", { type: "single_choice", choices: "AB", ...rules() }],
    ["an empty list of choices", { type: "single_choice", choices: [], ...rules() }],
  ])("are given or skipped with %s", (_, question) => {
    expect(classesOf(question).map(({ key }) => key)).toEqual(["answered"]);
    expect(classesOf({ ...question, optional: true }).map(({ key }) => key)).toEqual(["answered", "skipped"]);
  });
});

describe("an answer is counted", () => {
  const choice: Question = { type: "single_choice", choices: ["A", "B"], ...rules() };
  const rating: Question = { type: "rating", scale: 5, ...rules() };
  const unknown: Question = { type: "rating", scale: 4, ...rules() };

  it.each<[string, Question, unknown, string | null]>([
    ["as skipped without a value", { ...choice, optional: true }, undefined, "skipped"],
    ["as skipped with null", { ...choice, optional: true }, null, "skipped"],
    ["as skipped with an empty text", { ...rating, optional: true }, "", "skipped"],
    ["nowhere where nothing may be skipped", choice, undefined, null],
    [
      "nowhere where nothing may be skipped, not as typed either",
      { ...choice, hasOpenChoice: true },
      "",
      null,
    ],
    ["as skipped on a scale that nobody knows", { ...unknown, optional: true }, null, "skipped"],
    ["as given on a scale that nobody knows", { ...unknown, optional: true }, 3, "answered"],
    ["as the only kind there is, skipped or not", { type: "open", optional: true }, null, "answered"],
    ["as the first of two equal choices", { ...choice, choices: ["A", "A"] }, "A", "choice:0"],
    ["by its bucket", rating, 3, "neutral"],
    ["nowhere off the scale", rating, 6, null],
    ["as the only choice there is", { ...choice, choices: ["A"] }, "A", "choice:0"],
    ["nowhere, be there one choice only", { ...choice, choices: ["A"] }, "B", null],
  ])("%s", (_, question, response, expected) => {
    expect(classOf(question, response)).toBe(expected);
  });
});

describe("an outcome is ruled", () => {
  const ruled = (question: Question) =>
    checkPaths([question, {}])
      .outcomes.filter(({ from }) => from === 0)
      .map((found) => found.ruled);
  const choice = (values: unknown): Question => ({
    type: "single_choice",
    choices: ["A", "B"],
    optional: true,
    ...rules(values),
  });

  it.each<[string, Question, boolean[]]>([
    ["where a rule names the answer", choice({ 1: "end" }), [false, true, false]],
    ["never for skipping", choice({ null: "end", skipped: "end" }), [false, false, false]],
    ["not by what every object has", { ...choice({}), choices: ["A"] }, [false, false]],
    ["not by a list", choice(["end", "end"]), [false, false, false]],
    ["not by a text", choice("ab"), [false, false, false]],
    ["not by nothing", choice(null), [false, false, false]],
    ["where the survey ends", { branching: { type: "end" } }, [true]],
    ["where it leads to a certain question", { branching: { type: "specific_question", index: 1 } }, [true]],
    ["not where the next question follows", { branching: { type: "next_question" } }, [false]],
    ["not without a rule", {}, [false]],
    ["not by a rule of an unknown kind", { branching: { type: "jump", responseValues: { 0: 1 } } }, [false]],
  ])("%s", (_, question, expected) => {
    expect(ruled(question)).toEqual(expected);
  });
});
