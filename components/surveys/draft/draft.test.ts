import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextStep } from "#lib/engines/branching/branching.ts";
import type { SentQuestion } from "#lib/engines/branching/question.ts";
import {
  answerKeys,
  answerLabel,
  draftOf,
  END,
  NEXT,
  questionsOf,
  referrersOf,
  type Target,
} from "./draft.ts";
import {
  addChoice,
  addQuestion,
  changeQuestion,
  duplicateQuestion,
  moveChoice,
  moveQuestion,
  newQuestion,
  removeChoice,
  removeQuestion,
  renameChoice,
  replaceChoice,
  restoreQuestion,
  setBranchingType,
  setKind,
  setOpenChoice,
  setScale,
  setTarget,
} from "./edit-draft.ts";

const nps: SentQuestion = {
  id: "nps",
  type: "rating",
  question: "How likely?",
  scale: 10,
  display: "number",
  isNpsQuestion: true,
  branching: {
    type: "response_based",
    responseValues: { detractors: 1, promoters: 2, passives: "end" },
    note: "kept",
  },
};
const why: SentQuestion = { id: "why", type: "open", question: "Why?", branching: { type: "end" } };
const choice: SentQuestion = {
  id: "choice",
  type: "single_choice",
  question: "What next?",
  choices: ["Speed", "Price", "Other"],
  hasOpenChoice: true,
  branching: { type: "response_based", responseValues: { 0: 1, 2: "end", 7: 0 } },
};
const last: SentQuestion = { id: "last", type: "open", question: "Else?", branching: null };
const survey = [nps, why, choice, last];

const to = (uid: string): Target => ({ to: "question", uid });
const orderOf = (drafts: { uid: string }[]) => drafts.map((question) => question.uid);
const branchingOf = (drafts: ReturnType<typeof draftOf>, uid: string) =>
  questionsOf(drafts)[orderOf(drafts).indexOf(uid)]?.branching;

describe("a draft gives back what it was read from", () => {
  it.each<{ name: string; questions: SentQuestion[] }>([
    { name: "rules of every kind, unknown members, rules of no answer", questions: survey },
    {
      name: "a target past the end",
      questions: [{ question: "a", branching: { type: "specific_question", index: 9 } }],
    },
    {
      name: "an index that is a text",
      questions: [{ question: "a", branching: { type: "specific_question", index: "2" } }],
    },
    {
      name: "branching of an unknown kind",
      questions: [{ question: "a", branching: { type: "magic", spell: 1 } }],
    },
    { name: "branching that is no object", questions: [{ question: "a", branching: "end" }] },
    {
      name: "two questions with one id",
      questions: [
        { id: "x", question: "a" },
        { id: "x", question: "b", branching: { type: "specific_question", index: 0 } },
      ],
    },
    {
      name: "choices that are no list",
      questions: [{ question: "a", type: "single_choice", choices: "none" }],
    },
    {
      name: "leftovers of another kind",
      questions: [{ question: "a", branching: { type: "end", index: 3, responseValues: { a: 1 } } }],
    },
  ])("$name", ({ questions }) => {
    expect(questionsOf(draftOf(questions))).toEqual(questions);
  });

  it("for any questions", () => {
    const value = fc.oneof(fc.integer({ min: -1, max: 6 }), fc.constant("end"), fc.string());
    const branching = fc.oneof(
      fc.constant(null),
      fc.record({ type: fc.constantFrom("next_question", "end") }),
      fc.record({ type: fc.constant("specific_question"), index: fc.integer({ min: -2, max: 6 }) }),
      fc.record({
        type: fc.constant("response_based"),
        responseValues: fc.dictionary(fc.constantFrom("0", "1", "promoters", "neutral"), value),
      }),
    );
    const question = fc.record({
      question: fc.string(),
      type: fc.constantFrom("open", "link", "rating", "single_choice", "multiple_choice"),
      scale: fc.constantFrom(2, 3, 5, 7, 10),
      choices: fc.array(fc.string(), { maxLength: 3 }),
      branching,
      extra: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(question, { maxLength: 5 }), (questions) => {
        expect(questionsOf(draftOf(questions))).toEqual(questions);
      }),
    );
  });
});

