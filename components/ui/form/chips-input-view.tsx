"use client";

import * as Radix from "@radix-ui/react-popover";
import { Command, useCommandState } from "cmdk";
import { type ReactNode, useRef, useState } from "react";
import { cn } from "#components/ui/cn.ts";
import { Tag } from "#components/ui/display/badge.tsx";
import { popClass } from "#components/ui/overlay/boxes.ts";
import { useLayer } from "#components/ui/overlay/layer.tsx";
import { useFieldControl } from "./field.tsx";
import { controlClass } from "./input.tsx";
import { highlighted, matching, OptionList } from "./option-list.tsx";
import { type Chips, type ChipsInputProps, namesOf, useChips } from "./use-chips.ts";

/**
 * Several values. Enter or a comma takes what is typed, Backspace in the empty box the last one away; a pasted
 * list is split at line breaks, tabs and commas.
 */
export function ChipsInput(props: ChipsInputProps) {
  const { values, options = [], freeText = "Add", label } = props;
  const chips = useChips(props);
  const box = useRef<HTMLFieldSetElement>(null);
  const [listId, setListId] = useState<string>();
  const offered = props.onSearch ? [...options] : matching(options, chips.query);
  const shown = chips.open && (offered.length > 0 || props.loading === true || chips.query.trim() !== "");
  const list = { options: offered, query: chips.query, freeText: freeText || undefined };
  const highlight = highlighted(list, chips.wanted);
  return (
    <Radix.Root open={shown} onOpenChange={chips.setOpen}>
      <Command
        shouldFilter={false}
        label={label ?? "Values"}
        loop
        value={highlight}
        onValueChange={chips.point}
        onPointerMove={chips.onPointerMove}
        onKeyDown={chips.onKeyDown}
      >
        <Radix.Anchor asChild>
          <Box ref={box} chips={chips} {...props}>
            <ChipsText chips={chips} listId={shown ? listId : undefined} {...props} />
          </Box>
        </Radix.Anchor>
        <Radix.Portal container={useLayer()}>
          <Radix.Content
            role="presentation"
            align="start"
            sideOffset={4}
            collisionPadding={8}
            onOpenAutoFocus={(event) => event.preventDefault()}
            onCloseAutoFocus={(event) => event.preventDefault()}
            onInteractOutside={(event) => {
              if (event.target instanceof Node && box.current?.contains(event.target)) event.preventDefault();
            }}
            // The input keeps the focus while the list is pressed.
            onMouseDown={(event) => event.preventDefault()}
            className={cn(popClass, "w-(--radix-popover-trigger-width) min-w-56")}
          >
            <OptionList
              {...list}
              chosen={values}
              onChoose={chips.toggle}
              loading={props.loading}
              onListId={setListId}
            />
          </Radix.Content>
        </Radix.Portal>
      </Command>
      <span aria-live="polite" className="sr-only">
        {chips.announcement}
      </span>
    </Radix.Root>
  );
}

type PartProps = ChipsInputProps & { chips: Chips };

type BoxProps = PartProps & { ref: React.Ref<HTMLFieldSetElement>; children: ReactNode };

function Box({ ref, chips, children, ...props }: BoxProps) {
  const { "aria-invalid": invalid } = useFieldControl();
  const nameOf = namesOf(props);
  return (
    <fieldset
      ref={ref}
      aria-invalid={invalid}
      disabled={props.disabled}
      className={cn(
        controlClass,
        "flex min-h-8 cursor-text flex-wrap items-center gap-1 px-1.5 py-1 focus-within:border-focus focus-within:outline-2 focus-within:outline-focus disabled:bg-sunken",
        props.className,
      )}
      onPointerDown={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        chips.input.current?.focus();
      }}
    >
      {props.values.map((value) => (
        <Tag
          key={value}
          className={cn(props.mono && "font-mono")}
          onRemove={props.disabled ? undefined : () => chips.remove(value)}
        >
          {nameOf(value)}
        </Tag>
      ))}
      {children}
    </fieldset>
  );
}

type TextProps = PartProps & { listId: string | undefined };

/** Not cmdk's own input: that one would take the id by which the field's label finds it. */
function ChipsText({ chips, listId, label, mono, values, placeholder }: TextProps) {
  const { "aria-required": _, ...control } = useFieldControl();
  const active = useCommandState((state) => state.selectedItemId);
  return (
    <input
      ref={chips.input}
      {...control}
      aria-label={label}
      role="combobox"
      aria-autocomplete="list"
      aria-expanded={listId !== undefined}
      aria-controls={listId}
      aria-activedescendant={listId ? active : undefined}
      autoComplete="off"
      spellCheck={false}
      value={chips.query}
      onChange={(event) => chips.type(event.target.value)}
      onFocus={() => chips.setOpen(true)}
      onBlur={() => chips.setOpen(false)}
      onPaste={chips.onPaste}
      placeholder={values.length === 0 ? placeholder : undefined}
      className={cn(
        "h-5 min-w-16 flex-1 bg-transparent px-1 text-sm outline-none max-sm:text-touch",
        mono && "font-mono text-xs",
      )}
    />
  );
}
