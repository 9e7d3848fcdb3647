"use client";

import { useState } from "react";
import { ConflictDialog, type ConflictWays } from "#components/kit/editor/conflict-dialog.tsx";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { personName } from "#components/kit/person-name.ts";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import type { ExperimentChange } from "#lib/experiments/experiments/schema.ts";
import {
  type Conflict,
  findPartConflicts,
  listDifferences,
  listOwnDifferences,
  mergeChange,
  type PartConflict,
} from "./changes.ts";

type Side = "theirs" | "mine";

type Props = {
  conflict: Conflict;
  saving: Omit<ConflictWays, "saveMine">;
  /** Saves a change on top of the present version. */
  onSave: (body: ExperimentChange) => Promise<unknown>;
};

/** Another person changed the experiment meanwhile: each part that both changed is resolved separately. */
export function ExperimentConflictDialog({ conflict, saving, onSave }: Props) {
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({});
  const { base, current } = conflict;
  const both = findPartConflicts(conflict);
  const unmet = listOwnDifferences(conflict);
  const theirs = new Set(both.filter(({ part }) => sides[part] === "theirs").map(({ part }) => part));
  const who = personName(current.last_modified_by) ?? "Somebody else";
  return (
    <ConflictDialog
      title={`${who} changed this experiment while you were editing it`}
      saveLabel={theirs.size > 0 ? "Save as chosen" : undefined}
      ways={{ ...saving, saveMine: () => onSave(mergeChange(conflict, theirs)) }}
      theirs={<DifferencesList label="What they changed" differences={listDifferences(base, current)} />}
      mine={
        <div className="flex flex-col gap-3">
          {both.map((field) => (
            <Choice
              key={field.part}
              conflict={field}
              side={sides[field.part] ?? "mine"}
              onChange={(side) => setSides((before) => ({ ...before, [field.part]: side }))}
            />
          ))}
          {unmet.length > 0 || both.length === 0 ? (
            <DifferencesList label="What saving yours changes" differences={unmet} />
          ) : null}
        </div>
      }
    />
  );
}

type ChoiceProps = { conflict: PartConflict; side: Side; onChange: (side: Side) => void };

function Choice({ conflict, side, onChange }: ChoiceProps) {
  const { what, mine, theirs } = conflict;
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
