"use client";

import { useState } from "react";
import { draftOf, filtersOf } from "#components/conditions/editor/draft.ts";
import type { PlacedProblem } from "#components/conditions/editor/filters-context.tsx";
import { useFilters } from "#components/conditions/editor/filters-context.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { JsonEditor } from "#components/ui/form/json-editor.tsx";
import type { JsonComplete, JsonSuggestion } from "#components/ui/form/json-positions.ts";
import { flagFilters, flagGroup, flagProperty, flagVariant } from "#lib/people/conditions/filters-schema.ts";
import { OPERATOR_WORDS } from "#lib/people/conditions/words.ts";

type Shape = Record<string, { meta?: () => { description?: string } | undefined }>;

const keysOf = (shape: Shape): JsonSuggestion[] =>
  Object.entries(shape).map(([label, member]) => ({ label, info: member.meta?.()?.description }));

const at = (path: readonly (string | number)[]) =>
  path.map((part) => (typeof part === "number" ? "*" : part)).join("/");

const KEYS: Record<string, JsonSuggestion[]> = {
  "": keysOf(flagFilters.shape as Shape),
  "groups/*": keysOf(flagGroup.shape as Shape),
  "groups/*/properties/*": keysOf(flagProperty.shape as Shape),
  multivariate: [{ label: "variants", info: "All of them; their shares add up to 100." }],
  "multivariate/variants/*": keysOf(flagVariant.shape as Shape),
};

const texts = (...values: string[]): JsonSuggestion[] => values.map((each) => ({ label: `"${each}"` }));

const VALUES: Record<string, JsonSuggestion[]> = {
  "groups/*/properties/*/type": texts("person", "group", "cohort", "flag"),
  "groups/*/properties/*/operator": Object.entries(OPERATOR_WORDS).map(([name, words]) => ({
    label: `"${name}"`,
    detail: words,
  })),
  "groups/*/rollout_percentage": [{ label: "100" }, { label: "50" }, { label: "null", detail: "everyone" }],
};

/** Completions at a place in the filters, from the API's schema. */
const completeFilters: JsonComplete = (path, kind) => (kind === "key" ? KEYS : VALUES)[at(path)] ?? [];

type Props = {
  /** Reports whether the text is valid; while it is not, the form keeps the last valid value. */
  onReadable: (readable: boolean) => void;
};

/** The whole targeting as API JSON. The form preserves everything, including unknown fields. */
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
      description="Variants, release conditions and payloads, as the API stores them. Fields that the form does not know are kept."
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

/** Parses filters from text, or says why it cannot. */
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
      message: issue?.message ?? "These are not valid filters.",
    },
  };
}
