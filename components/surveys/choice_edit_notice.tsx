"use client";

import { plural } from "#components/survey_results/words.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { RadioCards } from "#components/ui/radio-cards.tsx";
import { useBuilder } from "./builder_context.tsx";
import type { ChoiceDraft, QuestionDraft } from "./draft.ts";
import { addChoice, replaceChoice } from "./edit_draft.ts";
import { editedChoice, effectOn, meaningLost, removedChoices } from "./edit_effects.ts";

type Props = { question: QuestionDraft; choice: ChoiceDraft; place: number };

const are = (count: number) => (count === 1 ? "is" : "are");

/** Says how many answers a choice has whose text is edited, and asks what becomes of them. */
export function ChoiceEditNotice({ question, choice, place }: Props) {
  const { effects, changeQuestions } = useBuilder();
  const edited = editedChoice(effectOn(effects.found, question), choice);
  if (!edited) return null;
  const answers = plural(edited.answers, "answer");
  return (
    <div className="my-1 ml-6 flex flex-col gap-2 rounded-md border border-info-line bg-info-soft p-2.5">
      <p role="status" className="break-words text-ink text-xs">
        {`${answers} ${are(edited.answers)} recorded for “${edited.before}”.`}
      </p>
      <RadioCards
        label={`What becomes of the answers for choice ${place + 1}`}
        value={choice.replaces === undefined ? "correct" : "replace"}
        columns={2}
        options={[
          {
            value: "correct",
            label: "Correct the wording",
            description: `It is the same choice: ${edited.answers === 1 ? "its answer is" : `its ${answers} are`} kept.`,
          },
          {
            value: "replace",
            label: "Replace the choice",
            description: `The new one starts from zero; ${edited.answers === 1 ? "the answer stays" : `the ${answers} stay`} under a former choice.`,
          },
        ]}
        onValueChange={(value) =>
          changeQuestions((each) => replaceChoice(each, question.uid, choice.uid, value === "replace"))
        }
      />
    </div>
  );
}

/** Choices with answers that were taken out of the list, and the way back. */
export function RemovedChoices({ question }: { question: QuestionDraft }) {
  const { effects, changeQuestions, readOnly } = useBuilder();
  const removed = removedChoices(effectOn(effects.found, question), question);
  if (removed.length === 0) return null;
  return (
    <ul aria-label="Removed choices with answers" className="flex flex-col gap-1.5">
      {removed.map(({ choice_id, before, answers }) => (
        <li
          key={choice_id}
          className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 rounded-md border border-warning-line bg-warning-soft px-2.5 py-1.5 text-xs"
        >
          <span className="min-w-0 flex-1 basis-56 break-words text-ink">
            {`“${before}” is removed. ${answers === 1 ? "Its answer stays" : `Its ${plural(answers, "answer")} stay`} in the results under a former choice.`}
          </span>
          {readOnly ? null : (
            <Button
              size="sm"
              onClick={() => changeQuestions((each) => addChoice(each, question.uid, before, choice_id))}
            >
              Put back
              <span className="sr-only"> “{before}”</span>
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Says how many answers another type or another scale takes their meaning from. */
export function MeaningNotice({ question }: { question: QuestionDraft }) {
  const { effects } = useBuilder();
  const text = effects.isCurrent ? meaningLost(effectOn(effects.found, question), question.raw.type) : null;
  if (text === null) return null;
  return (
    <Callout tone="warning" live>
      {text}
    </Callout>
  );
}
