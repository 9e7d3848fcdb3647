"use client";

import { Trash2 } from "lucide-react";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import type { FieldCondition } from "#lib/surveys/results/filters-schema.ts";
import { ConditionsForm } from "./conditions-form.tsx";
import { FIELD_WORDS } from "./filter-words.ts";

const OPERATORS = [
  "exact",
  "is_not",
  "icontains",
  "not_icontains",
  "is_set",
  "is_not_set",
] as const satisfies readonly FieldCondition["operator"][];

const needsValue = ({ operator }: FieldCondition) => operator !== "is_set" && operator !== "is_not_set";

const isWhole = (condition: FieldCondition) =>
  condition.name !== "" &&
  (!needsValue(condition) ||
    (condition.value.length > 0 && condition.value.every((each) => each.trim() !== "")));

const takesSeveral = (operator: FieldCondition["operator"]) => operator === "exact" || operator === "is_not";

type Field = { name: string; values: readonly string[] };

type Props = {
  projectId: string;
  surveyId: string;
  fields: readonly FieldCondition[];
  pending: boolean;
  onApply: (fields: FieldCondition[]) => void;
  onClose: () => void;
};

/** The filter by hidden fields, such as the source in the URL of a hosted page. */
export function FieldsPanel({ projectId, surveyId, fields, ...form }: Props) {
  const { data, error } = useEndpoint<typeof surveyResultsContract.fields>(
    "/api/projects/{project_id}/surveys/{id}/fields/",
    { params: { project_id: projectId, id: surveyId } },
  );
  if (!data && !error) return <Skeleton className="h-32 rounded-lg" />;
  const found = data?.fields ?? [];
  const missing = fields.filter(({ name }) => found.every((field) => field.name !== name));
  const known: Field[] = [...found, ...missing.map(({ name }) => ({ name, values: [] }))];
  const [first] = known;
  if (!first)
    return (
      <p className="rounded-lg border bg-surface p-3 text-muted text-sm shadow-card">
        {error
          ? error.message
          : "No response has a hidden field. Parameters in the URL of a hosted survey, such as utm_source, and properties of events that your code sends are recorded as hidden fields."}
      </p>
    );
  return (
    <ConditionsForm
      label="Filter by hidden fields"
      listLabel="Conditions on hidden fields"
      conditions={fields}
      blank={{ name: first.name, operator: "exact", value: [] }}
      isWhole={isWhole}
      {...form}
    >
      {(row) => <RowFields {...row} known={known} />}
    </ConditionsForm>
  );
}

type RowProps = {
  row: string;
  condition: FieldCondition;
  known: readonly Field[];
  onChange: (condition: FieldCondition) => void;
  onRemove: () => void;
};

function RowFields({ row, condition, known, onChange, onRemove }: RowProps) {
  return (
    <>
      <Select
        label={`Field of ${row}`}
        value={condition.name}
        onValueChange={(name) => onChange({ ...condition, name, value: [] })}
        options={known.map(({ name }) => ({ value: name, label: name }))}
      />
      <Select
        label={`Comparison of ${row}`}
        value={condition.operator}
        onValueChange={(operator) => {
          const keeps = takesSeveral(operator) === takesSeveral(condition.operator);
          onChange({ ...condition, operator, value: keeps ? condition.value : [] });
        }}
        options={OPERATORS.map((operator) => ({ value: operator, label: FIELD_WORDS[operator] }))}
      />
      <Value row={row} condition={condition} known={known} onChange={onChange} />
      <IconButton icon={Trash2} label={`Remove ${row}`} onClick={onRemove} />
    </>
  );
}

function Value({ row, condition, known, onChange }: Omit<RowProps, "onRemove">) {
  const label = `Value of ${row}`;
  if (!needsValue(condition)) return <span className="max-sm:hidden" />;
  if (!takesSeveral(condition.operator))
    return (
      <Input
        aria-label={label}
        placeholder="Text…"
        value={condition.value[0] ?? ""}
        onChange={(event) => onChange({ ...condition, value: [event.target.value] })}
      />
    );
  const values = known.find(({ name }) => name === condition.name)?.values ?? [];
  return (
    <ChipsInput
      label={label}
      values={condition.value}
      onValuesChange={(value) => onChange({ ...condition, value })}
      options={values.map((value) => ({ value, label: value }))}
      placeholder="Any of…"
    />
  );
}
