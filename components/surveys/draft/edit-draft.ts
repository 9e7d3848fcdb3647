import { bucketsOf, type RatingBucket } from "#lib/engines/branching/branching.ts";
import type { QuestionType, SentQuestion } from "#lib/engines/branching/question.ts";
import { QUESTION_KINDS } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import {
  answerKeys,
  type BranchingType,
  type ChoiceDraft,
  choicesOf,
  draftOf,
  newUid,
  type QuestionDraft,
  type Referrer,
  referrersOf,
  ruleOf,
  type Target,
} from "./draft.ts";

/** Pure edits of a survey's questions: each returns a new list; unchanged questions stay the same objects. */
type Drafts = readonly QuestionDraft[];

/** The list with one item moved; unchanged if the place does not exist. */
function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const next = [...items];
  if (from < 0 || from >= items.length || to < 0 || to >= items.length) return next;
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

export const changeQuestion = (
  drafts: Drafts,
  uid: string,
  change: (question: QuestionDraft) => QuestionDraft,
): QuestionDraft[] => drafts.map((question) => (question.uid === uid ? change(question) : question));

/** Sets members of the raw record; undefined removes one. */
export const putRaw = (drafts: Drafts, uid: string, members: Record<string, unknown>): QuestionDraft[] =>
  changeQuestion(drafts, uid, (question) => {
    const raw = Object.entries({ ...question.raw, ...members }).filter(([, value]) => value !== undefined);
    return { ...question, raw: Object.fromEntries(raw) as SentQuestion };
  });

const newChoice = (text: string): ChoiceDraft => ({ uid: newUid(), text, id: null });

/** A new question after another one, or at the end. */
export function addQuestion(drafts: Drafts, raw: SentQuestion, after: string | null): QuestionDraft[] {
  const at = after === null ? drafts.length : drafts.findIndex((question) => question.uid === after) + 1;
  return [...drafts.slice(0, at), ...draftOf([raw], newUid), ...drafts.slice(at)];
}

export const moveQuestion = (drafts: Drafts, uid: string, to: number): QuestionDraft[] =>
  moved(
    drafts,
    drafts.findIndex((question) => question.uid === uid),
    to,
  );

/**
 * A copy right after its question. It has no id yet, so that its answers are separate. It has the same
 * targets; loops to itself stay loops to itself.
 */
export function duplicateQuestion(drafts: Drafts, uid: string): QuestionDraft[] {
  return drafts.flatMap((question) => {
    if (question.uid !== uid) return [question];
    const { id: _, choice_ids: __, ...raw } = question.raw;
    const copy = newUid();
    const choices = question.choices?.map(({ text }) => newChoice(text)) ?? null;
    const keys = new Map(question.choices?.map((choice, place) => [choice.uid, choices?.[place]?.uid]));
    const own = (target: Target): Target =>
      target.to === "question" && target.uid === uid ? { to: "question", uid: copy } : target;
    const answers = Object.entries(question.branching.answers).map(([key, target]) => [
      keys.get(key) ?? key,
      own(target),
    ]);
    const branching = {
      ...question.branching,
      target: own(question.branching.target),
      answers: Object.fromEntries(answers),
    };
    return [question, { uid: copy, raw: raw as SentQuestion, choices, branching }];
  });
}

/** A removed question, for undo. */
export type Removal = { question: QuestionDraft; place: number; referrers: Referrer[]; instead: Target };

/**
 * Removes a question; every answer that led to it leads to `instead` from now on.
 *
 * @param instead never the question itself
 */
export function removeQuestion(
  drafts: Drafts,
  uid: string,
  instead: Target,
): { drafts: QuestionDraft[]; removal: Removal | null } {
  const place = drafts.findIndex((question) => question.uid === uid);
  const question = drafts[place];
  if (!question) return { drafts: [...drafts], removal: null };
  const referrers = referrersOf(drafts, uid);
  const led = referrers.reduce(
    (list, { uid: from, answer }) => setTarget(list, from, answer, instead),
    [...drafts],
  );
  return {
    drafts: led.filter((each) => each.uid !== uid),
    removal: { question, place, referrers, instead },
  };
}

