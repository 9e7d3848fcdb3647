"use client";

import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from "react";
import { Field } from "#components/ui/form/field.tsx";
import { JsonEditor } from "#components/ui/form/json/json-editor.tsx";
import { type PlacedProblem, problemText } from "./json.ts";
import { useUnsavedGuard } from "./unsaved-guard.tsx";

type EditorProps = ComponentProps<typeof JsonEditor>;

type Props = Pick<EditorProps, "readOnly" | "minLines" | "grow" | "complete"> & {
  label: string;
  description: string;
  /** The text that editing begins with. */
  initial: () => string;
  /** Applies what was typed. Returns why it cannot be, or null. */
  onText: (text: string) => PlacedProblem | null;
  /** Reports whether what is shown is applied; text that is not goes when this goes. */
  onReadable?: (isReadable: boolean) => void;
  /** What is wrong with the value besides. */
  problem: PlacedProblem | null;
  warnings?: EditorProps["problems"];
  hint?: (text: string) => ReactNode | undefined;
};

/** What is edited as JSON, as the API takes it; text that cannot be used stays here and is not applied. */
export function JsonView(props: Props) {
  const { label, description, initial, onText, onReadable, problem, warnings, hint, ...editor } = props;
  const [text, setText] = useState(initial);
  const [own, setOwn] = useState<PlacedProblem | null>(null);
  // It is nowhere but here: no form knows of it.
  useUnsavedGuard(own !== null);
  const report = useRef(onReadable);
  report.current = onReadable;
  useEffect(() => () => report.current?.(true), []);
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
          const found = onText(next);
          setText(next);
          setOwn(found);
          onReadable?.(found === null);
        }}
        problems={[...marks, ...(warnings ?? [])]}
      />
    </Field>
  );
}
