"use client";

import { Field } from "#components/ui/form/field.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { textOf, useAppearance } from "./builder-context.tsx";

const KINDS = [
  { value: "text", label: "Text" },
  { value: "html", label: "HTML" },
] as const;

/** A longer text of the appearance, as text or as HTML; `kind` is the member that says which. */
export function TextKindField({ label, name, kind }: { label: string; name: string; kind: string }) {
  const { appearance, put, readOnly } = useAppearance();
  const html = appearance[kind] === "html";
  return (
    <Field
      label={label}
      optional
      aside={
        <Segmented
          label={`${label} are`}
          size="sm"
          value={html ? "html" : "text"}
          options={KINDS}
          onValueChange={(next) => !readOnly && put({ [kind]: next })}
        />
      }
    >
      <Textarea
        rows={2}
        mono={html}
        value={textOf(appearance[name])}
        onChange={(event) =>
          // Browsers treat a text without a content type as HTML.
          put({ [name]: event.target.value || undefined, ...(!appearance[kind] && { [kind]: "text" }) })
        }
      />
    </Field>
  );
}
