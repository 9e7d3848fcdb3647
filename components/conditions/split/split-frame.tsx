"use client";

import { Plus, Undo2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { ShareBar } from "#components/ui/display/share-bar.tsx";
import { percentText } from "#lib/people/conditions/words.ts";

type Step<T> = { typedInto: string | null; former: T };

/** What a split was before each change, to go back to. Typing into one share is one change. */
export function useSplitUndo<T>(current: T, onRestore: (former: T) => void) {
  const [steps, setSteps] = useState<readonly Step<T>[]>([]);
  const last = steps.at(-1);
  return {
    /**
     * Notes the split before a change; called before each.
     *
     * @param typedInto the share that is typed into; null for a button
     * @returns the split as it was before any of what is being typed
     */
    note(typedInto: string | null): T {
      if (last && typedInto !== null && last.typedInto === typedInto) return last.former;
      setSteps([...steps, { typedInto, former: current }]);
      return current;
    },
    /** Typing has ended: the next key begins another change. */
    endTyping: () => {
      if (last?.typedInto) setSteps(steps.with(-1, { ...last, typedInto: null }));
    },
    undo: last
      ? () => {
          onRestore(last.former);
          setSteps(steps.slice(0, -1));
        }
      : null,
  };
}

type Props = {
  label: string;
  /** Keys and percentages of the variants. */
  shares: readonly { name: string; percent: number }[];
  onAdd: () => void;
  canAdd?: boolean;
  onEven: () => void;
  onUndo: (() => void) | null;
  /** A row for each variant. */
  children: ReactNode;
};

/** Variants with their shares: a bar, a row for each, and what changes all of them. */
export function SplitFrame({ label, shares, onAdd, canAdd = true, onEven, onUndo, children }: Props) {
  // Without floating-point noise.
  const sum = Number(shares.reduce((all, { percent }) => all + percent, 0).toFixed(6));
  const off = Number((100 - sum).toFixed(6));
  return (
    <>
      <ShareBar
        label={label}
        shares={shares.map(({ name, percent }, place) => ({ name: name || `Variant ${place + 1}`, percent }))}
      />
      <ul className="flex flex-col gap-2">{children}</ul>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={Plus} onClick={onAdd} disabled={!canAdd}>
            Add a variant
          </Button>
          <Button size="sm" variant="ghost" onClick={onEven}>
            Distribute evenly
          </Button>
          <Button
            size="sm"
            variant="ghost"
            icon={Undo2}
            aria-label="Undo the last change of the split"
            aria-disabled={onUndo === null}
            onClick={() => onUndo?.()}
          >
            Undo
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
    </>
  );
}
