"use client";

import { X } from "lucide-react";
import { FieldError } from "#components/ui/form/field.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import { plain, rowTokens } from "#lib/people/conditions/words.ts";
import type { RowDraft } from "./draft.ts";
import { changeRow, removeRow } from "./edit-draft.ts";
import { useFilters, useProblemAt } from "./filters-context.tsx";
import { CohortPicker, FlagPicker, PropertyPicker, useFlagAnswers, useProperties } from "./pickers.tsx";
import { kindOfOperator, operatorOptions, propertyTypeOf, withOperator } from "./property-kinds.ts";
import { RowValue } from "./row-value.tsx";
import { Warnings } from "./warning-text.tsx";

type Props = { setUid: string; setPlace: number; row: RowDraft; place: number };

/** One row of a release condition. */
export function RowEditor({ setUid, setPlace, row, place }: Props) {
  const { change, names, warnings, announce } = useFilters();
  const { property } = row;
  const problem = useProblemAt(["groups", setPlace, "properties", place], true);
  const put = (next: FlagProperty) => change((draft) => changeRow(draft, setUid, row.uid, next));
  const where = `set ${setPlace + 1}, row ${place + 1}`;
  const Fields =
    property.type === "cohort" ? CohortFields : property.type === "flag" ? FlagFields : PropertyFields;
  const shown = warnings.filter((warning) => warning.set === setPlace && warning.row === place);
  return (
    <li data-path={`groups/${setPlace}/properties/${place}`} className="flex gap-2">
      <span className="w-11 shrink-0 pt-1.5 text-right text-faint text-xs max-sm:sr-only">
        {place === 0 ? "where" : "and"}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex min-w-0 gap-1">
          <fieldset
            aria-label={`Row ${place + 1}: ${plain(rowTokens(property, names))}`}
            className="grid min-w-0 flex-1 gap-1.5 sm:grid-cols-[minmax(8rem,5fr)_minmax(7.5rem,4fr)_minmax(8rem,7fr)]"
          >
            <Fields row={property} put={put} where={where} invalid={problem !== undefined} />
          </fieldset>
          <IconButton
            icon={X}
            size="md"
            label={`Remove row ${place + 1} of set ${setPlace + 1}`}
            onClick={() => {
              change((draft) => removeRow(draft, setUid, row.uid));
              announce(`Row ${place + 1} removed`);
            }}
          />
        </div>
        <FieldError>{problem}</FieldError>
        <Warnings warnings={shown} />
      </div>
    </li>
  );
}

type FieldsProps = {
  row: FlagProperty;
  put: (row: FlagProperty) => void;
  where: string;
  invalid: boolean;
};

function PropertyFields({ row, put, where, invalid }: FieldsProps) {
  const group = row.type === "group" ? (row.group_type_index ?? 0) : null;
  const seen = useProperties(group);
  const known = seen.data?.results.find((each) => each.name === row.key)?.property_type;
  const operator = row.operator ?? "exact";
  const presence = kindOfOperator(operator) === "presence";
  return (
    <>
      <PropertyPicker
        value={row.key}
        groupTypeIndex={group}
        label={`Property, ${where}`}
        onValueChange={(key, type) => {
          const fits = operatorOptions(propertyTypeOf(type), "").some((each) => each.value === operator);
          const next = propertyTypeOf(type) === "date" ? "is_date_after" : "exact";
          put({ ...(fits ? row : withOperator(row, next)), key });
        }}
      />
      <Select
        label={`Comparison, ${where}`}
        value={operator}
        onValueChange={(next) => put(withOperator(row, next))}
        options={operatorOptions(propertyTypeOf(known), operator, row.key)}
        className={presence ? "sm:col-span-2" : undefined}
      />
      <RowValue
        row={row}
        label={`Value, ${where}`}
        invalid={invalid}
        onValueChange={(value) => put({ ...row, value })}
      />
    </>
  );
}

const MEMBERSHIP = [
  { value: "in", label: "in cohort" },
  { value: "not_in", label: "not in cohort" },
] as const;

function CohortFields({ row, put, where }: FieldsProps) {
  return (
    <>
      <Select
        label={`Membership, ${where}`}
        value={row.operator === "not_in" ? "not_in" : "in"}
        onValueChange={(operator) => put({ ...row, operator })}
        options={MEMBERSHIP}
      />
      <div className="min-w-0 sm:col-span-2">
        <CohortPicker
          label={`Cohort, ${where}`}
          value={String(row.value ?? "")}
          onValueChange={(id) => put({ ...row, value: Number(id) })}
        />
      </div>
    </>
  );
}

function FlagFields({ row, put, where }: FieldsProps) {
  const variants = useFlagAnswers(row.key);
  const answer = typeof row.value === "boolean" ? String(row.value) : `=${String(row.value ?? "")}`;
  const options = [
    { value: "true", label: variants.length > 0 ? "is on, with any variant" : "is on" },
    { value: "false", label: "is off" },
    ...[...new Set([...variants, ...(answer.startsWith("=") ? [answer.slice(1)] : [])])].map((key) => ({
      value: `=${key}`,
      label: `is ${key}`,
    })),
  ];
  return (
    <>
      <div className="min-w-0 sm:col-span-2">
        <FlagPicker
          label={`Flag, ${where}`}
          value={row.key}
          onValueChange={(key) =>
            put({ ...row, key, value: typeof row.value === "boolean" ? row.value : true })
          }
        />
      </div>
      <Select
        label={`Value of the flag, ${where}`}
        value={answer}
        onValueChange={(next) =>
          put({ ...row, value: next.startsWith("=") ? next.slice(1) : next === "true" })
        }
        options={options}
      />
    </>
  );
}
