import { describe, expect, it } from "vitest";
import type { ChoiceEffect, QuestionEffect } from "#lib/surveys/results/effects-schema.ts";
import { draftOf } from "./draft.ts";
import { addChoice, removeChoice, renameChoice, replaceChoice } from "./edit-draft.ts";
import {
  answersOf,
  editedChoice,
  effectsSummary,
  meaningLost,
  previewOf,
  removedChoices,
} from "./edit-effects.ts";

const choiceOf = (choice_id: string, before: string, more: Partial<ChoiceEffect> = {}): ChoiceEffect => ({
  choice_id,
  choice_index: 0,
  change: "kept",
  before,
  after: before,
  answers: 2,
  ...more,
});

const effectOf = (more: Partial<QuestionEffect> = {}): QuestionEffect => ({
  question_id: "q",
  question_index: 0,
  question: "Which?",
  answers: 6,
  change: "kept",
  unreadable: 0,
  choices: [choiceOf("a", "Apple"), choiceOf("p", "Pear"), choiceOf("f", "Fig", { answers: 0 })],
  ...more,
});

const start = draftOf([
  {
    id: "q",
    type: "single_choice",
    question: "Which?",
    choices: ["Apple", "Pear", "Fig"],
    choice_ids: ["a", "p", "f"],
  },
]);
const uidOf = (place: number) => start[0]?.choices?.[place]?.uid ?? "";

describe("an edited choice", () => {
  const editedIn = (drafts: typeof start) =>
    drafts[0]?.choices?.map((choice) => editedChoice(effectOf(), choice)?.before);

  it("is recognised by its text, or because it is replaced; one without answers is free", () => {
    expect(editedIn(start)).toEqual([undefined, undefined, undefined]);
    const reworded = renameChoice(renameChoice(start, "q", uidOf(0), "Apples"), "q", uidOf(2), "Figs");
    expect(editedIn(reworded)).toEqual(["Apple", undefined, undefined]);
    expect(editedIn(replaceChoice(start, "q", uidOf(1), true))).toEqual([undefined, "Pear", undefined]);
    expect(editedIn(addChoice(start, "q", "Kiwi"))).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("is not one that was removed, which can be put back", () => {
    const removedIn = ([question]: typeof start) =>
      question && removedChoices(effectOf(), question).map(({ before }) => before);
    const without = removeChoice(removeChoice(start, "q", uidOf(1)), "q", uidOf(2));
    expect(removedIn(without)).toEqual(["Pear"]);
    expect(removedIn(addChoice(without, "q", "Pear", "p"))).toEqual([]);
    expect(removedIn(replaceChoice(start, "q", uidOf(1), true))).toEqual([]);
  });
});

describe("what is said of an edit", () => {
  it.each<[Partial<QuestionEffect>, string, string | null]>([
    [{}, "rating", null],
    [{ change: "scale", answers: 0 }, "rating", null],
    [
      { change: "scale", unreadable: 4 },
      "rating",
      "6 answers are recorded for this question on another scale. On the new scale, 4 answers do not fit and will be left out of the figures.",
    ],
    [
      { change: "scale", answers: 1 },
      "rating",
      "1 answer is recorded for this question on another scale. On the new scale, all of them count.",
    ],
    [
      { change: "type", unreadable: 1 },
      "rating",
      "6 answers are recorded for this question as another type. 1 answer is not on the scale and will be left out of the figures.",
    ],
    [
      { change: "type", unreadable: 6 },
      "single_choice",
      "6 answers are recorded for this question as another type. 6 answers match none of the choices and will be counted as other answers.",
    ],
    [{ change: "type" }, "multiple_choice", null],
    [
      { change: "type" },
      "open",
      "6 answers are recorded for this question as another type. They stay, but will be counted only as given.",
    ],
  ])("%o as %s", (more, type, text) => {
    expect(meaningLost(effectOf(more), type)).toBe(text);
  });

  it("adds up over the survey, without unanswered questions", () => {
    const questions = [
      effectOf({
        choices: [
          choiceOf("a", "Apple", { change: "reworded" }),
          choiceOf("p", "Pear", { change: "removed", answers: 3 }),
          choiceOf("f", "Fig", { change: "removed", answers: 0 }),
        ],
      }),
      effectOf({ change: "deleted", answers: 1 }),
      effectOf({ change: "scale", unreadable: 2 }),
    ];
    expect(effectsSummary({ responses: 6, questions })).toEqual([
      "2 answers kept with 1 reworded choice",
      "3 answers listed under 1 former choice",
      "1 answer removed from the results with 1 question",
      "2 answers not matching the new type or scale",
    ]);
    expect(effectsSummary({ responses: 6, questions: [effectOf()] })).toEqual([]);
  });

  it("is asked for with texts that the API takes, and known by the id of the question", () => {
    const blank = renameChoice(start, "q", uidOf(0), " ");
    expect(previewOf(blank)).toMatchObject([
      { id: "q", question: "…", choices: ["…", "Pear", "Fig"], choice_ids: ["a", "p", "f"] },
    ]);
    const effects = { responses: 6, questions: [effectOf()] };
    expect(answersOf(effects, start[0])).toBe(6);
    expect(answersOf(effects, draftOf([{ question: "New?" }])[0])).toBe(0);
    expect(answersOf(undefined, start[0])).toBe(0);
  });
});
