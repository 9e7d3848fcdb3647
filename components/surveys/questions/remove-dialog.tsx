"use client";

import { useState } from "react";
import { answerLabel, END, referrersOf, type Target } from "#components/surveys/draft/draft.ts";
import { answersOf } from "#components/surveys/draft/edit-effects.ts";
import { questionName } from "#components/surveys/draft/flow-words.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { plural } from "#lib/platform/format.ts";
import { TargetSelect } from "./target-select.tsx";

type Props = { uid: string; onClose: () => void; onConfirm: (instead: Target) => void };

/**
 * Shows how many recorded answers a deletion affects, and asks where answers that led to the question should
 * lead.
 */
export function RemoveDialog({ uid, onClose, onConfirm }: Props) {
  const { draft, effects } = useBuilder();
  const { questions } = draft;
  const place = questions.findIndex((question) => question.uid === uid);
  const following = questions[place + 1]?.uid;
  const [instead, setInstead] = useState<Target>(following ? { to: "question", uid: following } : END);
  const referrers = referrersOf(questions, uid);
  const answers = answersOf(effects.found, questions[place]);
  const removed =
    answers > 0
      ? `${plural(answers, "recorded answer")} to it will no longer be in the results once you save.`
      : null;
  const leading =
    referrers.length === 0
      ? null
      : `${referrers.length === 1 ? "1 answer leads" : `${referrers.length} answers lead`} here, and would lead nowhere.`;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Delete question ${place + 1}?`}
      description={[removed, leading, "You can undo this."].filter((text) => text !== null).join(" ")}
      confirmLabel="Delete question"
      danger
      onConfirm={() => {
        onConfirm(instead);
        return undefined;
      }}
    >
      {referrers.length > 0 ? (
        <>
          <ul
            aria-label="Answers that lead here"
            className="max-h-40 divide-y overflow-y-auto rounded-md border bg-sunken text-xs scroll-thin"
          >
            {referrers.map(({ uid: from, answer }) => {
              const question = questions.find((each) => each.uid === from);
              return (
                <li key={`${from} ${answer}`} className="px-3 py-1.5">
                  <span className="break-words font-medium">{questionName(questions, from)}</span>
                  <span className="block break-words text-muted">
                    {answer && question ? answerLabel(question, answer) : "every answer"}
                  </span>
                </li>
              );
            })}
          </ul>
          <Field label="Lead them to">
            <TargetSelect label="Lead them to" value={instead} onValueChange={setInstead} except={uid} />
          </Field>
        </>
      ) : null}
    </ConfirmDialog>
  );
}
