import { describe, expect, it } from "vitest";
import type { PlacedCondition } from "#lib/surveys/results/count/conditions-store.ts";
import type { CodedQuestion } from "#lib/surveys/results/ingest/answer-codes.ts";
import { columnsWith, type TestState } from "#testing/survey-columns.ts";
import { rowTestOf, textNeedOf } from "./columns-match.ts";

const rating: CodedQuestion = { id: "nps", type: "rating", scale: 10 };
const records = [
  { id: "w", texts: [{ text: "Web", from: null, until: null }] },
  { id: "a", texts: [{ text: "App", from: null, until: null }] },
  { id: "f", texts: [{ text: "Fax machine", from: null, until: 1_000 }] },
];
const choice: CodedQuestion = {
  id: "how",
  type: "single_choice",
  choices: ["Web", "App"],
  choice_ids: ["w", "a"],
  choice_records: records,
};
const several: CodedQuestion = { ...choice, type: "multiple_choice" };
const open: CodedQuestion = { id: "why", type: "open" };

const conditionOn = (
  question: CodedQuestion,
  operator: PlacedCondition["operator"],
  ...value: string[]
): PlacedCondition => ({ question_id: String(question.id), operator, value, index: 0, question });

/** The codes for which a condition holds; those with a star have a text that is asked for. */
function matching(codes: readonly string[], condition: PlacedCondition): string[] {
  const { responses } = columnsWith(codes.map((code, n) => ({ n, codes: [code.replace("*", "")] })));
  const test = rowTestOf(
    responses,
    condition,
    Uint8Array.from(codes, (code) => (code.endsWith("*") ? 1 : 0)),
  );
  return codes.filter((_, row) => test(row));
}

const RATINGS = ["", "0", "6", "7", "9", "10", "?"];
const PICKED = ["", "0", "1", "f0", "o", "o*"];
const PICKED_SEVERAL = ["", "0", "1", "0,1", "1,f0", "1,o", "0,o*", "o*"];
const WRITTEN = ["", "1", "1*"];

describe("a condition on answers", () => {
  it.each<[PlacedCondition["operator"], string[], string[]]>([
    ["exact", ["9"], ["9"]],
    ["exact", [" 9 ", "0"], ["0", "9"]],
    ["exact", ["?", "", "6"], ["6"]],
    ["is_not", ["9"], ["0", "6", "7", "10", "?"]],
    ["gte", ["7"], ["7", "9", "10"]],
    ["gte", ["8"], ["9", "10"]],
    ["gte", ["-3"], ["0", "6", "7", "9", "10"]],
    ["lte", ["6"], ["0", "6"]],
    ["lte", ["0"], ["0"]],
    ["bucket", ["detractors"], ["0", "6"]],
    ["bucket", ["passives", "promoters"], ["7", "9", "10"]],
    ["bucket", [""], []],
    ["is_set", [], ["0", "6", "7", "9", "10", "?"]],
    ["is_not_set", [], [""]],
    ["off_scale", [], ["?"]],
    ["other", [], []],
    ["former", ["Fax machine"], []],
  ])("%s %j of a rating holds for the answers %j", (operator, value, codes) => {
    expect(matching(RATINGS, conditionOn(rating, operator, ...value))).toEqual(codes);
  });

  it.each<[PlacedCondition["operator"], string[], string[]]>([
    ["exact", ["Web"], ["0"]],
    ["exact", ["Web", "Fax machine"], ["0", "f0"]],
    ["exact", ["By letter"], ["o*"]],
    ["exact", ["App", "By letter"], ["1", "o*"]],
    ["is_not", ["Web"], ["1", "f0", "o", "o*"]],
    ["is_not", ["By letter"], ["0", "1", "f0", "o"]],
    ["icontains", ["E"], ["0", "f0", "o*"]],
    ["icontains", ["pp", "fax"], ["1", "f0", "o*"]],
    ["not_icontains", ["E"], ["1", "o"]],
    ["is_set", [], ["0", "1", "f0", "o", "o*"]],
    ["is_not_set", [], [""]],
    ["former", ["Fax machine"], ["f0"]],
    ["former", ["Web"], []],
    ["other", [], ["o", "o*"]],
    ["off_scale", [], []],
    ["gte", ["0"], []],
  ])("%s %j of a choice holds for the answers %j", (operator, value, codes) => {
    expect(matching(PICKED, conditionOn(choice, operator, ...value))).toEqual(codes);
  });

  it.each<[PlacedCondition["operator"], string[], string[]]>([
    ["exact", ["App"], ["1", "0,1", "1,f0", "1,o"]],
    ["exact", ["Fax machine"], ["1,f0"]],
    ["exact", ["By letter"], ["0,o*", "o*"]],
    ["exact", ["Web", "By letter"], ["0", "0,1", "0,o*", "o*"]],
    ["is_not", ["App"], ["0", "0,o*", "o*"]],
    ["icontains", ["web"], ["0", "0,1", "0,o*", "o*"]],
    ["not_icontains", ["web"], ["1", "1,f0", "1,o"]],
    ["former", ["Fax machine"], ["1,f0"]],
    ["other", [], ["1,o", "0,o*", "o*"]],
  ])("%s %j of several choices holds for the answers %j", (operator, value, codes) => {
    expect(matching(PICKED_SEVERAL, conditionOn(several, operator, ...value))).toEqual(codes);
  });

  it.each<[PlacedCondition["operator"], string[]]>([
    ["exact", ["1*"]],
    ["is_not", ["1"]],
    ["icontains", ["1*"]],
    ["not_icontains", ["1"]],
    ["is_set", ["1", "1*"]],
    ["is_not_set", [""]],
    ["other", []],
    ["off_scale", []],
  ])("%s of an open question holds for %j", (operator, codes) => {
    expect(matching(WRITTEN, conditionOn(open, operator, "slow"))).toEqual(codes);
  });

  it("of a question that nobody came to yet holds where no answer is asked for", () => {
    const { responses } = columnsWith([{ n: 0, codes: [] }]);
    const holds = (operator: PlacedCondition["operator"]) =>
      rowTestOf(responses, conditionOn(open, operator, "slow"), null)(0);
    expect(
      ["is_not_set", "is_set", "exact", "is_not", "skipped", "reached"].filter((o) => holds(o as "exact")),
    ).toEqual(["is_not_set"]);
  });
});

