"use client";

import { Plus, Trash2 } from "lucide-react";
import { NumberInput } from "#components/feature_flags/number_input.tsx";
import { Button } from "#components/ui/button.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Input } from "#components/ui/input.tsx";
import { ShareBar, VariantDot } from "#components/ui/share-bar.tsx";
import { evenShares, rebalance, type Variant } from "./variants.ts";

const VARIANTS_MAX = 20;

type Props = { variants: Variant[]; onChange: (variants: Variant[]) => void };

/** Variants with their shares: moving one moves the others, so that they always make 100 %. */
export function SplitEditor({ variants, onChange }: Props) {
  const shares = variants.map(({ rollout_percentage }) => rollout_percentage);
  const withShares = (next: readonly number[], list = variants) =>
    list.map((variant, place) => ({ ...variant, rollout_percentage: next[place] ?? 0 }));
  const set = (place: number, part: Partial<Variant>) =>
    onChange(variants.map((variant, i) => (i === place ? { ...variant, ...part } : variant)));
  const add = () => {
    const made = { key: nameless(variants), name: "", rollout_percentage: 0 };
    onChange(withShares(evenShares(variants.length + 1), [...variants, made]));
  };
  const remove = (place: number) => {
    const left = variants.filter((_, i) => i !== place);
    onChange(withShares(evenShares(left.length), left));
  };
  return (
    <div className="flex flex-col gap-3">
      <ShareBar
        label="Split"
        shares={variants.map(({ key, rollout_percentage }, place) => ({
          name: key || `Variant ${place + 1}`,
          percent: rollout_percentage,
        }))}
      />
      <ul className="flex flex-col gap-2">
        {variants.map((variant, place) => (
          <VariantRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a variant has no identity but its place while its key is typed
            key={place}
            variant={variant}
            place={place}
            removable={place > 0 && variants.length > 2}
            onChange={(part) => set(place, part)}
            onShare={(value) => onChange(withShares(rebalance(shares, place, value)))}
            onRemove={() => remove(place)}
          />
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" icon={Plus} onClick={add} disabled={variants.length >= VARIANTS_MAX}>
          Add a variant
        </Button>
        <Button size="sm" variant="ghost" onClick={() => onChange(withShares(evenShares(variants.length)))}>
          Distribute evenly
        </Button>
        <p className="ml-auto text-muted text-xs">
          Sum:{" "}
          <strong className="tabular font-semibold">{shares.reduce((sum, share) => sum + share, 0)} %</strong>
        </p>
      </div>
    </div>
  );
}

type RowProps = {
  variant: Variant;
  place: number;
  removable: boolean;
  onChange: (part: Partial<Variant>) => void;
  onShare: (percent: number) => void;
  onRemove: () => void;
};

function VariantRow({ variant, place, removable, onChange, onShare, onRemove }: RowProps) {
  const name = variant.key || `variant ${place + 1}`;
  const why = removable
    ? `Remove ${name}`
    : place === 0
      ? "Control cannot be removed"
      : "An experiment needs something to compare with";
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-2 gap-y-2 rounded-lg border bg-surface p-2.5 sm:grid-cols-[auto_minmax(0,4fr)_minmax(0,5fr)_minmax(0,6fr)_auto]">
      <VariantDot index={place} />
      <Input
        mono
        aria-label={`Key of variant ${place + 1}`}
        readOnly={place === 0}
        title={place === 0 ? "Whatever is compared is compared with control" : undefined}
        spellCheck={false}
        value={variant.key}
        onChange={(event) => onChange({ key: event.target.value })}
      />
      <Input
        aria-label={`Description of ${name}`}
        placeholder={place === 0 ? "What there is today" : "What is new"}
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
