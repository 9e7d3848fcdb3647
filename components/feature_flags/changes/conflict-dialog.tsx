"use client";

import { useState } from "react";
import type { FlagBody } from "#components/feature_flags/form-values.ts";
import { ConflictDialog, type ConflictWays } from "#components/kit/editor/conflict-dialog.tsx";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { PartChoices } from "#components/kit/editor/part-choices.tsx";
import { personName } from "#components/kit/person-name.ts";
import { listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { type FlagConflict, mergeConflict } from "./merge.ts";

type Props = FlagConflict & {
  /** The flag as it was when editing began. */
  base: FlagRecord;
  names: Names;
  saving: Omit<ConflictWays, "saveMine">;
  /** Saves the merged flag. */
  onSave: (body: FlagBody) => Promise<unknown>;
};

/** Shown when somebody changed the flag while it was edited here: what only one has changed is kept from both. */
export function FlagConflictDialog({ base, current, mine, names, saving, onSave }: Props) {
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const who = personName(current.last_modified_by) ?? "Someone else";
  const { body, conflicts } = mergeConflict(base, { current, mine }, theirs, names);
  const label = theirs.size > 0 ? "Save as chosen" : conflicts.length === 0 ? "Save both" : undefined;
  return (
    <ConflictDialog
      title={`${who} changed this flag in the meantime`}
      saveLabel={label}
      ways={{ ...saving, saveMine: () => onSave(body) }}
      theirs={
        <DifferencesList label="What they changed" differences={listFlagDifferences(base, current, names)} />
      }
      mine={
        <div className="flex flex-col gap-3">
          <PartChoices conflicts={conflicts} theirs={theirs} onTheirs={setTheirs} />
          <DifferencesList
            label="What saving yours would change"
            differences={listFlagDifferences(current, body, names)}
          />
        </div>
      }
    />
  );
}
