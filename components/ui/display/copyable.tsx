"use client";

import { Check, Copy } from "lucide-react";
import { cn } from "#components/ui/cn.ts";
import { useCopy } from "#components/ui/copy-button.tsx";

type CopyableProps = {
  /** What is copied, and shown unless there are children. */
  text: string;
  /** What it is, for screen readers: "flag key". */
  label: string;
  mono?: boolean;
  className?: string;
};

/** Text that copies itself when pressed: keys, tokens, identifiers. */
export function Copyable({ text, label, mono = true, className }: CopyableProps) {
  const { copied, copy } = useCopy();
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      aria-label={`Copy ${label} ${text}`}
      onClick={() => copy(text)}
      className={cn(
        "group/copy -mx-1 inline-flex min-h-6 max-w-full items-center gap-1.5 rounded-sm px-1 text-left hover:bg-hover",
        mono && "font-mono text-xs",
        className,
      )}
    >
      <span className="truncate">{text}</span>
      <Icon
        aria-hidden="true"
        className={cn(
          "size-3 shrink-0 text-faint transition-opacity",
          copied ? "text-success-text" : "opacity-60 group-hover/copy:opacity-100",
        )}
      />
      <span aria-live="polite" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </button>
  );
}
