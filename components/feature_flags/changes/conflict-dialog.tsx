"use client";

import type { FlagBody } from "#components/feature_flags/form-values.ts";
import { ConflictDialog, type ConflictWays } from "#components/kit/editor/conflict-dialog.tsx";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { personName } from "#components/kit/person-name.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";

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

/** Shown when somebody changed the flag while it was edited here. */
export function FlagConflictDialog({ base, current, mine, names, saving }: Props) {
  const who = personName(current.last_modified_by) ?? "Someone else";
  const after = withUnchanged(base, current, mine);
  return (
    <ConflictDialog
      title={`${who} changed this flag in the meantime`}
      ways={saving}
      theirs={
        <DifferencesList label="What they changed" differences={listFlagDifferences(base, current, names)} />
      }
      mine={
        <DifferencesList
          label="What saving yours would change"
          differences={listFlagDifferences(current, after, names)}
        />
      }
    >
      <Callout tone="warning">
        Release conditions, variants and payloads are saved as a whole: where both of you changed them, yours
        replace theirs.
      </Callout>
    </ConflictDialog>
  );
}

/** The result of saving mine over theirs: fields that I did not change keep their current value. */
function withUnchanged(base: FlagRecord, current: FlagRecord, mine: FlagBody): FlagRecord {
  const touched = new Set(listFlagDifferences(base, mine).map(({ what }) => what));
  const next: Record<string, unknown> = { ...current };
  for (const [field, value] of Object.entries(mine)) {
    const one = listFlagDifferences({ [field]: base[field as keyof FlagRecord] }, { [field]: value });
    if (one.length > 0 && one.some(({ what }) => touched.has(what))) next[field] = value;
  }
  return next as FlagRecord;
}
