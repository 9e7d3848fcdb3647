"use client";

import * as Radix from "@radix-ui/react-select";
import { Check, ChevronDown, ChevronsUpDown } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "./cn.ts";
import { useFieldControl } from "./field.tsx";
import { controlClass } from "./input.tsx";

export type SelectOption<V extends string = string> = {
  value: V;
  label: string;
  /** A second line in the list. */
  description?: string;
  icon?: ReactNode;
  disabled?: boolean;
};

type SelectProps<V extends string> = {
  value: V | undefined;
  onValueChange: (value: V) => void;
  options: readonly SelectOption<V>[];
  placeholder?: string;
  size?: "sm" | "md";
  /** Names the select when no `Field` does. */
  label?: string;
  disabled?: boolean;
  name?: string;
  className?: string;
};

/** One of a few. For many, or for free text, use `Combobox`. */
export function Select<V extends string>(props: SelectProps<V>) {
  const { value, onValueChange, options, placeholder = "Choose…", size = "md", label } = props;
  const control = useFieldControl();
  const chosen = options.find((option) => option.value === value);
  return (
    <Radix.Root
      value={value ?? ""}
      onValueChange={(next) => onValueChange(next as V)}
      disabled={props.disabled}
      name={props.name}
    >
      <Radix.Trigger
        {...control}
        aria-label={label}
        className={cn(
          controlClass,
          "inline-flex items-center justify-between gap-2 px-2.5 text-left data-placeholder:text-faint",
          size === "sm" ? "h-7 text-xs" : "h-8",
          props.className,
        )}
      >
        <span className="flex min-w-0 items-center gap-1.5 truncate">
          {chosen?.icon}
          <Radix.Value placeholder={placeholder}>{chosen?.label}</Radix.Value>
        </span>
        <ChevronDown aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) overflow-hidden rounded-lg bg-raised shadow-pop data-[state=open]:animate-pop-in"
        >
          <Radix.Viewport className="p-1">
            {options.map((option) => (
              <Item key={option.value} option={option} />
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Item({ option }: { option: SelectOption }) {
  return (
    <Radix.Item
      value={option.value}
      disabled={option.disabled}
      className="relative flex cursor-default select-none items-center gap-2 rounded-sm py-1.5 pr-8 pl-2 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-hover"
    >
      {option.icon}
      <span className="flex min-w-0 flex-col">
        <Radix.ItemText>{option.label}</Radix.ItemText>
        {option.description ? <span className="text-faint text-xs">{option.description}</span> : null}
      </span>
      <Radix.ItemIndicator className="absolute right-2 text-accent-text">
        <Check aria-hidden="true" className="size-3.5" />
      </Radix.ItemIndicator>
    </Radix.Item>
  );
}

type NativeSelectProps = Omit<ComponentProps<"select">, "size"> & {
  options: readonly SelectOption[];
};

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
