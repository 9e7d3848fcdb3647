"use client";

import { useState } from "react";
import { Input } from "./input.tsx";

type Props = {
  value: number | null | undefined;
  onValueChange: (percent: number) => void;
  label: string;
  invalid?: boolean;
  className?: string;
};

const clamp = (percent: number) => Math.min(100, Math.max(0, percent));

/**
 * A percentage, 0 to 100, with decimals; half-typed text stays as typed. An emptied field keeps its last percentage, which
 * it shows again once it is left: nobody is switched off by accident.
 */
export function NumberInput({ value, onValueChange, label, invalid, className }: Props) {
  const [typed, setTyped] = useState<string>();
  return (
    <Input
      aria-label={label}
      aria-invalid={invalid || undefined}
      inputMode="decimal"
      suffix="%"
      className={className}
      value={typed ?? String(value ?? 100)}
      onChange={(event) => {
        const text = event.target.value.replace(",", ".");
        setTyped(text);
        if (/^\d{1,3}(\.\d{0,6})?$/.test(text)) onValueChange(clamp(Number(text)));
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
