"use client";

import { useState } from "react";
import { DifferencesList } from "#components/feature_flags/differences_list.tsx";
import { personName } from "#components/feature_flags/list_item.ts";
import { ConflictDialog } from "#components/ui/conflict-dialog.tsx";
import { RadioCards } from "#components/ui/radio-cards.tsx";
import {
  type Conflict,
  experimentDifferences,
  type Meeting,
  meetingsOf,
  mergedChange,
  unmetDifferences,
} from "./changes.ts";
import type { ExperimentChange } from "./experiment_actions.ts";

type Side = "theirs" | "mine";

type Props = {
  conflict: Conflict;
  saving: boolean;
  onKeepEditing: () => void;
  onTakeTheirs: () => void;
  /** Saves a change on top of the present version. */
  onSave: (body: ExperimentChange) => Promise<unknown>;
};

/** Somebody changed the experiment while it was edited here: each field that both changed is decided by itself. */
export function ExperimentConflictDialog({ conflict, saving, onKeepEditing, onTakeTheirs, onSave }: Props) {
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({});
  const { base, current } = conflict;
  const meetings = meetingsOf(conflict);
  const unmet = unmetDifferences(conflict);
  const theirs = new Set(meetings.filter(({ part }) => sides[part] === "theirs").map(({ part }) => part));
  const who = personName(current.last_modified_by) ?? "Somebody else";
  return (
    <ConflictDialog
      title={`${who} changed this experiment while you were editing it`}
      saveLabel={theirs.size > 0 ? "Save as chosen" : undefined}
      ways={{
        saving,
        keepEditing: onKeepEditing,
        takeTheirs: onTakeTheirs,
        saveMine: () => onSave(mergedChange(conflict, theirs)),
      }}
      theirs={
        <DifferencesList label="What they changed" differences={experimentDifferences(base, current)} />
      }
      mine={
        <div className="flex flex-col gap-3">
          {meetings.map((meeting) => (
            <Choice
              key={meeting.part}
              meeting={meeting}
              side={sides[meeting.part] ?? "mine"}
              onChange={(side) => setSides((before) => ({ ...before, [meeting.part]: side }))}
            />
          ))}
          {unmet.length > 0 || meetings.length === 0 ? (
            <DifferencesList label="What saving yours changes" differences={unmet} />
          ) : null}
        </div>
      }
    />
  );
}

type ChoiceProps = { meeting: Meeting; side: Side; onChange: (side: Side) => void };

function Choice({ meeting, side, onChange }: ChoiceProps) {
  const { what, mine, theirs } = meeting;
  return (
    <section className="flex flex-col gap-1.5">
      <h4 className="text-muted text-xs">{what}: you both changed this</h4>
      <RadioCards
        label={`${what}: which version to keep`}
        columns={2}
        value={side}
        onValueChange={onChange}
        options={[
          { value: "mine", label: "Yours", description: <Text>{mine}</Text> },
          { value: "theirs", label: "Theirs", description: <Text>{theirs}</Text> },
        ]}
      />
    </section>
  );
}

const Text = ({ children }: { children: string }) => (
  <span className="line-clamp-6 whitespace-pre-line break-words">{children}</span>
);
