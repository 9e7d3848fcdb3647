"use client";

import type { LucideIcon } from "lucide-react";
import { useId } from "react";
import { cn } from "#components/ui/cn.ts";
import { keepForm } from "./keep-form.ts";

type Segment<V extends string> = { value: V; label: string; icon?: LucideIcon };

type SegmentedProps<V extends string> = {
  value: V;
  onValueChange: (value: V) => void;
  options: readonly Segment<V>[];
  /** Names the group. */
  label: string;
  size?: "sm" | "md";
  /** Shows pictures only; the labels still name them. */
  iconsOnly?: boolean;
  className?: string;
};

/** Two to five views or modes, one of which is on. */
export function Segmented<V extends string>(props: SegmentedProps<V>) {
  const { value, onValueChange, options, label, size = "md", iconsOnly = false, className } = props;
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={cn("inline-flex max-w-full shrink-0 gap-0.5 rounded-md border bg-sunken p-0.5", className)}
    >
      {options.map(({ icon: Icon, ...option }) => (
        <label
          key={option.value}
          title={iconsOnly ? option.label : undefined}
          className={cn(
            "relative inline-flex min-w-0 flex-auto items-center justify-center gap-1.5 whitespace-nowrap rounded-sm border border-transparent font-medium text-muted hover:text-ink has-checked:border-line-strong has-checked:bg-surface has-checked:text-ink has-checked:shadow-xs",
            size === "sm" ? "h-6 px-2 text-xs" : "h-7 px-2.5 text-sm",
          )}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onValueChange(option.value)}
            onKeyDown={keepForm}
            aria-label={option.label}
            className="absolute inset-0 cursor-[inherit] appearance-none rounded-sm"
          />
          {Icon ? <Icon aria-hidden="true" className="size-3.5 shrink-0" /> : null}
          {iconsOnly ? null : <span className="truncate">{option.label}</span>}
        </label>
      ))}
    </div>
  );
}