const sameTarget = (one: Target, other: Target) => JSON.stringify(one) === JSON.stringify(other);

/** Restores a question; answers that led to it do so again, unless they were changed since. */
export function restoreQuestion(drafts: Drafts, removal: Removal): QuestionDraft[] {
  const { question, place, referrers, instead } = removal;
  if (drafts.some((each) => each.uid === question.uid)) return [...drafts];
  const back: Target = { to: "question", uid: question.uid };
  const led = referrers.reduce(
    (list, { uid, answer }) => {
      const from = list.find((each) => each.uid === uid);
      return from && sameTarget(ruleOf(from, answer), instead) ? setTarget(list, uid, answer, back) : list;
    },
    [...drafts],
  );
  return [...led.slice(0, place), question, ...led.slice(place)];
}

function withTarget(question: QuestionDraft, answer: string | null, target: Target): QuestionDraft {
  const { branching } = question;
  if (answer === null) return { ...question, branching: { ...branching, target } };
  const { [answer]: _, ...rest } = branching.answers;
  const answers = target.to === "next" ? rest : { ...rest, [answer]: target };
  return { ...question, branching: { ...branching, answers } };
}

/**
 * Sets the target of one answer of a question, or (`null`) of all. The branching type follows:
 * `specific_question` for all answers, `response_based` for one.
 */
export function setTarget(
  drafts: Drafts,
  uid: string,
  answer: string | null,
  target: Target,
): QuestionDraft[] {
  return changeQuestion(drafts, uid, (question) => {
    if (answer === null) {
      const type: BranchingType =
        target.to === "end" ? "end" : target.to === "next" ? "none" : "specific_question";
      return { ...question, branching: { ...question.branching, type, target } };
    }
    return withTarget(withRules(question, true), answer, target);
  });
}

/**
 * The question with a rule for each answer: the former target of all, or (unless `afresh`) its earlier rules.
 */
function withRules(question: QuestionDraft, afresh: boolean): QuestionDraft {
  const { branching } = question;
  if (branching.type === "response_based") return question;
  const former = ruleOf(question, null);
  const all = answerKeys(question).map((key) => [key, former] as const);
  const answers = former.to === "next" ? {} : Object.fromEntries(all);
  return {
    ...question,
    branching: {
      ...branching,
      type: "response_based",
      answers: afresh ? answers : { ...answers, ...branching.answers },
    },
  };
}

/** Changes the branching type. Rules of the former type are kept for switching back. */
const setType = (question: QuestionDraft, type: BranchingType): QuestionDraft =>
  type === "response_based"
    ? withRules(question, false)
    : { ...question, branching: { ...question.branching, type } };

export const setBranchingType = (drafts: Drafts, uid: string, type: BranchingType): QuestionDraft[] =>
  changeQuestion(drafts, uid, (question) => setType(question, type));

const ORDER: Record<RatingBucket, number> = {
  negative: 0,
  detractors: 0,
  neutral: 1,
  passives: 1,
  positive: 2,
  promoters: 2,
};

/** Changes the scale: rules move along from worst to worst and from best to best. */
export function setScale(drafts: Drafts, uid: string, scale: number): QuestionDraft[] {
  return changeQuestion(drafts, uid, (question) => {
    const byOrder = new Map(
      bucketsOf(question.raw.scale).map((bucket) => [ORDER[bucket], question.branching.answers[bucket]]),
    );
    const answers: Record<string, Target> = { ...question.branching.answers };
    for (const bucket of bucketsOf(scale)) {
      const target = byOrder.get(ORDER[bucket]);
      if (target) answers[bucket] = target;
    }
    const { scale: _, ...raw } = question.raw;
    return {
      ...question,
      raw: { ...raw, question: question.raw.question, scale },
      branching: { ...question.branching, answers },
    };
  });
}

