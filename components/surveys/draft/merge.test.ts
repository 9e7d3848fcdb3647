import { describe, expect, it } from "vitest";
import type { SentQuestion } from "#lib/engines/branching/question.ts";
import { mergeSurveys } from "./merge.ts";
import { bodyOf, newDraft, type SurveyBody } from "./survey-draft.ts";

const open = (id: string, question = id): SentQuestion => ({ id, type: "open", question });
const bodyWith = (questions: SentQuestion[], more: Partial<SurveyBody> = {}): SurveyBody => ({
  ...bodyOf(newDraft({ name: "Pulse" }, questions)),
  ...more,
});
const leadingTo = (question: SentQuestion, index: number): SentQuestion => ({
  ...question,
  branching: { type: "specific_question", index },
});

const base = bodyWith([open("a"), open("b"), open("c")]);
const textsOf = ({ questions }: SurveyBody) => questions.map(({ question }) => question);

describe("two people's changes of the same survey", () => {
  it("of different questions and fields are both kept", () => {
    const { merged, meets } = mergeSurveys(
      base,
      bodyWith([open("a", "Theirs"), open("b"), open("c")], { name: "Pulse of May" }),
      bodyWith([open("a"), open("b"), open("c", "Mine")], { description: "New" }),
    );
    expect(textsOf(merged)).toEqual(["Theirs", "b", "Mine"]);
    expect(merged).toMatchObject({ name: "Pulse of May", description: "New" });
    expect(meets).toBe(false);
  });

  it("of the same question end as one's own, and meet", () => {
    const theirs = bodyWith([open("a", "Theirs"), open("b"), open("c")]);
    const { merged, meets } = mergeSurveys(base, theirs, bodyWith([open("a", "Mine"), open("b"), open("c")]));
    expect([textsOf(merged), meets]).toEqual([["Mine", "b", "c"], true]);
    expect(mergeSurveys(base, theirs, theirs).meets).toBe(false);
  });

  it("that add, remove and move questions are both kept, each where it was put", () => {
    const { merged, meets } = mergeSurveys(
      base,
      bodyWith([open("a"), open("x"), open("c")]),
      bodyWith([open("c"), open("a"), open("b"), { type: "open", question: "New" }]),
    );
    expect(textsOf(merged)).toEqual(["c", "a", "x", "New"]);
    expect(meets).toBe(false);
  });

  it("keep a question that one changed and the other removed only where it is one's own", () => {
    const changed = bodyWith([open("a"), open("b", "Changed"), open("c")]);
    const removed = bodyWith([open("a"), open("c")]);
    expect(textsOf(mergeSurveys(base, removed, changed).merged)).toEqual(["a", "Changed", "c"]);
    expect(textsOf(mergeSurveys(base, changed, removed).merged)).toEqual(["a", "c"]);
    expect(mergeSurveys(base, changed, removed).meets).toBe(true);
  });

  it("lead to the same questions as before, wherever these stand now", () => {
    const start = bodyWith([leadingTo(open("a"), 2), open("b"), open("c")]);
    const { merged, meets } = mergeSurveys(
      start,
      bodyWith([leadingTo(open("a"), 3), open("x"), open("b"), open("c")]),
      bodyWith([leadingTo(open("a"), 2), open("b", "Mine"), open("c")]),
    );
    expect(textsOf(merged)).toEqual(["a", "x", "Mine", "c"]);
    expect(merged.questions[0]?.branching).toEqual({ type: "specific_question", index: 3 });
    expect(meets).toBe(false);
  });

  it("of a field that both changed meet, unless to the same", () => {
    const [one, other] = [
      bodyWith(base.questions, { name: "One" }),
      bodyWith(base.questions, { name: "Other" }),
    ];
    expect([mergeSurveys(base, one, other).meets, mergeSurveys(base, one, one).meets]).toEqual([true, false]);
    expect(mergeSurveys(base, one, other).merged.name).toBe("Other");
  });
});
