"use client";

import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { useShortcut } from "#components/ui/shortcuts.tsx";

type Props = {
  isNew: boolean;
  dirty: boolean;
  saving: boolean;
  onDiscard?: (() => void) | undefined;
  /** Why it was not saved. */
  refusal: string | null;
  /** What saving does to stored answers. */
  effects: readonly string[];
};

/** Save, always in sight at the end of the builder. */
export function SaveBar({ isNew, dirty, saving, onDiscard, refusal, effects }: Props) {
  useShortcut(
    "mod+s",
    isNew ? "Save as a draft" : "Save changes",
    () => document.querySelector<HTMLFormElement>("main form")?.requestSubmit(),
    { group: "Surveys" },
  );
  return (
    <div className="sticky bottom-0 z-20 -mx-4 flex items-center justify-end gap-2 border-t bg-canvas/95 px-4 py-3 backdrop-blur-sm sm:mx-0 sm:px-0">
      <p
        aria-live="polite"
        className={cn("mr-auto min-w-0 text-xs", refusal ? "text-danger-text" : "text-muted")}
      >
        {refusal
          ? `Not saved: ${refusal}`
          : isNew
            ? "Nobody is asked before you launch it."
            : dirty
              ? ["Unsaved changes", ...effects].join(" · ")
              : "No changes"}
      </p>
      {onDiscard && dirty ? (
        <Button variant="ghost" onClick={onDiscard}>
          Discard
        </Button>
      ) : null}
      <Button type="submit" variant="primary" loading={saving} disabled={!isNew && !dirty}>
        {isNew ? "Save as a draft" : "Save changes"}
      </Button>
    </div>
  );
}
