import { changedFields, mergeChanges } from "#components/kit/editor/changes.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { type ChoiceDraft, draftOf, type QuestionDraft, questionsOf, type Target } from "./draft.ts";
import type { SurveyBody, SurveyDraft } from "./survey-draft.ts";

/** What a question says, whatever its place and the places of those that it leads to. */
function contentOf({ raw, choices, branching }: QuestionDraft): string {
  const { branching: _, choices: __, choice_ids: ___, ...members } = raw;
  const nameOf = (key: string) => {
    const choice = choices?.find(({ uid }) => uid === key);
    return choice ? (choice.id ?? choice.text) : key;
  };
  const answers = Object.entries(branching.answers).map(([key, target]): [string, Target] => [
    nameOf(key),
    target,
  ]);
  return canonical({
    members,
    choices: choices?.map(({ id, text }) => [id, text]) ?? null,
    branching: { type: branching.type, target: branching.target, others: branching.others },
    answers: Object.fromEntries(answers),
  });
}

type Questions = ReadonlyMap<string, QuestionDraft>;

const byUid = (drafts: readonly QuestionDraft[]): Questions =>
  new Map(drafts.map((each) => [each.uid, each]));

/** Puts what only the other list has after what stands before it there. */
function withOthers(lead: readonly string[], other: readonly string[]): string[] {
  const merged = [...lead];
  for (const [place, uid] of other.entries()) {
    if (merged.includes(uid)) continue;
    const before = other.slice(0, place).findLast((each) => merged.includes(each));
    merged.splice(before === undefined ? 0 : merged.indexOf(before) + 1, 0, uid);
  }
  return merged;
}

/** Whether I have moved any of the questions that there were. */
function isMoved(base: Questions, mine: Questions): boolean {
  const left = [...base.keys()].filter((uid) => mine.has(uid));
  return canonical(left) !== canonical([...mine.keys()].filter((uid) => base.has(uid)));
}

function mergeQuestions(base: Questions, current: Questions, mine: Questions) {
  const differs = (one: QuestionDraft | undefined, other: QuestionDraft | undefined) =>
    (one && contentOf(one)) !== (other && contentOf(other));
  const order = isMoved(base, mine)
    ? withOthers([...mine.keys()], [...current.keys()])
    : withOthers([...current.keys()], [...mine.keys()]);
  const conflicts: string[] = [];
  const questions = order.flatMap((uid) => {
    const [was, theirs, own] = [base.get(uid), current.get(uid), mine.get(uid)];
    const isOwn = differs(was, own);
    if (isOwn && differs(was, theirs) && differs(own, theirs)) conflicts.push(uid);
    return (isOwn ? own : theirs) ?? [];
  });
  return { questions, conflicts };
}

/**
 * One's own changes on top of somebody else's version: field by field and question by question, one's own win.
 *
 * @param base the version that both began with
 * @returns also whether both changed the same field or question
 */
export function mergeSurveys(
  base: SurveyBody,
  current: SurveyBody,
  mine: SurveyBody,
): { merged: SurveyBody; meets: boolean } {
  const drafts = (body: SurveyBody, whose: string) =>
    byUid(draftOf(body.questions, (place) => `${whose}${place}`));
  const { questions, conflicts } = mergeQuestions(
    drafts(base, "base"),
    drafts(current, "their"),
    drafts(mine, "my"),
  );
  const theirs = new Set(changedFields(base, current));
  const both = changedFields(base, mine).filter(
    (field) =>
      field !== "questions" && theirs.has(field) && canonical(current[field]) !== canonical(mine[field]),
  );
  return {
    merged: { ...mergeChanges(base, current, mine), questions: questionsOf(questions) },
    meets: conflicts.length > 0 || both.length > 0,
  };
}

/** A choice as it is now, with the id that it was saved with. */
function savedChoice(
  sent: ChoiceDraft | undefined,
  saved: ChoiceDraft | undefined,
  now: ChoiceDraft,
): ChoiceDraft {
  const isUndecided = sent?.id === now.id && sent?.replaces === now.replaces;
  return saved && isUndecided ? { uid: now.uid, text: now.text, id: saved.id } : now;
}

function savedQuestion(sent: QuestionDraft, saved: QuestionDraft, now: QuestionDraft): QuestionDraft {
  if (canonical(sent) === canonical(now)) return saved;
  const choiceIn = (question: QuestionDraft, uid: string) =>
    question.choices?.find((each) => each.uid === uid);
  return {
    ...now,
    raw: mergeChanges(sent.raw, saved.raw, now.raw),
    choices:
      now.choices?.map((each) => savedChoice(choiceIn(sent, each.uid), choiceIn(saved, each.uid), each)) ??
      null,
  };
}

/**
 * The form after a save: the saved state, with everything that was changed between sending it and its answer.
 *
 * @param saved the saved state, whose questions and choices have the identities of those that were sent
 */
export function withTypedSince(sent: SurveyDraft, saved: SurveyDraft, now: SurveyDraft): SurveyDraft {
  const find = (questions: readonly QuestionDraft[], uid: string) =>
    questions.find((each) => each.uid === uid);
  return {
    ...mergeChanges(sent, saved, now),
    questions: now.questions.map((each) => {
      const [before, after] = [find(sent.questions, each.uid), find(saved.questions, each.uid)];
      return before && after ? savedQuestion(before, after, each) : each;
    }),
  };
}
