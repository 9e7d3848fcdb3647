"use client";

import * as Radix from "@radix-ui/react-progress";
import { cn } from "#components/ui/cn.ts";

type ProgressProps = {
  /** 0 to 1; null while the end is not known. */
  value: number | null;
  label: string;
  /** Read out in place of the percentage: "12,400 of 20,000 people". */
  text?: string;
  className?: string;
};

/** How far a long task is. */
export function Progress({ value, label, text, className }: ProgressProps) {
  const percent = value === null ? null : Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <Radix.Root
      value={percent}
      aria-label={label}
      getValueLabel={text === undefined ? undefined : () => text}
      className={cn("h-1.5 w-full overflow-hidden rounded-full bg-pressed", className)}
    >
      <Radix.Indicator
        className={cn(
          "h-full rounded-full bg-accent transition-[width] duration-300 ease-out",
          percent === null && "w-1/3! animate-shimmer",
        )}
        style={{ width: `${percent ?? 33}%` }}
      />
    </Radix.Root>
  );
}
