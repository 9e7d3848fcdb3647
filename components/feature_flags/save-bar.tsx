"use client";

import { Button } from "#components/ui/button.tsx";
import { useShortcut } from "#components/ui/overlay/shortcuts.tsx";

type Props = { isNew: boolean; dirty: boolean; saving: boolean; onDiscard?: () => void };

/** The save button, always visible at the end of the form. */
export function SaveBar({ isNew, dirty, saving, onDiscard }: Props) {
  useShortcut(
    "mod+s",
    isNew ? "Create the flag" : "Save changes",
    () => document.querySelector<HTMLFormElement>("form[data-flag-form], main form")?.requestSubmit(),
    { group: "Feature flags" },
  );
  return (
    <div className="sticky bottom-0 z-20 -mx-4 flex items-center justify-end gap-2 border-t bg-canvas/95 px-4 py-3 backdrop-blur-sm sm:mx-0 sm:px-0 lg:col-start-1">
      <p aria-live="polite" className="mr-auto text-muted text-xs">
        {isNew ? "" : dirty ? "Unsaved changes" : "No changes"}
      </p>
      {onDiscard && dirty ? (
        <Button variant="ghost" onClick={onDiscard}>
          Discard
        </Button>
      ) : null}
      <Button type="submit" variant="primary" loading={saving} disabled={!isNew && !dirty}>
        {isNew ? "Create flag" : "Save changes…"}
      </Button>
    </div>
  );
}
