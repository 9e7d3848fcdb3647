"use client";

import { Callout } from "#components/ui/callout.tsx";
import { ConflictDialog, type ConflictWays } from "#components/ui/conflict-dialog.tsx";
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
  saving: ConflictWays;
};

/** Somebody changed the flag while it was edited here. */
export function FlagConflictDialog({ base, current, mine, names, saving }: Props) {
  const who = personName(current.last_modified_by) ?? "Somebody else";
  const after = withUnchanged(base, current, mine);
  return (
    <ConflictDialog
      title={`${who} changed this flag meanwhile`}
      ways={saving}
      theirs={
        <DifferencesList label="What they changed" differences={flagDifferences(base, current, names)} />
      }
      mine={
        <DifferencesList
          label="What saving yours changes"
          differences={flagDifferences(current, after, names)}
        />
      }
    >
      <Callout tone="warning">
        Release conditions, variants and payloads are saved as a whole: yours replace theirs where both
        changed them.
      </Callout>
    </ConflictDialog>
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
