"use client";

import { type ComponentProps, type ReactNode, useState } from "react";
import { Field } from "#components/ui/form/field.tsx";
import { JsonEditor } from "#components/ui/form/json/json-editor.tsx";
import { type PlacedProblem, problemText } from "./json.ts";

type EditorProps = ComponentProps<typeof JsonEditor>;

type Props = Pick<EditorProps, "readOnly" | "minLines" | "grow" | "complete"> & {
  label: string;
  description: string;
  /** The text that editing begins with. */
  initial: () => string;
  /** Applies what was typed. Returns why it cannot be, or null. */
  onText: (text: string) => PlacedProblem | null;
  /** What is wrong with the value besides. */
  problem: PlacedProblem | null;
  warnings?: EditorProps["problems"];
  hint?: (text: string) => ReactNode | undefined;
};

/** What is edited as JSON, as the API takes it; text that cannot be used stays here and is not applied. */
export function JsonView({ label, description, initial, onText, problem, warnings, hint, ...editor }: Props) {
  const [text, setText] = useState(initial);
  const [own, setOwn] = useState<PlacedProblem | null>(null);
  const shown = own ?? problem;
  const marks = shown && shown.path.length > 0 ? [{ message: shown.message, path: [...shown.path] }] : [];
  return (
    <Field
      label={label}
      description={description}
      hint={hint?.(text)}
      error={shown ? problemText(shown) : undefined}
    >
      <JsonEditor
        {...editor}
        value={text}
        onValueChange={(next) => {
          setText(next);
          setOwn(onText(next));
        }}
        problems={[...marks, ...(warnings ?? [])]}
      />
    </Field>
  );
}
