"use client";

import { Trash2 } from "lucide-react";
import type { VariantDraft } from "#components/conditions/editor/draft.ts";
import {
  addVariant,
  changeVariant,
  removeVariant,
  sharesOf,
  withShares,
  withVariantsOf,
} from "#components/conditions/editor/edit-draft.ts";
import { useFilters, useProblemAt } from "#components/conditions/editor/filters-context.tsx";
import { balancedShares, evenShares } from "#components/conditions/split/shares.ts";
import { SplitFrame, useSplitUndo } from "#components/conditions/split/split-frame.tsx";
import { later } from "#components/ui/after-page.ts";
import { VariantDot } from "#components/ui/display/share-bar.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { NumberInput } from "#components/ui/form/number-input.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { PayloadField } from "./payload-field.tsx";

const VariantTotals = later(async () => (await import("./variant-totals.tsx")).VariantTotals);

/** The variants of a flag: names, percentages and payloads. */
export function VariantsEditor() {
  const { draft, change, announce } = useFilters();
  const problem = useProblemAt(["multivariate", "variants"]);
  const { note, endTyping, undo } = useSplitUndo(draft, (former) => {
    change((next) => withVariantsOf(next, former));
    announce("The split is as before");
  });
  return (
    <div data-path="multivariate/variants" className="flex flex-col gap-3">
      <SplitFrame
        label="Variants"
        shares={draft.variants.map(({ variant }) => ({
          name: variant.key,
          percent: variant.rollout_percentage || 0,
        }))}
        onAdd={() => {
          note(null);
          change(addVariant);
          announce("Variant added");
        }}
        onEven={() => {
          note(null);
          change((next) => withShares(next, evenShares(next.variants.length)));
          announce("Shares split evenly");
        }}
        onUndo={undo}
      >
        {draft.variants.map((each, place) => (
          <VariantRow
            key={each.uid}
            each={each}
            place={place}
            onShare={(share) => {
              const former = sharesOf(note(each.uid));
              change((next) => withShares(next, balancedShares(former.with(place, share), place)));
            }}
            onBlur={endTyping}
            onRemove={() => {
              note(null);
              change((next) => removeVariant(next, each.uid));
              announce(`${nameOf(each, place)} removed`);
            }}
          />
        ))}
      </SplitFrame>
      <FieldError>{problem}</FieldError>
      <VariantTotals />
    </div>
  );
}

const nameOf = ({ variant }: VariantDraft, place: number) => variant.key || `variant ${place + 1}`;

type RowProps = {
  each: VariantDraft;
  place: number;
  onShare: (share: number) => void;
  onBlur: () => void;
  onRemove: () => void;
};

function VariantRow({ each, place, onShare, onBlur, onRemove }: RowProps) {
  const { draft, change } = useFilters();
  const problem = useProblemAt(["multivariate", "variants", place], true);
  const { variant, uid } = each;
  const name = nameOf(each, place);
  return (
    <li className="flex flex-col gap-1.5 rounded-lg border bg-surface p-2.5" onBlur={onBlur}>
      <div className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-2 sm:grid-cols-[auto_minmax(0,5fr)_minmax(0,6fr)_6rem_auto]">
        <VariantDot index={place} />
        <Input
          mono
          aria-label={`Key of variant ${place + 1}`}
          aria-invalid={problem !== undefined || undefined}
          placeholder="key"
          spellCheck={false}
          value={variant.key}
          onChange={(event) => change((next) => changeVariant(next, uid, { key: event.target.value }))}
        />
        <Input
          aria-label={`Description of ${name}`}
          placeholder="Description"
          className="max-sm:order-last max-sm:col-span-2 max-sm:col-start-2"
          value={variant.name ?? ""}
          onChange={(event) => change((next) => changeVariant(next, uid, { name: event.target.value }))}
        />
        <div className="max-sm:order-last max-sm:col-start-2">
          <NumberInput
            label={`Share of ${name} in percent`}
            value={variant.rollout_percentage}
            onValueChange={onShare}
          />
        </div>
        <IconButton
          icon={Trash2}
          label={draft.variants.length > 1 ? `Remove ${name}` : "A flag with variants needs at least one"}
          disabled={draft.variants.length <= 1}
          onClick={onRemove}
        />
      </div>
      <FieldError>{problem}</FieldError>
      <PayloadField uid={uid} name={variant.key} payload={each.payload} />
    </li>
  );
}
