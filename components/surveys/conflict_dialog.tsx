"use client";

import { DifferencesList } from "#components/feature_flags/differences_list.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { useBuilder } from "./builder_context.tsx";
import { surveyDifferences } from "./differences.ts";
import { bodyOf } from "./survey_draft.ts";
import { type Conflict, merged, type Saving, storedBody } from "./use_save.ts";

/** Somebody changed the survey while it was edited here: shows both, and overwrites nothing unseen. */
export function ConflictDialog({ conflict, saving }: { conflict: Conflict; saving: Saving }) {
  const { draft, names } = useBuilder();
  const [base, current] = [storedBody(conflict.base), storedBody(conflict.current)];
  const mine = merged(base, current, bodyOf(draft));
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && saving.keepEditing()}
      title="This survey was changed meanwhile"
      description="Nothing of yours has been saved. Decide what stands."
      size="lg"
      aside="Keep editing to copy from yours by hand."
      footer={
        <>
          <Button onClick={saving.keepEditing}>Keep editing</Button>
          <Button onClick={saving.takeTheirs}>Take theirs, discard mine</Button>
          <Button variant="primary" loading={saving.saving} onClick={() => void saving.saveMine()}>
            Save mine over theirs
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <section className="flex flex-col gap-1.5">
          <h3 className="font-medium text-sm">What they changed</h3>
          <DifferencesList label="What they changed" differences={surveyDifferences(base, current, names)} />
        </section>
        <section className="flex flex-col gap-1.5">
          <h3 className="font-medium text-sm">What saving yours changes now</h3>
          <DifferencesList
            label="What saving yours changes"
            differences={surveyDifferences(current, mine, names)}
          />
        </section>
      </div>
    </Dialog>
  );
}
