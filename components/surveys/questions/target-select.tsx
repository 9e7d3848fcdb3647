"use client";

import { END, NEXT, type Target } from "#components/surveys/draft/draft.ts";
import { questionName, targetName } from "#components/surveys/draft/flow-words.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { Select } from "#components/ui/form/select.tsx";

type Props = {
  value: Target;
  onValueChange: (target: Target) => void;
  /** Names it: "Detractors lead to". */
  label: string;
  /** Identity of a question that cannot be the target. */
  except?: string;
  disabled?: boolean;
  className?: string;
};

const keyOf = (target: Target) => (target.to === "question" ? `q:${target.uid}` : target.to);

/** Where an answer leads: on to the next, to the end, or to any question. */
export function TargetSelect({ value, onValueChange, label, except, disabled, className }: Props) {
  const { questions } = useBuilder().draft;
  const options = [
    { value: "next", label: "Next question", description: "In list order" },
    { value: "end", label: "End of the survey" },
    ...questions
      .filter((question) => question.uid !== except)
      .map((question) => ({ value: `q:${question.uid}`, label: questionName(questions, question.uid) })),
    ...(value.to === "other" ? [{ value: "other", label: targetName(questions, value) }] : []),
  ];
  return (
    <Select
      label={label}
      {...(className && { className })}
      disabled={disabled ?? false}
      value={keyOf(value)}
      options={options}
      onValueChange={(key) => {
        if (key === "next") onValueChange(NEXT);
        else if (key === "end") onValueChange(END);
        else if (key.startsWith("q:")) onValueChange({ to: "question", uid: key.slice(2) });
      }}
    />
  );
}
