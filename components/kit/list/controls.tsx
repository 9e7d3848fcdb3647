"use client";

import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select, type SelectProps } from "#components/ui/form/select.tsx";
import type { ChoiceParam, Order, OrderParam } from "./params.ts";

const ANY = "any";

type ChoiceProps<V extends string> = {
  param: ChoiceParam<V>;
  value: V | "";
  onChange: (value: V | "") => void;
};

/** Every option needs a value of its own, also the one that stands for any. */
function optionsOf<V extends string>({ param, value, onChange }: ChoiceProps<V>) {
  return {
    value: value || ANY,
    onValueChange: (chosen: string) =>
      onChange(param.options.find((option) => option.value === chosen)?.value ?? ""),
    options: param.options.map((option) => ({ ...option, value: option.value || ANY })),
  };
}

type Look = Pick<SelectProps<string>, "label" | "size" | "look" | "className">;

/** Selects one of a filter's values, or any. */
export function ChoiceSelect<V extends string>({ param, value, onChange, ...look }: ChoiceProps<V> & Look) {
  return <Select {...look} {...optionsOf({ param, value, onChange })} />;
}

type SegmentsLook = { label: string; className?: string };

/** The same for few values, side by side. */
export function ChoiceSegments<V extends string>({
  param,
  value,
  onChange,
  ...look
}: ChoiceProps<V> & SegmentsLook) {
  return <Segmented size="sm" {...look} {...optionsOf({ param, value, onChange })} />;
}

type OrderProps<Field extends string> = {
  param: OrderParam<Field>;
  value: Order<Field>;
  onChange: (value: Order<Field>) => void;
} & Look;

/** Selects the order; one that only a column's header offers is named as well while it is used. */
export function OrderSelect<Field extends string>({ param, value, onChange, ...look }: OrderProps<Field>) {
  const isNamed = param.options.some((option) => option.value === value);
  return (
    <Select
      {...look}
      value={value}
      onValueChange={onChange}
      options={isNamed ? param.options : [...param.options, { value, label: param.other }]}
    />
  );
}
