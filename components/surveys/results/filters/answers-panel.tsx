"use client";

import { Trash2 } from "lucide-react";
import { type Operator, operatorsFor } from "#components/surveys/question-kinds.tsx";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { ruledBy } from "#lib/engines/branching/answers.ts";
import { bucketsOf, rangeOf } from "#lib/engines/branching/branching.ts";
import type { StoredQuestion } from "#lib/engines/branching/question.ts";
import type { AnswerCondition } from "#lib/surveys/results/filters-schema.ts";
import { ConditionsForm } from "./conditions-form.tsx";
import { ANSWER_WORDS, shortened } from "./filter-words.ts";

/** The operators for answers to a question; buckets only where its scale has some. */
const operatorsOf = (question: StoredQuestion | undefined): readonly Operator[] =>
  operatorsFor(question ?? {}).filter(
    (operator) => operator !== "bucket" || bucketsOf(question?.scale).length > 0,
  );

const ALONE: ReadonlySet<Operator> = new Set([
  "is_set",
  "is_not_set",
  "other",
  "off_scale",
  "reached",
  "skipped",
  "left",
]);

const needsValue = (operator: Operator): boolean => !ALONE.has(operator);

/** The values of a question, in order; none for free text. */
function valuesFor(question: StoredQuestion | undefined, operator: Operator): string[] {
  // The question does not store the texts of its former choices.
  if (!question || operator === "former") return [];
  if (operator === "bucket") return bucketsOf(question.scale);
  const range = ruledBy(question) === "bucket" ? rangeOf(question.scale) : null;
  if (range)
    return Array.from({ length: range.last - range.first + 1 }, (_, place) => String(range.first + place));
  const choices = Array.isArray(question.choices) ? question.choices.map(String) : [];
  return question.hasOpenChoice ? choices.slice(0, -1) : choices;
}

/** A condition to begin with. */
function newCondition(question: StoredQuestion): AnswerCondition {
  return { question_id: question.id, operator: operatorsOf(question)[0] ?? "is_set", value: [] };
}

const isWhole = ({ operator, value }: AnswerCondition): boolean =>
  !needsValue(operator) || (value.length > 0 && value.every((each) => each.trim() !== ""));

type Props = {
  questions: readonly StoredQuestion[];
  answers: readonly AnswerCondition[];
  pending: boolean;
  onApply: (answers: AnswerCondition[]) => void;
  onClose: () => void;
};

/** The answer filter: conditions on questions, all of which must hold. */
export function AnswersPanel({ questions, answers, ...form }: Props) {
  const [first] = questions;
  return (
    <ConditionsForm
      label="Filter by answers"
      listLabel="Conditions on answers"
      conditions={answers}
      blank={first ? newCondition(first) : null}
      isWhole={isWhole}
      {...form}
    >
      {(row) => <RowFields {...row} questions={questions} />}
    </ConditionsForm>
  );
}

type RowProps = {
  row: string;
  condition: AnswerCondition;
  questions: readonly StoredQuestion[];
  onChange: (condition: AnswerCondition) => void;
  onRemove: () => void;
};

function RowFields({ row, condition, questions, onChange, onRemove }: RowProps) {
  const question = questions.find((each) => each.id === condition.question_id);
  const operators = operatorsOf(question);
  return (
    <>
      <Select
        label={`Question of ${row}`}
        value={condition.question_id}
        onValueChange={(id) => {
          const next = questions.find((each) => each.id === id);
          if (next) onChange(newCondition(next));
        }}
        options={questions.map((each, at) => ({
          value: each.id,
          label: `${at + 1}. ${shortened(each.question, 60)}`,
        }))}
      />
      <Select
        label={`Comparison of ${row}`}
        value={condition.operator}
        onValueChange={(operator) =>
          onChange({
            ...condition,
            operator,
            value: keepsValue(condition.operator, operator) ? condition.value : [],
          })
        }
        options={operators.map((operator) => ({ value: operator, label: ANSWER_WORDS[operator] }))}
      />
      {needsValue(condition.operator) ? (
        <Value row={row} condition={condition} question={question} onChange={onChange} />
      ) : (
        <span className="max-sm:hidden" />
      )}
      <IconButton icon={Trash2} label={`Remove ${row}`} onClick={onRemove} />
    </>
  );
}

const keepsValue = (before: AnswerCondition["operator"], after: AnswerCondition["operator"]) =>
  (before === "exact" || before === "is_not") && (after === "exact" || after === "is_not");

type ValueProps = Pick<RowProps, "condition" | "onChange" | "row"> & {
  question: StoredQuestion | undefined;
};

function Value({ row, condition, question, onChange }: ValueProps) {
  const set = (value: string[]) => onChange({ ...condition, value });
  const label = `Value of ${row}`;
  if (condition.operator === "gte" || condition.operator === "lte")
    return (
      <Input
        aria-label={label}
        inputMode="numeric"
        value={condition.value[0] ?? ""}
        onChange={(event) => set([event.target.value.replace(/[^\d-]/g, "").slice(0, 6)])}
      />
    );
  const offered = valuesFor(question, condition.operator);
  if (offered.length === 0 && condition.operator !== "exact")
    return (
      <Input
        aria-label={label}
        placeholder="Text…"
        value={condition.value[0] ?? ""}
        onChange={(event) => set([event.target.value])}
      />
    );
  return (
    <ChipsInput
      label={label}
      values={condition.value}
      onValuesChange={set}
      options={offered.map((value) => ({ value, label: value }))}
      placeholder="Any of…"
    />
  );
}
