import { mergeChanges } from "#components/kit/editor/changes.ts";
import { canonical } from "#lib/platform/canonical.ts";
import type { ChoiceDraft, QuestionDraft } from "./draft.ts";
import type { SurveyDraft } from "./survey-draft.ts";

const same = (one: unknown, other: unknown) => canonical(one) === canonical(other);

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
  if (same(sent, now)) return saved;
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
