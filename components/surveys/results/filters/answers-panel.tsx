"use client";

import { Plus, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { type Operator, operatorsFor } from "#components/surveys/question-kinds.tsx";
import { Button } from "#components/ui/button.tsx";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { ruledBy } from "#lib/engines/branching/answers.ts";
import { bucketsOf, rangeOf } from "#lib/engines/branching/branching.ts";
import type { StoredQuestion } from "#lib/engines/branching/question.ts";
import type { AnswerCondition } from "#lib/surveys/results/filters-schema.ts";
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

type Row = { uid: number; condition: AnswerCondition };

type Props = {
  questions: readonly StoredQuestion[];
  answers: readonly AnswerCondition[];
  pending: boolean;
  onApply: (answers: AnswerCondition[]) => void;
  onClose: () => void;
};

/** The answer filter: conditions on questions, all of which must hold. */
export function AnswersPanel({ questions, answers, pending, onApply, onClose }: Props) {
  const first = questions[0];
  const form = useRef<HTMLFormElement>(null);
  const [rows, setRows] = useState<Row[]>(() => {
    const begin = answers.length > 0 ? answers : first ? [newCondition(first)] : [];
    return begin.map((condition, uid) => ({ uid, condition }));
  });
  const whole = rows.every(({ condition }) => isWhole(condition));
  const change = (uid: number, condition: AnswerCondition) =>
    setRows(rows.map((row) => (row.uid === uid ? { uid, condition } : row)));
  return (
    <form
      ref={form}
      aria-label="Filter by answers"
      className="rounded-lg border bg-surface p-3 shadow-card"
      onSubmit={(event) => {
        event.preventDefault();
        if (whole) onApply(rows.map((row) => row.condition));
      }}
    >
      <ul aria-label="Conditions on answers" className="flex flex-col gap-2">
        {rows.map((row, place) => (
          <RowFields
            key={row.uid}
            place={place}
            condition={row.condition}
            questions={questions}
            onChange={(condition) => change(row.uid, condition)}
            onRemove={() => {
              form.current?.querySelector<HTMLElement>("[data-add]")?.focus();
              setRows(rows.filter((each) => each.uid !== row.uid));
            }}
          />
        ))}
      </ul>
      {first ? (
        <Button
          size="sm"
          variant="ghost"
          icon={Plus}
          data-add=""
          className="mt-2"
          onClick={() =>
            setRows([
              ...rows,
              { uid: Math.max(-1, ...rows.map((row) => row.uid)) + 1, condition: newCondition(first) },
            ])
          }
        >
          Add a condition
        </Button>
      ) : null}
      <div className="mt-3 flex flex-wrap items-center gap-2 border-t pt-3">
        <Button size="sm" type="submit" variant="primary" loading={pending} disabled={!whole}>
          {rows.length === 0 ? "Show all responses" : "Show these responses"}
        </Button>
        <Button size="sm" variant="ghost" onClick={onClose}>
          Close
        </Button>
        {whole ? null : <span className="text-faint text-xs">Complete every row first.</span>}
      </div>
    </form>
  );
}

type RowProps = {
  place: number;
  condition: AnswerCondition;
  questions: readonly StoredQuestion[];
  onChange: (condition: AnswerCondition) => void;
  onRemove: () => void;
};

function RowFields({ place, condition, questions, onChange, onRemove }: RowProps) {
  const question = questions.find((each) => each.id === condition.question_id);
  const operators = operatorsOf(question);
  const row = `condition ${place + 1}`;
  return (
    <li className="grid items-start gap-2 sm:grid-cols-[minmax(0,3fr)_minmax(9rem,2fr)_minmax(0,3fr)_auto]">
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
    </li>
  );
}

const keepsValue = (before: AnswerCondition["operator"], after: AnswerCondition["operator"]) =>
  (before === "exact" || before === "is_not") && (after === "exact" || after === "is_not");

type ValueProps = Pick<RowProps, "condition" | "onChange"> & {
  row: string;
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
