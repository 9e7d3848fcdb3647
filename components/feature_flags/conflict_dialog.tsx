"use client";

import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { flagDifferences } from "#lib/feature_flags/differences.ts";
import type { FlagRecord } from "#lib/feature_flags/schema.ts";
import type { Names } from "#lib/feature_flags/words.ts";
import { DifferencesList } from "./differences_list.tsx";
import type { FlagBody } from "./form_values.ts";
import { personName } from "./list_item.ts";

type Props = {
  /** The flag as it was when editing began. */
  base: FlagRecord;
  /** The flag as it is now. */
  current: FlagRecord;
  /** What was to be saved. */
  mine: FlagBody;
  names: Names;
  saving: {
    saving: boolean;
    keepEditing: () => void;
    takeTheirs: () => void;
    saveMine: () => Promise<void>;
  };
};

/** Two people have changed the same thing: shows both, and overwrites nothing unseen. */
export function ConflictDialog({ base, current, mine, names, saving }: Props) {
  const who = personName(current.last_modified_by) ?? "Somebody else";
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && saving.keepEditing()}
      title={`${who} changed this flag meanwhile`}
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
          <DifferencesList label="What they changed" differences={flagDifferences(base, current, names)} />
        </section>
        <section className="flex flex-col gap-1.5">
          <h3 className="font-medium text-sm">What saving yours changes now</h3>
          <DifferencesList
            label="What saving yours changes"
            differences={flagDifferences(current, withUnchanged(base, current, mine), names)}
          />
        </section>
        <Callout tone="warning">
          Release conditions, variants and payloads are saved as a whole: yours replace theirs where both
          changed them.
        </Callout>
      </div>
    </Dialog>
  );
}

/** What stands after mine is saved over theirs: fields that I left alone keep their present value. */
function withUnchanged(base: FlagRecord, current: FlagRecord, mine: FlagBody): FlagRecord {
  const touched = new Set(flagDifferences(base, mine).map(({ what }) => what));
  const next: Record<string, unknown> = { ...current };
  for (const [field, value] of Object.entries(mine)) {
    const one = flagDifferences({ [field]: base[field as keyof FlagRecord] }, { [field]: value });
    if (one.length > 0 && one.some(({ what }) => touched.has(what))) next[field] = value;
  }
  return next as FlagRecord;
}
