"use client";

import { useMemo, useState } from "react";
import {
  draftOfJson,
  jsonOf,
  membersLeftOut,
  type PlacedProblem,
} from "#components/surveys/draft/json-draft.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { JsonEditor } from "#components/ui/form/json-editor.tsx";
import type { JsonComplete } from "#components/ui/form/json-positions.ts";
import { question } from "#lib/surveys/surveys/questions/questions-schema.ts";
import { surveyUpdate } from "#lib/surveys/surveys/schema.ts";

type Shape = Record<string, { meta?: () => { description?: string } | undefined }>;

const keysOf = (shape: Shape) =>
  Object.entries(shape).map(([label, member]) => ({ label, info: member.meta?.()?.description ?? "" }));

/** Not editable here: set by buttons, or computed. */
const ELSEWHERE =
  /^(start_date|archived|current_iteration|iteration_start_dates|response_sampling_daily_limits|remove_targeting_flag|targeting_flag_id|_create)/;

const KEYS: Record<string, ReturnType<typeof keysOf>> = {
  "": keysOf(surveyUpdate.shape as Shape).filter(({ label }) => !ELSEWHERE.test(label)),
  "questions/*": keysOf(question.shape as Shape),
};

const complete: JsonComplete = (path, kind) =>
  kind === "key" ? (KEYS[path.map((part) => (typeof part === "number" ? "*" : part)).join("/")] ?? []) : [];

const placeText = (path: PlacedProblem["path"]) => (path.length > 0 ? `${path.join(" › ")}: ` : "");

/** The whole survey as the API accepts it. The builder preserves everything written here. */
export function JsonTab() {
  const { draft, change, problems, readOnly } = useBuilder();
  const [text, setText] = useState(() => jsonOf(draft));
  const [own, setOwn] = useState<PlacedProblem | null>(null);
  const first = problems[0];
  const place = draft.questions.findIndex((each) => each.uid === first?.uid);
  const placed: PlacedProblem | null = first
    ? {
        path: first.uid ? ["questions", place] : [first.field, ...(first.path ?? [])],
        message: first.message,
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
      description="As the API accepts it. Invalid JSON is not applied. Fields that the builder does not know in questions, conditions and appearance are kept."
      hint={
        leftOut.length > 0 ? (
          <span className="text-warning-text">
            {`Cannot be changed here: ${leftOut.join(", ")}. Use the buttons to launch, stop or archive.`}
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
