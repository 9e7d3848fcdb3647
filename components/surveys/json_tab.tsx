"use client";

import { useState } from "react";
import { Field } from "#components/ui/field.tsx";
import { JsonEditor } from "#components/ui/json-editor.tsx";
import type { JsonComplete } from "#components/ui/json-positions.ts";
import { question } from "#lib/surveys/questions.ts";
import { surveyUpdate } from "#lib/surveys/schema.ts";
import { useBuilder } from "./builder_context.tsx";
import { draftOfJson, jsonOf, type PlacedProblem } from "./json_draft.ts";

type Shape = Record<string, { meta?: () => { description?: string } | undefined }>;

const keysOf = (shape: Shape) =>
  Object.entries(shape).map(([label, member]) => ({ label, info: member.meta?.()?.description ?? "" }));

const KEYS: Record<string, ReturnType<typeof keysOf>> = {
  "": keysOf(surveyUpdate.shape as Shape),
  "questions/*": keysOf(question.shape as Shape),
};

const complete: JsonComplete = (path, kind) =>
  kind === "key" ? (KEYS[path.map((part) => (typeof part === "number" ? "*" : part)).join("/")] ?? []) : [];

const placeText = (path: PlacedProblem["path"]) => (path.length > 0 ? `${path.join(" › ")}: ` : "");

/** The whole survey as the API takes it. Whatever is written here, the builder keeps, known to it or not. */
export function JsonTab() {
  const { draft, change, problems, readOnly } = useBuilder();
  const [text, setText] = useState(() => jsonOf(draft));
  const [own, setOwn] = useState<PlacedProblem | null>(null);
  const told = problems[0];
  const place = draft.questions.findIndex((each) => each.uid === told?.uid);
  const placed: PlacedProblem | null = told
    ? {
        path: told.uid ? ["questions", place] : [told.field, ...(told.path ?? [])],
        message: told.message,
      }
    : null;
  const shown = own ?? placed;

  function type(next: string) {
    setText(next);
    const read = draftOfJson(next, draft);
    setOwn(read.problem);
    if (read.draft) change(() => read.draft);
  }
  return (
    <Field
      label="Survey as JSON"
      description="As the API takes it. What cannot be read yet is not taken over; members that the builder does not know are kept."
      error={shown ? `${placeText(shown.path)}${shown.message}` : undefined}
    >
      <JsonEditor
        value={text}
        onValueChange={type}
        readOnly={readOnly}
        minLines={20}
        grow
        complete={complete}
        problems={shown && shown.path.length > 0 ? [{ message: shown.message, path: shown.path }] : []}
      />
    </Field>
  );
}
