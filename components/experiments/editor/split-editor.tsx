"use client";

import { Trash2 } from "lucide-react";
import {
  balancedShares,
  evenShares,
  sharesTo100,
  sharesWithOneMore,
  WHOLE_PERCENTS,
} from "#components/conditions/split/shares.ts";
import { SplitFrame, useSplitUndo } from "#components/conditions/split/split-frame.tsx";
import type { Variant } from "#components/experiments/variants.ts";
import { VariantDot } from "#components/ui/display/share-bar.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { NumberInput } from "#components/ui/form/number-input.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";

const VARIANTS_MAX = 20;

const sharesOf = (variants: readonly Variant[]) => variants.map((variant) => variant.rollout_percentage);

const withShares = (variants: readonly Variant[], shares: readonly number[]): Variant[] =>
  variants.map((variant, index) => ({ ...variant, rollout_percentage: shares[index] ?? 0 }));

type Props = { variants: Variant[]; onChange: (variants: Variant[]) => void };

/** Variants with their shares: moving one moves the others, so that they always make 100%. */
export function SplitEditor({ variants, onChange }: Props) {
  const { note, endTyping, undo } = useSplitUndo(variants, (former) =>
    // As long as no variant came or went, what was typed into them since stays.
    onChange(former.length === variants.length ? withShares(variants, sharesOf(former)) : former),
  );
  const change = (next: Variant[]) => {
    note(null);
    onChange(next);
  };
  const set = (index: number, part: Partial<Variant>) =>
    onChange(variants.map((variant, i) => (i === index ? { ...variant, ...part } : variant)));
  const remove = (index: number) => {
    const left = variants.filter((_, i) => i !== index);
    change(withShares(left, sharesTo100(sharesOf(left), WHOLE_PERCENTS)));
  };
  return (
    <div className="flex flex-col gap-3">
      <SplitFrame
        label="Split"
        shares={variants.map((variant) => ({ name: variant.key, percent: variant.rollout_percentage }))}
        onAdd={() => {
          const added = { key: nameless(variants), name: "", rollout_percentage: 0 };
          change(withShares([...variants, added], sharesWithOneMore(sharesOf(variants), WHOLE_PERCENTS)));
        }}
        canAdd={variants.length < VARIANTS_MAX}
        onEven={() => change(withShares(variants, evenShares(variants.length, WHOLE_PERCENTS)))}
        onUndo={undo}
      >
        {variants.map((variant, index) => (
          <VariantRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a variant has no identity but its index while its key is typed
            key={index}
            variant={variant}
            index={index}
            removable={index > 0 && variants.length > 2}
            onChange={(part) => set(index, part)}
            onShare={(value) => {
              const typed = sharesOf(note(String(index))).with(index, Math.round(value));
              onChange(withShares(variants, balancedShares(typed, index, WHOLE_PERCENTS)));
            }}
            onBlur={endTyping}
            onRemove={() => remove(index)}
          />
        ))}
      </SplitFrame>
    </div>
  );
}

type RowProps = {
  variant: Variant;
  index: number;
  removable: boolean;
  onChange: (part: Partial<Variant>) => void;
  onShare: (percent: number) => void;
  onBlur: () => void;
  onRemove: () => void;
};

function VariantRow({ variant, index, removable, onChange, onShare, onBlur, onRemove }: RowProps) {
  const name = variant.key || `variant ${index + 1}`;
  const why = removable
    ? `Remove ${name}`
    : index === 0
      ? "Control cannot be removed"
      : "An experiment needs at least two variants";
  return (
    <li
      onBlur={onBlur}
      className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-2 gap-y-2 rounded-lg border bg-surface p-2.5 sm:grid-cols-[auto_minmax(0,4fr)_minmax(0,5fr)_minmax(0,6fr)_auto]"
    >
      <VariantDot index={index} />
      <Input
        mono
        aria-label={`Key of variant ${index + 1}`}
        readOnly={index === 0}
        title={index === 0 ? "The key of the control variant is fixed" : undefined}
        spellCheck={false}
        value={variant.key}
        onChange={(event) => onChange({ key: event.target.value })}
      />
      <Input
        aria-label={`Description of ${name}`}
        placeholder={index === 0 ? "The current version" : "The new version"}
        className="max-sm:order-last max-sm:col-span-3"
        value={variant.name ?? ""}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <span className="flex min-w-0 items-center gap-2 max-sm:order-last max-sm:col-span-3">
        <input
          type="range"
          min={0}
          max={100}
          step={1}
          aria-label={`Share of ${name}, slider`}
          value={variant.rollout_percentage}
          onChange={(event) => onShare(Number(event.target.value))}
          className="h-6 w-full min-w-16 accent-(--accent)"
        />
        <NumberInput
          label={`Share of ${name} in percent`}
          value={variant.rollout_percentage}
          onValueChange={onShare}
          className="w-20 shrink-0"
        />
      </span>
      <IconButton icon={Trash2} label={why} disabled={!removable} onClick={onRemove} />
    </li>
  );
}

function nameless(variants: readonly Variant[]): string {
  for (let i = variants.length; ; i += 1) {
    const key = `test_${i}`;
    if (!variants.some((variant) => variant.key === key)) return key;
  }
}
