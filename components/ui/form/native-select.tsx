"use client";

import { ChevronsUpDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "#components/ui/cn.ts";
import { useFieldControl } from "./field.tsx";
import { controlClass } from "./input.tsx";
import type { SelectOption } from "./select.tsx";

type NativeSelectProps = Omit<ComponentProps<"select">, "size"> & { options: readonly SelectOption[] };

/** The browser's own select, for forms that have to work without JavaScript. */
export function NativeSelect({ options, className, ...props }: NativeSelectProps) {
  const control = useFieldControl();
  return (
    <span className={cn("relative flex w-full items-center", className)}>
      <select {...control} {...props} className={cn(controlClass, "h-8 appearance-none pr-8 pl-2.5")}>
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronsUpDown
        aria-hidden="true"
        className="pointer-events-none absolute right-2.5 size-3.5 text-faint"
      />
    </span>
  );
}
