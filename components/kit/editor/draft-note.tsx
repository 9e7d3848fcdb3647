"use client";

import { type ReactNode, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { DraftOffer } from "./use-kept-draft.ts";

type Props = {
  offer: DraftOffer<unknown> | null;
  /** What there is to know before it is restored: that the record has changed since. */
  children?: ReactNode;
};

/** Offers unsaved changes that this browser kept. */
export function DraftNote({ offer, children }: Props) {
  const [dropping, setDropping] = useState(false);
  if (!offer) return null;
  const age = <RelativeTime date={new Date(offer.saved_at).toISOString()} />;
  return (
    <>
      <Callout
        live
        title={<>You have unsaved changes from {age}</>}
        actions={
          <>
            <Button size="sm" onClick={offer.take}>
              Restore
            </Button>
            <Button size="sm" variant="ghost" onClick={() => setDropping(true)}>
              Discard…
            </Button>
          </>
        }
      >
        {children ?? "They are kept in this browser, for you alone."}
      </Callout>
      <ConfirmDialog
        open={dropping}
        onOpenChange={setDropping}
        title="Discard the unsaved changes?"
        description={<>They were made {age} and cannot be restored afterwards.</>}
        confirmLabel="Discard changes"
        cancelLabel="Keep them"
        danger
        onConfirm={() => {
          offer.drop();
          return undefined;
        }}
      />
    </>
  );
}
