"use client";

import type { ComponentProps } from "react";
import { cn } from "#components/ui/cn.ts";
import { useFieldControl } from "./field.tsx";
import { controlClass } from "./input.tsx";
import { useEarlyText } from "./use-early-text.ts";

type TextareaProps = ComponentProps<"textarea"> & { mono?: boolean };

/** Several lines of text; grows with what is typed where the browser can. */
export function Textarea({ mono, className, ref, ...props }: TextareaProps) {
  const control = useFieldControl();
  const fieldRef = useEarlyText(ref);
  return (
    <textarea
      rows={3}
      {...control}
      {...props}
      ref={fieldRef}
      className={cn(
        controlClass,
        "field-sizing-content min-h-16 max-h-96 resize-y px-2.5 py-1.5",
        mono && "font-mono text-xs",
        className,
      )}
    />
  );
}
