"use client";

import { Input } from "#components/ui/form/input.tsx";

/** A whole number that somebody typed; null for none. */
export function wholeOf(text: string): number | null {
  const digits = text.replace(/\D/g, "").slice(0, 9);
  return digits === "" ? null : Number(digits);
}

type Props = {
  value: number | null;
  onValueChange: (value: number | null) => void;
  placeholder?: string;
  suffix?: string;
  label?: string;
  disabled?: boolean;
  className?: string;
};

/** A whole number from 0 up, or nothing. */
export function WholeInput({ value, onValueChange, label, suffix, ...props }: Props) {
  return (
    <Input
      {...props}
      aria-label={label}
      inputMode="numeric"
      autoComplete="off"
      {...(suffix && { suffix })}
      value={value ?? ""}
      onChange={(event) => onValueChange(wholeOf(event.target.value))}
    />
  );
}
