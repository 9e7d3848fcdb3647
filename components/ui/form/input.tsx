"use client";

import { type LucideIcon, Search, X } from "lucide-react";
import { type ComponentProps, type ReactNode, useRef } from "react";
import { cn } from "#components/ui/cn.ts";
import { useFieldControl } from "./field.tsx";
import { useEarlyText } from "./use-early-text.ts";

/** The look of every box that takes text; also for boxes that only hold an input. */
export const controlClass =
  "w-full min-w-0 rounded-md border border-line-control bg-surface text-ink text-sm shadow-xs transition-[border-color,background-color] duration-100 hover:border-faint focus-visible:border-focus focus-visible:outline-offset-0 aria-invalid:border-danger disabled:cursor-not-allowed disabled:bg-sunken disabled:text-faint disabled:shadow-none [&:is(input,textarea,select)]:max-sm:text-touch [&:is(input,textarea)]:read-only:bg-sunken";

type Size = "sm" | "md" | "lg";
const heights: Record<Size, string> = { sm: "h-7", md: "h-8", lg: "h-10" };

export type InputProps = Omit<ComponentProps<"input">, "size" | "prefix"> & {
  size?: Size;
  icon?: LucideIcon;
  /** For keys, tokens and code. */
  mono?: boolean;
  /** A unit after the text, such as "%". */
  suffix?: ReactNode;
};

export function Input({ size = "md", icon: Icon, mono, suffix, className, ref, ...props }: InputProps) {
  const control = useFieldControl();
  const fieldRef = useEarlyText(ref);
  const input = (
    <input
      type="text"
      {...control}
      {...props}
      ref={fieldRef}
      className={cn(
        controlClass,
        heights[size],
        "px-2.5",
        Icon && "pl-8",
        suffix && "pr-8",
        mono && "font-mono text-xs",
        !Icon && !suffix && className,
      )}
    />
  );
  if (!Icon && !suffix) return input;
  return (
    <span className={cn("relative flex w-full min-w-0 items-center", className)}>
      {Icon ? (
        <Icon aria-hidden="true" className="pointer-events-none absolute left-2.5 size-3.5 text-faint" />
      ) : null}
      {input}
      {suffix ? (
        <span className="pointer-events-none absolute right-2.5 text-faint text-xs">{suffix}</span>
      ) : null}
    </span>
  );
}

type SearchInputProps = Omit<InputProps, "icon" | "suffix" | "onChange" | "value"> & {
  value: string;
  onValueChange: (value: string) => void;
  /** Names the box when no `Field` does. */
  label: string;
  /** Shows that a request is pending. */
  pending?: boolean;
};

/** A search box with a clear button. `data-shortcut-search` lets `/` find it. */
export function SearchInput({ value, onValueChange, label, pending, className, ...props }: SearchInputProps) {
  const ref = useRef<HTMLInputElement>(null);
  return (
    <span className={cn("relative flex min-w-0 items-center", className)} aria-busy={pending || undefined}>
      <Input
        ref={ref}
        type="search"
        aria-label={label}
        autoComplete="off"
        spellCheck={false}
        data-shortcut-search=""
        {...props}
        icon={Search}
        className="[&_input]:pr-8 [&_input]:[&::-webkit-search-cancel-button]:hidden"
        value={value}
        onChange={(event) => onValueChange(event.target.value)}
      />
      {value ? (
        <button
          type="button"
          aria-label="Clear search"
          className="absolute right-1 grid size-6 place-items-center rounded-sm text-faint hover:text-ink"
          onClick={() => {
            onValueChange("");
            ref.current?.focus();
          }}
        >
          <X aria-hidden="true" className="size-3.5" />
        </button>
      ) : null}
    </span>
  );
}
