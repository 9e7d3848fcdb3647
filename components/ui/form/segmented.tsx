"use client";

import * as Radix from "@radix-ui/react-toggle-group";
import type { LucideIcon } from "lucide-react";
import { cn } from "#components/ui/cn.ts";

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
  return (
    <Radix.Root
      type="single"
      value={value}
      onValueChange={(next) => next && onValueChange(next as V)}
      aria-label={label}
      className={cn("inline-flex max-w-full shrink-0 gap-0.5 rounded-md border bg-sunken p-0.5", className)}
    >
      {options.map(({ icon: Icon, ...option }) => (
        <Radix.Item
          key={option.value}
          value={option.value}
          aria-label={iconsOnly ? option.label : undefined}
          title={iconsOnly ? option.label : undefined}
          className={cn(
            "inline-flex min-w-0 flex-auto items-center justify-center gap-1.5 whitespace-nowrap rounded-sm border border-transparent font-medium text-muted hover:text-ink data-[state=on]:border-line-strong data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-xs",
            size === "sm" ? "h-6 px-2 text-xs" : "h-7 px-2.5 text-sm",
          )}
        >
          {Icon ? <Icon aria-hidden="true" className="size-3.5 shrink-0" /> : null}
          {iconsOnly ? null : <span className="truncate">{option.label}</span>}
        </Radix.Item>
      ))}
    </Radix.Root>
  );
}
