"use client";

import { ArrowRight } from "lucide-react";
import {
  answerKeys,
  answerLabel,
  type BranchingType,
  type QuestionDraft,
  ruleOf,
} from "#components/surveys/draft/draft.ts";
import { setBranchingType, setTarget } from "#components/surveys/draft/edit-draft.ts";
import { problemsAt } from "#components/surveys/draft/flow-words.ts";
import { useBuilder, useProblem } from "#components/surveys/editing/builder-context.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { ProblemText } from "./path-problems.tsx";
import { TargetSelect } from "./target-select.tsx";

const OPTIONS: { value: BranchingType; label: string; description: string }[] = [
  { value: "none", label: "To the next question", description: "In list order" },
  { value: "response_based", label: "Depends on the answer", description: "Each answer has its own path" },
  { value: "specific_question", label: "To one question", description: "Whatever the answer" },
  { value: "end", label: "To the end", description: "The survey ends" },
];

/** Where the answers to a question lead: all of them to one place, or each to its own. */
export function BranchingField({ question }: { question: QuestionDraft }) {
  const { draft, changeQuestions, report, readOnly } = useBuilder();
  const { uid, branching } = question;
  const place = draft.questions.indexOf(question);
  const keys = answerKeys(question);
  const options = [
    ...OPTIONS.filter(
      (each) => each.value !== "response_based" || keys.length > 0 || branching.type === each.value,
    ),
    ...(branching.type === "next_question"
      ? [{ value: "next_question" as const, label: "To the next question, always", description: "As stored" }]
      : []),
    ...(branching.type === "other"
      ? [
          {
            value: "other" as const,
            label: "An unknown rule",
            description: "Kept as stored; continues with the next",
          },
        ]
      : []),
  ];
  const others = Object.keys(branching.others);
  return (
    <div className="flex flex-col gap-3">
      <Select
        label="Where answers lead"
        className="sm:max-w-72"
        disabled={readOnly}
        value={branching.type}
        options={options}
        onValueChange={(type) => changeQuestions((each) => setBranchingType(each, uid, type))}
      />
      {branching.type === "response_based" ? <AnswerRules question={question} keys={keys} /> : null}
      {branching.type === "specific_question" ? (
        <TargetSelect
          label="Lead to"
          className="sm:max-w-72"
          disabled={readOnly}
          value={ruleOf(question, null)}
          onValueChange={(target) => changeQuestions((each) => setTarget(each, uid, null, target))}
        />
      ) : null}
      <FieldError>{useProblem("branching", uid)}</FieldError>
      {branching.type === "response_based" && others.length > 0 ? (
        <Callout tone="warning">
          Rules for answers that this question does not have are kept: {others.join(", ")}.
        </Callout>
      ) : null}
      {problemsAt(report, place)
        .filter((problem) => problem.question === place)
        .map((problem) => (
          <ProblemText key={`${problem.code} ${problem.answer_key}`} problem={problem} />
        ))}
    </div>
  );
}

function AnswerRules({ question, keys }: { question: QuestionDraft; keys: string[] }) {
  const { changeQuestions, readOnly } = useBuilder();
  if (keys.length === 0)
    return <p className="text-muted text-sm">This question type has no answers to branch on.</p>;
  return (
    <ul aria-label="Answers and where they lead" className="flex flex-col gap-2">
      {keys.map((key) => {
        const label = answerLabel(question, key);
        return (
          <li
            key={key}
            className="grid items-center gap-x-2 gap-y-1 sm:grid-cols-[minmax(6rem,2fr)_auto_minmax(0,3fr)]"
          >
            <span className="min-w-0 break-words text-sm">{label}</span>
            <ArrowRight aria-hidden="true" className="size-3.5 text-faint max-sm:hidden" />
            <TargetSelect
              label={`${label} leads to`}
              disabled={readOnly}
              value={ruleOf(question, key)}
              onValueChange={(target) =>
                changeQuestions((each) => setTarget(each, question.uid, key, target))
              }
            />
          </li>
        );
      })}
    </ul>
  );
}