const setChoices = (drafts: Drafts, uid: string, change: (choices: ChoiceDraft[]) => ChoiceDraft[]) =>
  changeQuestion(drafts, uid, (question) => ({ ...question, choices: change(question.choices ?? []) }));

/**
 * Adds a choice before the open one, which stays last.
 *
 * @param id of a stored choice that is put back; null for a new one
 */
export const addChoice = (
  drafts: Drafts,
  uid: string,
  text: string,
  id: string | null = null,
): QuestionDraft[] =>
  changeQuestion(drafts, uid, (question) => {
    const choices = question.choices ?? [];
    const at =
      question.raw.hasOpenChoice === true && choices.length > 0 ? choices.length - 1 : choices.length;
    return {
      ...question,
      choices: [...choices.slice(0, at), { ...newChoice(text), id }, ...choices.slice(at)],
    };
  });

/** Replaces a stored choice by a new one that starts from zero, or (`replaces` false) undoes that. */
export const replaceChoice = (
  drafts: Drafts,
  uid: string,
  choice: string,
  replaces: boolean,
): QuestionDraft[] =>
  setChoices(drafts, uid, (choices) =>
    choices.map((each) => {
      const stored = each.replaces ?? each.id;
      if (each.uid !== choice || stored === null) return each;
      const { replaces: _, ...rest } = each;
      return replaces ? { ...rest, id: null, replaces: stored } : { ...rest, id: stored };
    }),
  );

export const renameChoice = (drafts: Drafts, uid: string, choice: string, text: string): QuestionDraft[] =>
  setChoices(drafts, uid, (choices) =>
    choices.map((each) => (each.uid === choice ? { ...each, text } : each)),
  );

export const moveChoice = (drafts: Drafts, uid: string, choice: string, to: number): QuestionDraft[] =>
  changeQuestion(drafts, uid, (question) => {
    const choices = question.choices ?? [];
    const lastPlace = choices.length - (question.raw.hasOpenChoice === true ? 2 : 1);
    const from = choices.findIndex((each) => each.uid === choice);
    if (from > lastPlace || to > lastPlace) return question;
    return { ...question, choices: moved(choices, from, to) };
  });

export const removeChoice = (drafts: Drafts, uid: string, choice: string): QuestionDraft[] =>
  changeQuestion(drafts, uid, (question) => {
    const choices = (question.choices ?? []).filter((each) => each.uid !== choice);
    const { [choice]: _, ...answers } = question.branching.answers;
    const wasOpen = question.raw.hasOpenChoice === true && question.choices?.at(-1)?.uid === choice;
    return {
      ...question,
      choices,
      raw: wasOpen ? { ...question.raw, hasOpenChoice: false } : question.raw,
      branching: { ...question.branching, answers },
    };
  });

/** Adds or removes the open choice at the end. */
export const setOpenChoice = (drafts: Drafts, uid: string, open: boolean): QuestionDraft[] =>
  changeQuestion(drafts, uid, (question) => {
    if (open === (question.raw.hasOpenChoice === true)) return question;
    const choices = question.choices ?? [];
    const next = open ? [...choices, newChoice("Other")] : choices.slice(0, -1);
    return { ...question, raw: { ...question.raw, hasOpenChoice: open }, choices: next };
  });

/** A new question of a type. */
export const newQuestion = (type: QuestionType): SentQuestion => ({
  ...QUESTION_KINDS[type].empty,
  type,
  question: "",
});

/** Changes the type; members of the former type stay in the record for switching back. */
export const setKind = (drafts: Drafts, uid: string, type: QuestionType): QuestionDraft[] =>
  changeQuestion(drafts, uid, (question) => {
    const { empty } = QUESTION_KINDS[type];
    const raw: SentQuestion = { ...empty, ...question.raw, type };
    const choices = question.choices ?? choicesOf(empty, newUid());
    return { ...question, raw, choices };
  });
