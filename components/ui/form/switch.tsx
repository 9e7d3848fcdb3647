"use client";

import * as Radix from "@radix-ui/react-switch";
import type { ComponentProps } from "react";
import { cn } from "#components/ui/cn.ts";
import { Spinner } from "#components/ui/display/spinner.tsx";
import { useFieldControl } from "./field.tsx";

type SwitchProps = Omit<ComponentProps<typeof Radix.Root>, "children"> & {
  /** Names the switch when no `Field` does. */
  label?: string;
  /** The change is on its way: shown in the knob, presses are ignored, focus stays. */
  pending?: boolean;
};

/** On or off, effective immediately. Use `Checkbox` for what takes effect on save. */
export function Switch({ label, pending = false, className, onCheckedChange, ...props }: SwitchProps) {
  const control = useFieldControl();
  return (
    <Radix.Root
      {...control}
      aria-label={label}
      aria-busy={pending || undefined}
      {...props}
      onCheckedChange={pending ? undefined : onCheckedChange}
      className={cn(
        "touch-target group relative inline-flex h-[1.125rem] w-8 shrink-0 items-center rounded-full border border-transparent bg-line-control p-px transition-colors duration-150 disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:bg-accent forced-colors:border-[ButtonText]",
        className,
      )}
    >
      <Radix.Thumb className="grid size-3.5 place-items-center rounded-full bg-white text-faint shadow-xs transition-transform duration-150 ease-out data-[state=checked]:translate-x-3.5 data-[state=checked]:bg-on-accent data-[state=checked]:text-accent forced-colors:bg-[ButtonText]">
        {pending ? <Spinner className="size-2.5" /> : null}
      </Radix.Thumb>
    </Radix.Root>
  );
}
