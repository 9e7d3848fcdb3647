import { ruledBy } from "#lib/engines/branching/answers.ts";
import { asQuestion } from "#lib/engines/branching/question.ts";
import { plural } from "#lib/platform/format.ts";
import type { ChoiceEffect, EditEffects, QuestionEffect } from "#lib/surveys/results/effects-schema.ts";
import { kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import { type ChoiceDraft, type QuestionDraft, questionsOf } from "./draft.ts";

/** The parts of the questions that decide where answers go; missing texts are filled in. */
export const previewOf = (drafts: readonly QuestionDraft[]) =>
  questionsOf(drafts).map(({ id, type, scale, hasOpenChoice, choices, choice_ids }) => ({
    id,
    question: "…",
    type,
    scale,
    hasOpenChoice,
    ...(Array.isArray(choices) && { choices: choices.map((text) => String(text).trim() || "…"), choice_ids }),
  }));

/**
 * The effect of an edit on the answers to a question; undefined while unknown, or for a new question.
 */
export const effectOn = (
  effects: EditEffects | undefined,
  question: QuestionDraft,
): QuestionEffect | undefined =>
  effects?.questions.find((each) => each.question_id !== "" && each.question_id === question.raw.id);

/** The number of stored answers of a question; 0 while unknown. */
export const answersOf = (effects: EditEffects | undefined, question: QuestionDraft | undefined): number =>
  (question && effectOn(effects, question)?.answers) ?? 0;

/** A stored choice with answers. */
type Answered = ChoiceEffect & { choice_id: string; before: string };

const isAnswered = (choice: ChoiceEffect): choice is Answered =>
  choice.choice_id !== null && choice.before !== null && choice.answers > 0 && choice.change !== "restored";

/** The stored choice whose answers an edit of this choice affects; undefined if none. */
export function editedChoice(effect: QuestionEffect | undefined, choice: ChoiceDraft): Answered | undefined {
  const id = choice.replaces ?? choice.id;
  const stored = effect?.choices.filter(isAnswered).find((each) => each.choice_id === id);
  const isEdited = choice.replaces !== undefined || stored?.before.trim() !== choice.text.trim();
  return isEdited ? stored : undefined;
}

/** Stored choices with answers that were removed and not replaced. */
export function removedChoices(effect: QuestionEffect | undefined, question: QuestionDraft): Answered[] {
  const there = new Set(question.choices?.map((choice) => choice.replaces ?? choice.id));
  return effect?.choices.filter(isAnswered).filter(({ choice_id }) => !there.has(choice_id)) ?? [];
}

/** The effect of another type or scale on stored answers; null if nothing is lost. */
export function meaningLost(effect: QuestionEffect | undefined, type: unknown): string | null {
  if (!effect || effect.answers === 0 || (effect.change !== "type" && effect.change !== "scale")) return null;
  const recorded = `${plural(effect.answers, "answer")} ${effect.answers === 1 ? "is" : "are"} recorded for this question`;
  const lost = plural(effect.unreadable, "answer");
  if (effect.change === "scale")
    return `${recorded} on another scale. On the new scale, ${effect.unreadable === 0 ? "all of them count" : `${lost} ${effect.unreadable === 1 ? "does" : "do"} not fit and will be left out of the figures`}.`;
  const asked = asQuestion({ type });
  if (kindOf(asked).figures(asked) === "choice")
    return effect.unreadable === 0
      ? null
      : `${recorded} as another type. ${lost} ${effect.unreadable === 1 ? "matches" : "match"} none of the choices and will be counted as other answers.`;
  if (ruledBy(asked) === "bucket")
    return `${recorded} as another type. ${effect.unreadable === 0 ? "All of them are numbers on the scale" : `${lost} ${effect.unreadable === 1 ? "is" : "are"} not on the scale and will be left out of the figures`}.`;
  return `${recorded} as another type. They stay, but will be counted only as given.`;
}

/** The effects of saving on stored answers, in short sentences; empty if there are none. */
export function effectsSummary({ questions }: EditEffects): string[] {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, n) => all + n, 0);
  const edited = questions.filter(({ change }) => change !== "deleted").flatMap(({ choices }) => choices);
  const choicesThat = (change: ChoiceEffect["change"]) =>
    edited.filter((choice) => choice.change === change && choice.answers > 0);
  const [reworded, removed] = [choicesThat("reworded"), choicesThat("removed")];
  const deleted = questions.filter(({ change, answers }) => change === "deleted" && answers > 0);
  const lost = sum(questions.map(({ unreadable }) => unreadable));
  const answersTo = (of: readonly { answers: number }[]) =>
    plural(sum(of.map(({ answers }) => answers)), "answer");
  return [
    ...(reworded.length > 0
      ? [`${answersTo(reworded)} kept with ${plural(reworded.length, "reworded choice")}`]
      : []),
    ...(removed.length > 0
      ? [`${answersTo(removed)} listed under ${plural(removed.length, "former choice")}`]
      : []),
    ...(deleted.length > 0
      ? [`${answersTo(deleted)} removed from the results with ${plural(deleted.length, "question")}`]
      : []),
    ...(lost > 0 ? [`${plural(lost, "answer")} not matching the new type or scale`] : []),
  ];
}
