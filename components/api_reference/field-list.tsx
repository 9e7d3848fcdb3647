"use client";

import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { Parameter, Schema, Schemas } from "#lib/app/api_reference/document.ts";
import {
  type FieldRow,
  fieldsOf,
  limitsInWords,
  resolved,
  typeInWords,
} from "#lib/app/api_reference/schemas.ts";

const box = "divide-y rounded-md border bg-surface";

type FieldListProps = {
  schema: Schema;
  schemas: Schemas;
  label: string;
  /** Whether these are response fields, where "required" is not useful. */
  given?: boolean;
};

/** The fields of an object; those that hold objects open in place. */
export function FieldList({ schema, schemas, label, given = false }: FieldListProps) {
  return (
    <ul aria-label={label} className={box}>
      {fieldsOf(schema, schemas).map((field) => (
        <Row key={field.name} field={field} schemas={schemas} given={given} />
      ))}
    </ul>
  );
}

/** Parameters of a path or a query. */
export function ParameterList({ parameters, schemas, label }: ParameterProps) {
  return (
    <ul aria-label={label} className={box}>
      {parameters.map((each) => (
        <Row
          key={each.name}
          schemas={schemas}
          given={false}
          field={{
            name: each.name,
            type: typeInWords(each.schema, schemas),
            required: each.required,
            description: each.description,
            limits: limitsInWords(resolved(each.schema, schemas)),
            inner: null,
          }}
        />
      ))}
    </ul>
  );
}

type ParameterProps = { parameters: readonly Parameter[]; schemas: Schemas; label: string };

function Row({ field, schemas, given }: { field: FieldRow; schemas: Schemas; given: boolean }) {
  const [open, setOpen] = useState(false);
  const facts = [field.type, ...field.limits].join(", ");
  return (
    <li className="px-3 py-2 text-xs">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <code className="break-all font-medium text-ink">{field.name}</code>
        <span className="min-w-0 break-words text-faint">{facts}</span>
        {field.required && !given ? <span className="font-medium text-warning-text">required</span> : null}
      </div>
      {field.description ? <p className="mt-0.5 text-pretty text-muted">{field.description}</p> : null}
      {field.inner ? (
        <>
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="mt-1 inline-flex items-center gap-1 rounded-sm text-accent-text hover:underline"
          >
            <ChevronRight
              aria-hidden="true"
              className={`size-3.5 transition-transform ${open ? "rotate-90" : ""}`}
            />
            {open ? "Hide" : "Show"} its fields<span className="sr-only">: {field.name}</span>
          </button>
          {open ? (
            <div className="mt-1.5">
              <FieldList
                schema={field.inner}
                schemas={schemas}
                label={`Fields of ${field.name}`}
                given={given}
              />
            </div>
          ) : null}
        </>
      ) : null}
    </li>
  );
}
