"use client";

import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";

/** What the second of two editors may do, and whether it is being done. */
export type ConflictWays = {
  saving: boolean;
  keepEditing: () => void;
  takeTheirs: () => void;
  saveMine: () => Promise<unknown>;
};

type Props = {
  /** Who changed what meanwhile. */
  title: string;
  ways: ConflictWays;
  /** What the other editor changed. */
  theirs: ReactNode;
  /** What saving now would change of it. */
  mine: ReactNode;
  /** What the button that saves says, where it does more than keep one version. */
  saveLabel?: string | undefined;
  children?: ReactNode;
};

/** Two people have changed the same thing: shows both versions, so that none is overwritten unseen. */
export function ConflictDialog({ title, ways, theirs, mine, saveLabel, children }: Props) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && ways.keepEditing()}
      title={title}
      description="Your changes are not saved yet. Choose which version to keep."
      size="lg"
      aside="Keep editing to copy parts of yours by hand."
      footer={
        <>
          <Button onClick={ways.keepEditing}>Keep editing</Button>
          <Button onClick={ways.takeTheirs}>Take theirs, discard mine</Button>
          <Button variant="primary" loading={ways.saving} onClick={() => void ways.saveMine()}>
            {saveLabel ?? "Save mine over theirs"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Part title="What they changed">{theirs}</Part>
        <Part title="What saving yours would change">{mine}</Part>
        {children}
      </div>
    </Dialog>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1.5">
      <h3 className="font-medium text-sm">{title}</h3>
      {children}
    </section>
  );
}
