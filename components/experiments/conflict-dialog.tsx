"use client";

import { useState } from "react";
import { ConflictDialog, type ConflictWays } from "#components/kit/editor/conflict-dialog.tsx";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { PartChoices } from "#components/kit/editor/part-choices.tsx";
import { personName } from "#components/kit/person-name.ts";
import type { ExperimentChange } from "#lib/experiments/experiments/schema.ts";
import {
  type Conflict,
  findPartConflicts,
  listDifferences,
  listOwnDifferences,
  mergeChange,
} from "./changes.ts";

type Props = {
  conflict: Conflict;
  saving: Omit<ConflictWays, "saveMine">;
  /** Saves a change on top of the present version. */
  onSave: (body: ExperimentChange) => Promise<unknown>;
};

/** Another person changed the experiment meanwhile: each part that both changed is resolved separately. */
export function ExperimentConflictDialog({ conflict, saving, onSave }: Props) {
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const { base, current } = conflict;
  const both = findPartConflicts(conflict);
  const unmet = listOwnDifferences(conflict);
  const who = personName(current.last_modified_by) ?? "Somebody else";
  return (
    <ConflictDialog
      title={`${who} changed this experiment while you were editing it`}
      saveLabel={theirs.size > 0 ? "Save as chosen" : undefined}
      ways={{ ...saving, saveMine: () => onSave(mergeChange(conflict, theirs)) }}
      theirs={<DifferencesList label="What they changed" differences={listDifferences(base, current)} />}
      mine={
        <div className="flex flex-col gap-3">
          <PartChoices conflicts={both} theirs={theirs} onTheirs={setTheirs} />
          {unmet.length > 0 || both.length === 0 ? (
            <DifferencesList label="What saving yours changes" differences={unmet} />
          ) : null}
        </div>
      }
    />
  );
}
