"use client";

import { NumberInput } from "#components/ui/form/number-input.tsx";

type Props = {
  /** Percent; null or absent: everyone. */
  value: number | null | undefined;
  onValueChange: (percent: number) => void;
  label: string;
  invalid?: boolean;
};

/** A percentage by slider and by number. The number takes decimals, the slider whole percents. */
export function ShareSlider({ value, onValueChange, label, invalid }: Props) {
  return (
    <div className="flex min-w-0 items-center gap-3">
      <input
        type="range"
        min={0}
        max={100}
        step={1}
        aria-label={`${label}, slider`}
        value={value ?? 100}
        onChange={(event) => onValueChange(Number(event.target.value))}
        className="h-5 w-full min-w-20 max-w-56 accent-(--accent)"
      />
      <NumberInput
        label={label}
        value={value}
        onValueChange={onValueChange}
        invalid={invalid}
        className="w-24 shrink-0"
      />
    </div>
  );
}
