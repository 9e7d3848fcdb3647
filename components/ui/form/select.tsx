"use client";

import { Check, ChevronDown } from "lucide-react";
import { type ReactNode, useId } from "react";
import { cn } from "#components/ui/cn.ts";
import { useParts } from "#components/ui/use-parts.ts";
import { useFieldControl } from "./field.tsx";
import { controlClass } from "./input.tsx";
import { type Listbox, useListbox } from "./use-listbox.ts";

export type SelectOption<V extends string = string> = {
  value: V;
  label: string;
  /** A second line in the list. */
  description?: string;
  icon?: ReactNode;
  disabled?: boolean;
};

export type SelectProps<V extends string> = {
  value: V | undefined;
  onValueChange: (value: V) => void;
  options: readonly SelectOption<V>[];
  placeholder?: string;
  size?: "sm" | "md";
  /** `button` in a toolbar, beside buttons: the border of one, and the width of what is chosen. */
  look?: "field" | "button";
  /** Names the select when no `Field` does. */
  label?: string;
  disabled?: boolean;
  /** Sends the value with the form around it. */
  name?: string;
  className?: string;
};

/** One of a few; arrows, Home, End and letters move in it. For many, or for free text, use `Combobox`. */
export function Select<V extends string>(props: SelectProps<V>) {
  const listbox = useListbox(props);
  const parts = useParts(listbox.open);
  return (
    <>
      <SelectButton {...props} listbox={listbox} />
      {props.name ? <input type="hidden" name={props.name} value={props.value ?? ""} /> : null}
      {parts ? (
        <parts.SelectBox listbox={listbox} label={props.label ?? "Options"}>
          {props.options.map((option, index) => (
            <Item
              key={option.value}
              option={option}
              chosen={option.value === props.value}
              {...listbox.item(index)}
            />
          ))}
        </parts.SelectBox>
      ) : null}
    </>
  );
}

type ButtonProps<V extends string> = SelectProps<V> & { listbox: Listbox };

function SelectButton<V extends string>({ listbox, ...props }: ButtonProps<V>) {
  const control = useFieldControl();
  const valueId = useId();
  const chosen = props.options.find((option) => option.value === props.value);
  return (
    <button
      type="button"
      {...control}
      ref={listbox.button}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={listbox.open}
      aria-controls={listbox.open ? listbox.id : undefined}
      aria-activedescendant={listbox.activeId}
      aria-label={
        props.label ? `${props.label}: ${chosen?.label ?? props.placeholder ?? "nothing"}` : undefined
      }
      disabled={props.disabled}
      onClick={listbox.toggle}
      onKeyDown={listbox.onKeyDown}
      className={cn(
        controlClass,
        "inline-flex items-center justify-between gap-2 px-2.5 text-left",
        props.size === "sm" ? "h-7 text-xs" : "h-8",
        props.look === "button" &&
          "w-auto shrink-0 border-line-strong font-medium hover:border-line-strong hover:bg-hover",
        props.className,
      )}
    >
      <span id={valueId} className={cn("flex min-w-0 items-center gap-1.5", !chosen && "text-faint")}>
        {chosen?.icon}
        <span className="truncate">{chosen?.label ?? props.placeholder ?? "Choose…"}</span>
      </span>
      <ChevronDown aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
    </button>
  );
}

type ItemProps = {
  option: SelectOption;
  chosen: boolean;
  id: string;
  active: boolean;
  onPick: () => void;
  onPoint: () => void;
};

function Item({ option, chosen, id, active, onPick, onPoint }: ItemProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button that controls the list takes the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      aria-disabled={option.disabled}
      onClick={onPick}
      onPointerMove={onPoint}
      className={cn(
        "flex cursor-default select-none items-center gap-2 rounded-sm px-2 py-1.5 text-sm aria-disabled:opacity-50",
        active && "bg-hover",
      )}
    >
      {option.icon}
      <span className="flex min-w-0 flex-1 flex-col">
        <span>{option.label}</span>
        {option.description ? <span className="text-faint text-xs">{option.description}</span> : null}
      </span>
      <Check
        aria-hidden="true"
        className={cn("size-3.5 shrink-0 text-accent-text", !chosen && "invisible")}
      />
    </div>
  );
}
