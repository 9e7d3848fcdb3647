"use client";

import { useMemo, useState } from "react";
import { Field } from "#components/ui/field.tsx";
import { JsonEditor } from "#components/ui/json-editor.tsx";
import type { JsonComplete } from "#components/ui/json-positions.ts";
import { question } from "#lib/surveys/questions.ts";
import { surveyUpdate } from "#lib/surveys/schema.ts";
import { useBuilder } from "./builder_context.tsx";
import { draftOfJson, jsonOf, membersLeftOut, type PlacedProblem } from "./json_draft.ts";

type Shape = Record<string, { meta?: () => { description?: string } | undefined }>;

const keysOf = (shape: Shape) =>
  Object.entries(shape).map(([label, member]) => ({ label, info: member.meta?.()?.description ?? "" }));

/** Not changed here: there are buttons for them, or they are computed. */
const ELSEWHERE =
  /^(start_date|archived|current_iteration|iteration_start_dates|response_sampling_daily_limits|remove_targeting_flag|targeting_flag_id|_create)/;

const KEYS: Record<string, ReturnType<typeof keysOf>> = {
  "": keysOf(surveyUpdate.shape as Shape).filter(({ label }) => !ELSEWHERE.test(label)),
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
  const leftOut = useMemo(() => membersLeftOut(text, draft), [text, draft]);

  function type(next: string) {
    setText(next);
    const read = draftOfJson(next, draft);
    setOwn(read.problem);
    if (read.draft) change(() => read.draft);
  }
  return (
    <Field
      label="Survey as JSON"
      description="As the API takes it. What cannot be read yet is not taken over; what the builder does not know in questions, conditions and appearance is kept."
      hint={
        leftOut.length > 0 ? (
          <span className="text-warning-text">
            {`Not changed from here: ${leftOut.join(", ")}. Launching, stopping and archiving have buttons of their own.`}
          </span>
        ) : undefined
      }
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
