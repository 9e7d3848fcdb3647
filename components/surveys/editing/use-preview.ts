"use client";

import { useDeferredValue, useMemo, useState } from "react";
import { questionsOf } from "#components/surveys/draft/draft.ts";
import { type Given, type Replay, replay, shortestWayTo } from "#components/surveys/draft/replay.ts";
import type { SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import { checkPaths, type PathReport, type PlayStep } from "#lib/engines/branching/paths.ts";

export type Playing = {
  /** Where answers lead; deferred while typing. */
  report: PathReport;
  /** The answers given in the preview, and where they lead. */
  replay: Replay;
  answer: (log: Given[]) => void;
  /** Plays a path through the survey in the preview. */
  play: (steps: readonly PlayStep[]) => void;
  /** Answers up to a question; false if no answers lead to it. */
  jumpTo: (uid: string) => boolean;
};

/** The preview's answers, replayed whenever the survey changes, and the check of all paths. */
export function usePreview(draft: SurveyDraft): Playing {
  const questions = useDeferredValue(draft.questions);
  const shuffled = draft.appearance?.shuffleQuestions === true;
  const report = useMemo(() => checkPaths(questionsOf(questions), { shuffled }), [questions, shuffled]);
  const [log, answer] = useState<Given[]>([]);
  const found = useMemo(() => replay(draft.questions, log), [draft.questions, log]);
  const play = (steps: readonly PlayStep[]) =>
    answer(
      steps.flatMap(({ question, response }) => {
        const uid = draft.questions[question]?.uid;
        return uid === undefined ? [] : [{ uid, response }];
      }),
    );
  function jumpTo(uid: string): boolean {
    const way = shortestWayTo(
      report.outcomes,
      draft.questions.findIndex((question) => question.uid === uid),
    );
    if (way) play(way);
    return way !== null;
  }
  return { report, replay: found, answer, play, jumpTo };
}
