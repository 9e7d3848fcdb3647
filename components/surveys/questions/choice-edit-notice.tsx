"use client";

import type { ChoiceDraft, QuestionDraft } from "#components/surveys/draft/draft.ts";
import { addChoice, replaceChoice } from "#components/surveys/draft/edit-draft.ts";
import {
  editedChoice,
  effectOn,
  meaningLost,
  removedChoices,
} from "#components/surveys/draft/edit-effects.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import { plural } from "#lib/platform/format.ts";

type Props = { question: QuestionDraft; choice: ChoiceDraft; place: number };

const are = (count: number) => (count === 1 ? "is" : "are");

/** Shows how many answers an edited choice has, and asks what happens to them. */
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
        label={`What happens to the answers for choice ${place + 1}`}
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

/** Removed choices with answers, which can be put back. */
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

/** Shows how many answers lose their meaning with another type or scale. */
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
