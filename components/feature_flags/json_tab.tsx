"use client";

import { useState } from "react";
import { Field } from "#components/ui/field.tsx";
import { JsonEditor } from "#components/ui/json-editor.tsx";
import { flagFilters } from "#lib/feature_flags/filters_schema.ts";
import { draftOf, filtersOf } from "./draft.ts";
import type { PlacedProblem } from "./filters_context.tsx";
import { useFilters } from "./filters_context.tsx";
import { completeFilters } from "./json_complete.ts";

type Props = {
  /** Says whether the text can be understood; while it cannot, the form keeps what it understood last. */
  onReadable: (readable: boolean) => void;
};

/** The whole targeting as the API takes it. Whatever is written here, the form keeps, known to it or not. */
export function JsonTab({ onReadable }: Props) {
  const { draft, change, problem, warnings, readOnly } = useFilters();
  const [text, setText] = useState(() => JSON.stringify(filtersOf(draft), null, 2));
  const [own, setOwn] = useState<PlacedProblem | null>(null);

  function type(next: string) {
    setText(next);
    const read = readFilters(next);
    onReadable(read.problem === null);
    setOwn(read.problem);
    if (read.filters) change(() => draftOf(read.filters));
  }
  const shown = own ?? problem;
  return (
    <Field
      label="Targeting as JSON"
      description="Variants, release conditions and payloads, as the API stores them. Members that the form does not know are kept."
      error={shown ? `${placeText(shown.path)}${shown.message}` : undefined}
    >
      <JsonEditor
        value={text}
        onValueChange={type}
        readOnly={readOnly}
        minLines={16}
        complete={completeFilters}
        problems={[
          ...(shown && shown.path.length > 0 ? [{ message: shown.message, path: shown.path }] : []),
          ...warnings.map((warning) => ({
            message: warning.message,
            severity: "warning" as const,
            path:
              warning.set === null
                ? []
                : ["groups", warning.set, ...(warning.row === null ? [] : ["properties", warning.row])],
          })),
        ]}
      />
    </Field>
  );
}

const placeText = (path: PlacedProblem["path"]) => (path.length > 0 ? `${path.join(" › ")}: ` : "");

type Read =
  | { filters: ReturnType<typeof flagFilters.parse>; problem: null }
  | { filters: null; problem: PlacedProblem };

/** Filters from a text, or why they are none. */
function readFilters(text: string): Read {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const message = `Not valid JSON: ${error instanceof Error ? error.message : "it cannot be read"}`;
    return { filters: null, problem: { path: [], message } };
  }
  const parsed = flagFilters.safeParse(json);
  // The value as it was written, not as the schema gives it back: nothing may be lost.
  if (parsed.success) return { filters: json as typeof parsed.data, problem: null };
  const issue = parsed.error.issues[0];
  return {
    filters: null,
    problem: {
      path: (issue?.path ?? []).map((part) => (typeof part === "number" ? part : String(part))),
      message: issue?.message ?? "These are no filters.",
    },
  };
}
