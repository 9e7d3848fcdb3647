"use client";

import dynamic from "next/dynamic";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { useFieldControl, useFieldLabelId } from "#components/ui/form/field.tsx";
import type { JsonEditorProps } from "./json-editor-view.tsx";

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
