"use client";

import dynamic from "next/dynamic";
import { cn } from "./cn.ts";
import { useFieldControl, useFieldLabelId } from "./field.tsx";
import type { JsonComplete, JsonProblem } from "./json-positions.ts";
import { Skeleton } from "./skeleton.tsx";

/** The editor is large and only some pages need it: it comes when it is first shown. */
const View = dynamic(async () => (await import("./json-editor-view.tsx")).JsonEditorView, {
  ssr: false,
  loading: () => (
    <div role="status" aria-label="Loading the editor" className="flex flex-col gap-2 p-3">
      <Skeleton className="h-3 w-24" />
      <Skeleton className="ml-4 h-3 w-48" />
      <Skeleton className="h-3 w-8" />
    </div>
  ),
});

export type JsonEditorProps = {
  /** The text as typed; it need not be valid. */
  value: string;
  onValueChange?: (value: string) => void;
  /** Problems beyond the syntax (which the editor finds itself), placed by offset, line, or path in the document. */
  problems?: readonly JsonProblem[];
  /** Names it when no `Field` does. */
  label?: string;
  readOnly?: boolean;
  /** Lines shown when it is empty; it grows with its text to about 30. */
  minLines?: number;
  /** What may stand at a place, for completion while typing. */
  complete?: JsonComplete;
  placeholder?: string;
  /** Grows with its text however long that is: for a page that is about nothing else. */
  grow?: boolean;
  className?: string;
};

/** JSON with colours, brackets, and problems at their lines. Tab moves on, as everywhere; Ctrl+] indents. */
export function JsonEditor({ label, className, minLines = 4, ...props }: JsonEditorProps) {
  const control = useFieldControl();
  const labelId = useFieldLabelId();
  return (
    <div
      className={cn(
        "overflow-hidden rounded-md border border-line-control bg-surface shadow-xs focus-within:border-focus focus-within:outline-2 focus-within:outline-focus has-aria-invalid:border-danger",
        props.readOnly && "bg-sunken",
        className,
      )}
      style={{ minHeight: `${minLines * 1.25 + 1}rem` }}
    >
      <View
        {...props}
        minLines={minLines}
        attributes={{
          id: control.id,
          "aria-label": label,
          "aria-labelledby": label ? undefined : labelId,
          "aria-describedby": control["aria-describedby"],
          "aria-invalid": control["aria-invalid"] ? "true" : undefined,
        }}
      />
    </div>
  );
}
