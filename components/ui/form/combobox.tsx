"use client";

import * as Radix from "@radix-ui/react-popover";
import { Command } from "cmdk";
import { ChevronsUpDown, Search } from "lucide-react";
import { useId, useState } from "react";
import { cn } from "#components/ui/cn.ts";
import { useLayer } from "#components/ui/overlay/layer.tsx";
import { popClass } from "#components/ui/overlay/menu.tsx";
import { useFieldControl } from "./field.tsx";
import { controlClass } from "./input.tsx";
import { matching, type Option, OptionList } from "./option-list.tsx";

type ComboboxProps = {
  value: string | null;
  onValueChange: (value: string) => void;
  options: readonly Option[];
  /**
   * Called with what is typed, for options that a server finds; the list is then shown as given. Without it the
   * options are filtered here.
   */
  onSearch?: (query: string) => void;
  loading?: boolean;
  /** Lets any typed text be the value; the text says how: "Use", "Any property named". */
  freeText?: string;
  placeholder?: string;
  searchPlaceholder?: string;
  empty?: string;
  /** Names it when no `Field` does. */
  label?: string;
  size?: "sm" | "md";
  mono?: boolean;
  disabled?: boolean;
  className?: string;
};

/** One of many, found by typing. */
export function Combobox(props: ComboboxProps) {
  const { value, options, placeholder = "Choose…", size = "md", mono, label } = props;
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const listId = useId();
  const control = useFieldControl();
  const chosen = options.find((option) => option.value === value);

  function search(next: string) {
    setQuery(next);
    props.onSearch?.(next);
  }
  function toggle(next: boolean) {
    setOpen(next);
    if (!next) search("");
  }
  return (
    <Radix.Root open={open} onOpenChange={toggle}>
      <Radix.Trigger
        {...control}
        role="combobox"
        aria-expanded={open}
        aria-controls={open ? listId : undefined}
        aria-haspopup="dialog"
        aria-label={label ? `${label}${value ? `: ${chosen?.label ?? value}` : ""}` : undefined}
        disabled={props.disabled}
        className={cn(
          controlClass,
          "inline-flex items-center justify-between gap-2 px-2.5 text-left",
          size === "sm" ? "h-7 text-xs" : "h-8",
          props.className,
        )}
      >
        <span
          className={cn("min-w-0 truncate", !value && "text-faint", value && mono && "font-mono text-xs")}
        >
          {chosen?.label ?? (value || placeholder)}
        </span>
        <ChevronsUpDown aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
      </Radix.Trigger>
      <Radix.Portal container={useLayer()}>
        <Radix.Content
          id={listId}
          aria-label={label ?? "Options"}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className={cn(popClass, "w-(--radix-popover-trigger-width) min-w-60 max-w-[calc(100vw-1rem)]")}
        >
          <Command shouldFilter={false} label={label ?? "Options"} loop>
            <div className="flex items-center gap-2 border-b px-2.5">
              <Search aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
              <Command.Input
                value={query}
                onValueChange={search}
                placeholder={props.searchPlaceholder ?? (props.freeText ? "Search or type…" : "Search…")}
                className="h-9 w-full min-w-0 bg-transparent text-sm outline-none max-sm:text-touch"
              />
            </div>
            <OptionList
              options={props.onSearch ? options : matching(options, query)}
              query={query}
              chosen={value === null ? [] : [value]}
              onChoose={(next) => {
                props.onValueChange(next);
                toggle(false);
              }}
              freeText={props.freeText}
              loading={props.loading}
              empty={props.empty}
            />
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
