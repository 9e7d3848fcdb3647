"use client";

import { type ReactNode, useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { useShortcut } from "#components/ui/overlay/shortcuts.tsx";

type Props = {
  isNew: boolean;
  dirty: boolean;
  saving: boolean;
  /** What the button says. */
  label: string;
  /** The same in the list of shortcuts, and the section it is in there. */
  shortcut: { label: string; group: string };
  /** Why it was not saved. */
  refusal?: string | null;
  /** What a save does besides, or what there is to know about a new one. */
  notes?: readonly string[];
  onDiscard?: (() => void) | undefined;
  /** Whether the button leads on, also where nothing has changed. */
  mayContinue?: boolean;
  className?: string;
  /** Other ways to save. */
  children?: ReactNode;
};

/** The save button of the form around it, always visible at the form's end. */
export function SaveBar(props: Props) {
  const {
    isNew,
    dirty,
    saving,
    label,
    shortcut,
    refusal = null,
    notes = [],
    onDiscard,
    mayContinue = false,
    className,
  } = props;
  const button = useRef<HTMLButtonElement>(null);
  useShortcut("mod+s", shortcut.label, () => button.current?.form?.requestSubmit(), {
    group: shortcut.group,
  });
  const state = isNew ? [] : [dirty ? "Unsaved changes" : "No changes"];
  return (
    <div
      className={cn(
        "sticky bottom-0 z-20 -mx-4 flex flex-wrap items-center justify-end gap-2 border-t bg-page/95 px-4 py-3 backdrop-blur-sm sm:mx-0 sm:px-0",
        className,
      )}
    >
      <p
        aria-live="polite"
        className={cn("mr-auto min-w-0 text-xs", refusal ? "text-danger-text" : "text-muted")}
      >
        {refusal ? `Not saved: ${refusal}` : [...state, ...notes].join(" · ")}
      </p>
      {onDiscard && dirty ? <DiscardButton onDiscard={onDiscard} /> : null}
      {props.children}
      <Button
        ref={button}
        type="submit"
        variant="primary"
        loading={saving}
        disabled={!isNew && !dirty && !mayContinue}
      >
        {label}
      </Button>
    </div>
  );
}

/** Goes back to what is saved, after asking. */
function DiscardButton({ onDiscard }: { onDiscard: () => void }) {
  return (
    <ConfirmDialog
      trigger={<Button variant="ghost">Discard…</Button>}
      title="Discard your changes?"
      description="Everything on this page goes back to what is saved. What you changed cannot be restored."
      confirmLabel="Discard changes"
      cancelLabel="Keep editing"
      danger
      onConfirm={() => {
        onDiscard();
        return undefined;
      }}
    />
  );
}
