"use client";

import { NEXT, referrersOf, type Target } from "#components/surveys/draft/draft.ts";
import {
  addQuestion,
  duplicateQuestion,
  moveQuestion,
  newQuestion,
  type Removal,
  removeQuestion,
  restoreQuestion,
} from "#components/surveys/draft/edit-draft.ts";
import { answersOf } from "#components/surveys/draft/edit-effects.ts";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { QuestionType } from "#lib/engines/branching/question.ts";
import { useBuilder } from "./builder-context.tsx";

/** The actions on questions; branching follows each of them. */
export function useQuestionActions() {
  const { draft, effects, changeQuestions, select, selected, announce, show } = useBuilder();
  const { questions } = draft;

  function removeNow(uid: string, instead: Target) {
    const place = questions.findIndex((question) => question.uid === uid);
    const { drafts, removal } = removeQuestion(questions, uid, instead);
    if (!removal) return;
    changeQuestions(() => drafts);
    offerUndo(removal, place);
  }
  function offerUndo(removal: Removal, place: number) {
    toast.withUndo(
      `Question ${place + 1} was removed`,
      async () => {
        changeQuestions((each) => restoreQuestion(each, removal));
        select(removal.question.uid);
        return undefined;
      },
      `Question ${place + 1} is restored, with what led to it`,
    );
  }
  return {
    move(uid: string, to: number) {
      changeQuestions((each) => moveQuestion(each, uid, to));
      announce(`Question moved to position ${to + 1} of ${questions.length}`);
    },
    duplicate(uid: string) {
      const next = duplicateQuestion(questions, uid);
      const place = next.findIndex((question) => question.uid === uid);
      changeQuestions(() => next);
      select(next[place + 1]?.uid ?? uid);
      announce(`Question ${place + 1} was copied as question ${place + 2}`);
    },
    add(type: QuestionType) {
      const after = selected && questions.at(-1)?.uid !== selected ? selected : null;
      const next = addQuestion(questions, newQuestion(type), after);
      const added = next.find((question) => !questions.includes(question));
      changeQuestions(() => next);
      show("questions");
      if (added) select(added.uid, true);
      announce("A question was added");
    },
    /** Removes a question; `ask` first where answers lead to it, or are recorded for it. */
    remove(uid: string, ask: () => void) {
      const question = questions.find((each) => each.uid === uid);
      if (referrersOf(questions, uid).length > 0 || answersOf(effects.found, question) > 0) ask();
      else removeNow(uid, NEXT);
    },
    removeNow,
  };
}

export type QuestionActions = ReturnType<typeof useQuestionActions>;
