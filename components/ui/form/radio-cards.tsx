"use client";

import { type ReactNode, useId } from "react";
import { cn } from "#components/ui/cn.ts";
import { useFieldControl, useFieldLabelId } from "./field.tsx";
import { keepForm } from "./keep-form.ts";

type RadioCard<V extends string = string> = {
  value: V;
  label: string;
  description?: ReactNode;
  icon?: ReactNode;
  disabled?: boolean;
};

type RadioCardsProps<V extends string> = {
  value: V | undefined;
  onValueChange: (value: V) => void;
  options: readonly RadioCard<V>[];
  /** Names the group when no `Field as="group"` does. */
  label?: string;
  disabled?: boolean;
  /** How many stand side by side where there is room. */
  columns?: 1 | 2 | 3;
  className?: string;
};

const grids = {
  1: "",
  2: "sm:grid-cols-2",
  3: "sm:grid-cols-2 lg:grid-cols-3",
};

/** One of two to five, each explained. Arrow keys move between them. */
export function RadioCards<V extends string>(props: RadioCardsProps<V>) {
  const labelId = useFieldLabelId();
  const control = useFieldControl();
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={props.label}
      aria-labelledby={props.label ? undefined : labelId}
      aria-describedby={control["aria-describedby"]}
      className={cn("grid gap-2", grids[props.columns ?? 1], props.className)}
    >
      {props.options.map((option) => (
        <Card
          key={option.value}
          name={name}
          option={{ ...option, disabled: props.disabled || option.disabled }}
          checked={option.value === props.value}
          onChoose={() => props.onValueChange(option.value)}
        />
      ))}
    </div>
  );
}

type CardProps = { name: string; option: RadioCard; checked: boolean; onChoose: () => void };

function Card({ name, option, checked, onChoose }: CardProps) {
  const id = useId();
  return (
    <label
      htmlFor={id}
      className="relative flex gap-2.5 rounded-lg border border-line-strong bg-surface p-3 shadow-xs transition-colors duration-100 hover:border-line-control has-checked:border-accent has-checked:bg-accent-soft has-disabled:cursor-not-allowed has-disabled:opacity-55"
    >
      <input
        type="radio"
        id={id}
        name={name}
        value={option.value}
        checked={checked}
        disabled={option.disabled}
        onChange={onChoose}
        onKeyDown={keepForm}
        aria-labelledby={`${id}-l`}
        aria-describedby={option.description ? `${id}-d` : undefined}
        className="mt-0.5 size-4 shrink-0 appearance-none rounded-full border border-line-control bg-surface checked:border-5 checked:border-accent checked:bg-on-accent"
      />
      <span className="flex min-w-0 flex-col gap-0.5">
        <span id={`${id}-l`} className="flex items-center gap-1.5 font-medium text-sm [&_svg]:size-3.5">
          {option.icon}
          {option.label}
        </span>
        {option.description ? (
          <span id={`${id}-d`} className="text-muted text-xs">
            {option.description}
          </span>
        ) : null}
      </span>
    </label>
  );
}
