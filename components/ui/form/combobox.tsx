"use client";

import { ChevronsUpDown } from "lucide-react";
import { useState } from "react";
import { cn } from "#components/ui/cn.ts";
import type { ComboboxProps } from "#components/ui/form/combobox-box.tsx";
import { useOpener } from "#components/ui/overlay/trigger.tsx";
import { useParts } from "#components/ui/use-parts.ts";
import { useFieldControl } from "./field.tsx";
import { controlClass } from "./input.tsx";

/** One of many, found by typing. */
export function Combobox(props: ComboboxProps) {
  const { value, options, placeholder = "Choose…", size = "md", mono, label } = props;
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const opener = useOpener();
  const parts = useParts(open);
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
    <>
      <button
        type="button"
        {...control}
        ref={(element) => {
          opener.element.current = element;
        }}
        role="combobox"
        aria-expanded={open}
        aria-controls={open ? `${opener.id}-list` : undefined}
        aria-haspopup="dialog"
        aria-label={label ? `${label}${value ? `: ${chosen?.label ?? value}` : ""}` : undefined}
        disabled={props.disabled}
        onClick={() => toggle(!open)}
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
      </button>
      {parts ? (
        <parts.ComboboxBox
          {...props}
          opener={opener}
          open={open}
          toggle={toggle}
          query={query}
          search={search}
        />
      ) : null}
    </>
  );
}
