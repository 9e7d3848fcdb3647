"use client";

import * as Radix from "@radix-ui/react-checkbox";
import { Check, Minus } from "lucide-react";
import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "#components/ui/cn.ts";

type CheckboxProps = Omit<ComponentProps<typeof Radix.Root>, "children"> & {
  /** Shown beside the box. Without it give `aria-label`. */
  label?: ReactNode;
  description?: ReactNode;
};

/** Ticked, not ticked, or (`checked="indeterminate"`) partly. */
export function Checkbox({ label, description, className, id: givenId, ...props }: CheckboxProps) {
  const ownId = useId();
  const id = givenId ?? ownId;
  const box = (
    <Radix.Root
      id={id}
      aria-describedby={description ? `${id}-d` : undefined}
      {...props}
      className={cn(
        "touch-target group relative grid size-4 shrink-0 place-items-center rounded-xs border border-line-control bg-surface text-on-accent shadow-xs transition-colors duration-100 hover:border-muted disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:border-accent data-[state=indeterminate]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:bg-accent",
        !label && className,
      )}
    >
      <Radix.Indicator>
        <Check
          aria-hidden="true"
          strokeWidth={3}
          className="size-3 group-data-[state=indeterminate]:hidden"
        />
        <Minus
          aria-hidden="true"
          strokeWidth={3}
          className="hidden size-3 group-data-[state=indeterminate]:block"
        />
      </Radix.Indicator>
    </Radix.Root>
  );
  if (!label) return box;
  return (
    <div className={cn("flex items-start gap-2", className)}>
      <span className="flex h-5 items-center">{box}</span>
      <span className="flex min-w-0 flex-col">
        <label htmlFor={id} className="text-sm">
          {label}
        </label>
        {description ? (
          <span id={`${id}-d`} className="text-muted text-xs">
            {description}
          </span>
        ) : null}
      </span>
    </div>
  );
}
