"use client";

import { useState } from "react";
import { Input } from "#components/ui/form/input.tsx";

type Props = {
  value: number;
  onValueChange: (value: number) => void;
  suffix: string;
  /** Names it when no `Field` does. */
  label?: string;
};

/** A whole number; half-typed text stays as typed. */
export function CountInput({ value, onValueChange, suffix, label }: Props) {
  const [typed, setTyped] = useState<string>();
  return (
    <Input
      aria-label={label}
      inputMode="numeric"
      suffix={suffix}
      value={typed ?? String(value)}
      onChange={(event) => {
        setTyped(event.target.value);
        if (/^\d{1,9}$/.test(event.target.value)) onValueChange(Number(event.target.value));
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
