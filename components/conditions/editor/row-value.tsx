"use client";

import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import { ValuesPicker } from "./pickers.tsx";
import { kindOfOperator, valuesOf } from "./property-kinds.ts";

type Props = {
  row: FlagProperty;
  label: string;
  invalid: boolean;
  onValueChange: (value: unknown) => void;
};

/** The value to compare with, in the form that the operator needs. */
export function RowValue(props: Props) {
  const { row, label, invalid, onValueChange } = props;
  const operator = row.operator ?? "exact";
  const kind = kindOfOperator(operator);
  const text = valuesOf(row.value)[0] ?? "";
  const shared = {
    "aria-label": label,
    "aria-invalid": invalid || undefined,
    value: text,
    onChange: (event: { target: { value: string } }) => onValueChange(event.target.value),
  };
  if (kind === "presence") return null;
  if (kind === "any" || kind === "texts")
    return (
      <ValuesPicker
        property={row.key}
        groupTypeIndex={row.type === "group" ? (row.group_type_index ?? 0) : null}
        values={valuesOf(row.value)}
        label={label}
        onValuesChange={onValueChange}
      />
    );
  if (kind === "number") return <Input {...shared} inputMode="decimal" placeholder="10" />;
  if (kind === "date") return <DateValue {...props} text={text} />;
  if (kind === "regex") return <Input {...shared} mono spellCheck={false} placeholder="@acme\.com$" />;
  return (
    <Input {...shared} spellCheck={false} placeholder={operator.startsWith("semver") ? "2.4.0" : "Text…"} />
  );
}

const RELATIVE = /^-?(\d+)([hdwmy])$/;
const UNITS = [
  { value: "h", label: "hours ago" },
  { value: "d", label: "days ago" },
  { value: "w", label: "weeks ago" },
  { value: "m", label: "months ago" },
  { value: "y", label: "years ago" },
] as const;

const WAYS = [
  { value: "fixed", label: "a date" },
  { value: "relative", label: "time ago" },
] as const;

/** A day on the calendar, or so long ago, counted back from the moment of evaluation. */
function DateValue({ label, invalid, text, onValueChange }: Props & { text: string }) {
  const relative = RELATIVE.exec(text);
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) || text === "";
  return (
    <div className="flex min-w-0 flex-wrap gap-2">
      <Select
        label={`${label}: kind of date`}
        value={relative ? "relative" : "fixed"}
        onValueChange={(way) => onValueChange(way === "relative" ? "-7d" : "")}
        options={WAYS}
        className="w-28"
      />
      {relative ? (
        <>
          <Input
            aria-label={label}
            aria-invalid={invalid || undefined}
            inputMode="numeric"
            className="w-16"
            value={relative[1]}
            onChange={(event) =>
              onValueChange(`-${event.target.value.replace(/\D/g, "").slice(0, 4) || "0"}${relative[2]}`)
            }
          />
          <Select
            label={`${label}: unit`}
            value={relative[2] as (typeof UNITS)[number]["value"]}
            onValueChange={(unit) => onValueChange(`-${relative[1]}${unit}`)}
            options={UNITS}
            className="w-32"
          />
        </>
      ) : (
        <Input
          aria-label={label}
          aria-invalid={invalid || undefined}
          type={day ? "date" : "text"}
          className="w-44 flex-1"
          value={text}
          onChange={(event) => onValueChange(event.target.value)}
        />
      )}
    </div>
  );
}
