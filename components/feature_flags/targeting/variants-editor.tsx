"use client";

import { Plus, Trash2 } from "lucide-react";
import type { VariantDraft } from "#components/conditions/editor/draft.ts";
import {
  addVariant,
  changeShare,
  changeVariant,
  distributeEvenly,
  removeVariant,
  shareSum,
} from "#components/conditions/editor/edit-draft.ts";
import { useFilters, useProblemAt } from "#components/conditions/editor/filters-context.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { ShareBar, VariantDot } from "#components/ui/display/share-bar.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { NumberInput } from "#components/ui/form/number-input.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { percentText } from "#lib/people/conditions/words.ts";
import { PayloadField } from "./payload-field.tsx";

/** The variants of a flag: names, percentages and payloads. */
export function VariantsEditor() {
  const { draft, change, announce } = useFilters();
  const problem = useProblemAt(["multivariate", "variants"]);
  const sum = shareSum(draft);
  const off = Number((100 - sum).toFixed(6));
  return (
    <div data-path="multivariate/variants" className="flex flex-col gap-3">
      <ShareBar
        label="Variants"
        shares={draft.variants.map(({ variant }, place) => ({
          name: variant.key || `Variant ${place + 1}`,
          percent: variant.rollout_percentage || 0,
        }))}
      />
      <ul className="flex flex-col gap-2">
        {draft.variants.map((each, place) => (
          <VariantRow key={each.uid} each={each} place={place} />
        ))}
      </ul>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex flex-wrap gap-2">
          <Button
            size="sm"
            icon={Plus}
            onClick={() => {
              change(addVariant);
              announce("Variant added");
            }}
          >
            Add a variant
          </Button>
          <Button
            size="sm"
            variant="ghost"
            onClick={() => {
              change(distributeEvenly);
              announce("Shares split evenly");
            }}
          >
            Distribute evenly
          </Button>
        </div>
        <p
          aria-live="polite"
          className={cn("tabular text-xs", off === 0 ? "text-muted" : "text-danger-text")}
        >
          Sum: <strong className="font-semibold">{percentText(sum)}</strong>
          {off === 0 ? "" : off > 0 ? ` (${percentText(off)} missing)` : ` (${percentText(-off)} over)`}
        </p>
      </div>
      <FieldError>{problem}</FieldError>
    </div>
  );
}

function VariantRow({ each, place }: { each: VariantDraft; place: number }) {
  const { draft, change, announce } = useFilters();
  const problem = useProblemAt(["multivariate", "variants", place], true);
  const { variant, uid } = each;
  const name = variant.key || `variant ${place + 1}`;
  return (
    <li className="flex flex-col gap-1.5 rounded-lg border bg-surface p-2.5">
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
            onValueChange={(share) => change((next) => changeShare(next, uid, share))}
          />
        </div>
        <IconButton
          icon={Trash2}
          label={draft.variants.length > 1 ? `Remove ${name}` : "A flag with variants needs at least one"}
          disabled={draft.variants.length <= 1}
          onClick={() => {
            change((next) => removeVariant(next, uid));
            announce(`${name} removed`);
          }}
        />
      </div>
      <FieldError>{problem}</FieldError>
      <PayloadField uid={uid} name={variant.key} payload={each.payload} />
    </li>
  );
}
