"use client";

import { useState } from "react";
import { ConditionSets } from "#components/conditions/editor/condition-sets.tsx";
import { isComplete } from "#components/conditions/editor/property-kinds.ts";
import { Button } from "#components/ui/button.tsx";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";

const NEW_ROW: FlagProperty = { key: "", type: "person", operator: "exact", value: [] };

type Props = {
  projectId: string;
  people: FlagProperty[];
  names: Names;
  pending: boolean;
  onApply: (people: FlagProperty[]) => void;
  onClose: () => void;
};

/** The people filter: conditions as in the release conditions of flags. */
export function PeoplePanel({ projectId, people, names, pending, onApply, onClose }: Props) {
  const first = people.length > 0 ? people : [NEW_ROW];
  const [rows, setRows] = useState<FlagProperty[]>(first);
  const complete = rows.every(isComplete);
  return (
    <form
      aria-label="Filter by people"
      className="rounded-lg border bg-surface p-3 shadow-card"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) onApply(rows);
      }}
    >
      <ConditionSets
        single
        projectId={projectId}
        initial={[first]}
        names={names}
        onSetsChange={(sets) => setRows(sets[0] ?? [])}
      />
      <div className="mt-3 flex flex-wrap items-center gap-2 border-t pt-3">
        <Button size="sm" type="submit" variant="primary" loading={pending} disabled={!complete}>
          {rows.length === 0 ? "Show everyone" : "Show these people"}
        </Button>
        <Button size="sm" variant="ghost" onClick={onClose}>
          Close
        </Button>
        {complete ? null : <span className="text-faint text-xs">Complete every row first.</span>}
      </div>
    </form>
  );
}