describe("a condition on the way through the survey", () => {
  const ways: Record<string, TestState> = {
    finished: { n: 0, path: [0, 1], codes: ["9", ""] },
    answeredFinished: { n: 1, path: [0, 1], codes: ["9", "1"] },
    waiting: { n: 2, path: [0, 1], completed: false, codes: ["9", ""] },
    answeredLeft: { n: 3, path: [0, 1], completed: false, codes: ["9", "1"] },
    elsewhere: { n: 4, path: [0, 2], codes: ["9", "", "1"] },
    further: { n: 5, path: [0, 1, 2], completed: false, codes: ["9", "", ""] },
    nowhere: { n: 6, path: [], completed: false, codes: ["", "", ""] },
  };
  const { responses } = columnsWith(Object.values(ways));

  it.each<[PlacedCondition["operator"], string[]]>([
    ["reached", ["finished", "answeredFinished", "waiting", "answeredLeft", "further"]],
    ["left", ["waiting", "answeredLeft"]],
    ["skipped", ["finished", "further"]],
  ])("%s holds for %j", (operator, names) => {
    const test = rowTestOf(responses, { ...conditionOn(open, operator), index: 1 }, null);
    expect(Object.keys(ways).filter((_, row) => test(row))).toEqual(names);
  });
});

describe("the texts that a condition needs", () => {
  const of = (question: CodedQuestion, type: string, form: string) => ({
    index: 0,
    id: question.id,
    type,
    form,
  });

  it.each<[string, PlacedCondition, ReturnType<typeof of> | null, string[]]>([
    ["part of an open answer", conditionOn(open, "icontains", "Slow "), of(open, "open", "whole"), ["Slow "]],
    ["no part", conditionOn(open, "not_icontains", "slow"), of(open, "open", "whole"), ["slow"]],
    ["part of a choice", conditionOn(choice, "icontains", "e"), of(choice, "choice", "whole"), ["e"]],
    ["part of several", conditionOn(several, "icontains", "e"), of(several, "multiple", "parts"), ["e"]],
    ["part of a rating", conditionOn(rating, "icontains", "1"), of(rating, "open", "whole"), ["1"]],
    ["an open answer", conditionOn(open, "exact", " slow "), of(open, "open", "exact"), ["slow"]],
    ["another open answer", conditionOn(open, "is_not", "slow"), of(open, "open", "exact"), ["slow"]],
    [
      "a text of their own",
      conditionOn(choice, "exact", "Web", " By letter"),
      of(choice, "choice", "exact"),
      ["By letter"],
    ],
    ["another of their own", conditionOn(several, "is_not", "x"), of(several, "multiple", "exact"), ["x"]],
    ["a choice that is listed", conditionOn(choice, "exact", "Web"), null, []],
    ["a choice that was listed", conditionOn(choice, "is_not", "Fax machine"), null, []],
    ["a rating", conditionOn(rating, "exact", "9"), null, []],
    ["any answer", conditionOn(open, "is_set"), null, []],
    ["a way", conditionOn(open, "reached"), null, []],
    ["an open answer to nothing", conditionOn(open, "exact"), null, []],
  ])("to find %s", (_, condition, kind, texts) => {
    expect(textNeedOf(condition)).toEqual(kind && { kind, texts });
  });

  it("are found by place where the question has no id", () => {
    const nameless = { ...open, id: undefined };
    expect(textNeedOf(conditionOn(nameless, "icontains", "x"))?.kind.id).toBeNull();
  });
});