describe("branching follows its question", () => {
  it("when questions are moved", () => {
    const drafts = moveQuestion(draftOf(survey), "nps", 3);
    expect(orderOf(drafts)).toEqual(["why", "choice", "last", "nps"]);
    expect(branchingOf(drafts, "nps")).toEqual({
      type: "response_based",
      responseValues: { detractors: 0, promoters: 1, passives: "end" },
      note: "kept",
    });
    expect(branchingOf(drafts, "choice")).toMatchObject({ responseValues: { 0: 0, 2: "end" } });
  });

  it("however often they are moved: each named target stays the same question", () => {
    const uids = survey.map((question) => String(question.id));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...uids), fc.nat(3))), (moves) => {
        const drafts = moves.reduce((list, [uid, place]) => moveQuestion(list, uid, place), draftOf(survey));
        const questions = questionsOf(drafts);
        const at = (uid: string) => orderOf(drafts).indexOf(uid);
        expect(nextStep(questions, at("nps"), 3)).toBe(at("why"));
        expect(nextStep(questions, at("nps"), 9)).toBe(at("choice"));
        expect(nextStep(questions, at("choice"), "Speed")).toBe(at("why"));
      }),
    );
  });

  it("when one is put in between", () => {
    const drafts = addQuestion(draftOf(survey), newQuestion("open"), "nps");
    expect(branchingOf(drafts, "nps")).toMatchObject({ responseValues: { detractors: 2, promoters: 3 } });
  });

  it("never takes an added question for one that was read", () => {
    let drafts = draftOf([
      { question: "a" },
      { question: "b", branching: { type: "specific_question", index: 0 } },
    ]);
    for (const after of [null, null]) drafts = addQuestion(drafts, newQuestion("single_choice"), after);
    expect(new Set(orderOf(drafts)).size).toBe(4);
    expect(questionsOf(drafts)[1]?.branching).toEqual({ type: "specific_question", index: 0 });
  });

  it("when choices are moved, renamed, added and removed", () => {
    let drafts = draftOf(survey);
    const speed = drafts[2]?.choices?.[0]?.uid ?? "";
    drafts = moveChoice(drafts, "choice", speed, 1);
    drafts = renameChoice(drafts, "choice", speed, "Faster");
    drafts = addChoice(drafts, "choice", "Support");
    expect(questionsOf(drafts)[2]).toMatchObject({
      choices: ["Price", "Faster", "Support", "Other"],
      branching: { responseValues: { 1: 1, 3: "end" } },
    });
    drafts = removeChoice(drafts, "choice", speed);
    expect(questionsOf(drafts)[2]?.branching).toMatchObject({ responseValues: { 2: "end" } });
  });

  it("when a scale changes: the worst stays the worst", () => {
    const drafts = setScale(draftOf(survey), "nps", 5);
    expect(branchingOf(drafts, "nps")).toMatchObject({
      responseValues: { negative: 1, neutral: "end", positive: 2 },
    });
    expect(branchingOf(setScale(drafts, "nps", 2), "nps")).toMatchObject({
      responseValues: { negative: 1, positive: 2 },
    });
  });
});

describe("a copy", () => {
  it("stands after its question, has no id, and leads where that leads", () => {
    const drafts = duplicateQuestion(draftOf(survey), "nps");
    const copy = questionsOf(drafts)[1];
    expect(copy).not.toHaveProperty("id");
    expect(copy).toMatchObject({
      isNpsQuestion: true,
      branching: { responseValues: { detractors: 2, promoters: 3 } },
    });
    expect(branchingOf(drafts, "nps")).toMatchObject({ responseValues: { detractors: 2, promoters: 3 } });
  });

  it("of choices has rules of its own", () => {
    const drafts = duplicateQuestion(draftOf(survey), "choice");
    const copied = drafts[3];
    const first = copied?.choices?.[0]?.uid ?? "";
    const changed = setTarget(drafts, copied?.uid ?? "", first, END);
    expect(questionsOf(changed)[3]?.branching).toMatchObject({ responseValues: { 0: "end" } });
    expect(questionsOf(changed)[2]?.branching).toMatchObject({ responseValues: { 0: 1 } });
  });
});

describe("what a deletion leaves without a target", () => {
  it("is described", () => {
    const drafts = draftOf(survey);
    const speed = drafts[2]?.choices?.[0]?.uid;
    expect(referrersOf(drafts, "why")).toEqual([
      { uid: "nps", answer: "detractors" },
      { uid: "choice", answer: speed },
    ]);
    expect(referrersOf(drafts, "last")).toEqual([]);
  });

  it.each<{ instead: Target; detractors: unknown }>([
    { instead: NEXT, detractors: undefined },
    { instead: END, detractors: "end" },
    { instead: to("last"), detractors: 2 },
  ])("is led to $instead.to", ({ instead, detractors }) => {
    const { drafts } = removeQuestion(draftOf(survey), "why", instead);
    expect(orderOf(drafts)).toEqual(["nps", "choice", "last"]);
    const values = (branchingOf(drafts, "nps") as { responseValues: Record<string, unknown> }).responseValues;
    expect(values).toEqual({
      promoters: 1,
      passives: "end",
      ...(detractors !== undefined && { detractors }),
    });
  });

  it("comes back with the question, but for what was led elsewhere since", () => {
    const start = draftOf(survey);
    const { drafts, removal } = removeQuestion(start, "why", END);
    if (!removal) throw new Error("nothing was removed");
    expect(questionsOf(restoreQuestion(drafts, removal))).toEqual(survey);
    const later = setTarget(drafts, "nps", "detractors", to("last"));
    const back = restoreQuestion(later, removal);
    expect(branchingOf(back, "nps")).toMatchObject({ responseValues: { detractors: 3 } });
    expect(branchingOf(back, "choice")).toMatchObject({ responseValues: { 0: 1 } });
    expect(restoreQuestion(back, removal)).toEqual(back);
  });

  it("also of a jump without an answer", () => {
    const jump = setTarget(draftOf(survey), "why", null, to("last"));
    const { drafts, removal } = removeQuestion(jump, "last", END);
    expect(branchingOf(drafts, "why")).toEqual({ type: "end" });
    if (!removal) throw new Error("nothing was removed");
    expect(branchingOf(restoreQuestion(drafts, removal), "why")).toEqual({
      type: "specific_question",
      index: 3,
    });
  });
});

describe("rules", () => {
  it("of one answer turn a jump of all into a rule for each", () => {
    let drafts = setTarget(draftOf([nps, why, last]), "nps", null, to("last"));
    expect(branchingOf(drafts, "nps")).toEqual({ type: "specific_question", index: 2, note: "kept" });
    drafts = setTarget(drafts, "nps", "passives", END);
    expect(branchingOf(drafts, "nps")).toEqual({
      type: "response_based",
      responseValues: { detractors: 2, promoters: 2, passives: "end" },
      note: "kept",
    });
  });

  it("are kept while another branching type is selected", () => {
    const ended = setBranchingType(draftOf(survey), "nps", "end");
    expect(branchingOf(ended, "nps")).toEqual({ type: "end", note: "kept" });
    const back = setBranchingType(ended, "nps", "response_based");
    expect(branchingOf(back, "nps")).toMatchObject({ responseValues: { detractors: 1 } });
  });

  it("stay with their question through other kinds", () => {
    const open = setKind(draftOf(survey), "nps", "open");
    expect(answerKeys(open[0] ?? (draftOf([nps])[0] as never))).toEqual([]);
    expect(questionsOf(setKind(open, "nps", "rating"))).toMatchObject(survey);
  });

  it("know their answers by name", () => {
    const [rating, , single] = draftOf(survey);
    if (!rating || !single) throw new Error("no questions");
    expect(answerKeys(rating).map((key) => answerLabel(rating, key))).toEqual([
      "Detractors, 0–6",
      "Passives, 7–8",
      "Promoters, 9–10",
    ]);
    expect(answerKeys(single).map((key) => answerLabel(single, key))).toEqual(["Speed", "Price", "Other"]);
  });
});

describe("ids of choices", () => {
  const stored = { ...choice, branching: null, choice_ids: ["s", "p", "o"] };
  const start = draftOf([stored]);
  const uidOf = (place: number) => start[0]?.choices?.[place]?.uid ?? "";
  const idsOf = (drafts: Parameters<typeof questionsOf>[0]) => questionsOf(drafts)[0]?.choice_ids;

  it("go along when choices are moved, reworded, added, removed and put back", () => {
    let drafts = renameChoice(start, "choice", uidOf(0), "Faster");
    drafts = moveChoice(drafts, "choice", uidOf(0), 1);
    expect(idsOf(drafts)).toEqual(["p", "s", "o"]);
    drafts = addChoice(removeChoice(drafts, "choice", uidOf(1)), "choice", "Support");
    expect(idsOf(drafts)).toEqual(["s", null, "o"]);
    expect(idsOf(addChoice(drafts, "choice", "Price", "p"))).toEqual(["s", null, "p", "o"]);
    expect(idsOf(setOpenChoice(setOpenChoice(start, "choice", false), "choice", true))).toEqual([
      "s",
      "p",
      null,
    ]);
  });

  it("are given up by a choice that is replaced, until it is not", () => {
    const replaced = replaceChoice(start, "choice", uidOf(0), true);
    expect(idsOf(replaced)).toEqual([null, "p", "o"]);
    expect(idsOf(replaceChoice(replaced, "choice", uidOf(0), true))).toEqual([null, "p", "o"]);
    expect(idsOf(replaceChoice(replaced, "choice", uidOf(0), false))).toEqual(["s", "p", "o"]);
  });

  it("are not those of the copy of a question, and not made up for a question without", () => {
    const [, copied] = questionsOf(duplicateQuestion(start, "choice"));
    expect(copied).not.toHaveProperty("choice_ids");
    expect(questionsOf(draftOf([choice]))[0]).not.toHaveProperty("choice_ids");
  });
});

describe("choices", () => {
  it("keep the open one last", () => {
    let drafts = draftOf([last]);
    drafts = setKind(drafts, "last", "multiple_choice");
    drafts = setOpenChoice(drafts, "last", true);
    drafts = addChoice(drafts, "last", "Third");
    const open = drafts[0]?.choices?.at(-1)?.uid ?? "";
    drafts = moveChoice(drafts, "last", open, 0);
    expect(questionsOf(drafts)[0]).toMatchObject({
      hasOpenChoice: true,
      choices: ["", "", "Third", "Other"],
    });
    expect(questionsOf(removeChoice(drafts, "last", open))[0]).toMatchObject({ hasOpenChoice: false });
  });

  it("of questions that are not touched stay the same objects", () => {
    const drafts = draftOf(survey);
    expect(changeQuestion(drafts, "nps", (each) => ({ ...each }))[2]).toBe(drafts[2]);
  });
});
