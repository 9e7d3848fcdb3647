"use client";

import { useState } from "react";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import { Button } from "#components/ui/button.tsx";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { ConditionSets } from "./condition-sets.tsx";
import { isComplete } from "./property-kinds.ts";

const NEW_ROW: FlagProperty = { key: "", type: "person", operator: "exact", value: [] };

type Props = {
  projectId: string;
  label: string;
  rows: FlagProperty[];
  names: Names;
  /** What the API says about the filter; the path begins at the row. */
  problem?: PlacedProblem | null;
  pending: boolean;
  onApply: (rows: FlagProperty[]) => void;
  onClose: () => void;
};

/** A filter of people: rows as in the release conditions of flags, all of which must match. */
export function RowsFilter({ label, rows, problem = null, pending, onApply, onClose, ...sets }: Props) {
  const [initial] = useState(() => [rows.length > 0 ? rows : [NEW_ROW]]);
  const [edited, setEdited] = useState(initial[0] ?? []);
  const complete = edited.every(isComplete);
  return (
    <form
      aria-label={label}
      className="rounded-lg border bg-surface p-3 shadow-card"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) onApply(edited);
      }}
    >
      <ConditionSets
        single
        {...sets}
        initial={initial}
        problem={problem && { ...problem, path: problem.path.length > 0 ? [0, ...problem.path] : [] }}
        onSetsChange={(changed) => setEdited(changed[0] ?? [])}
      />
      <div className="mt-3 flex flex-wrap items-center gap-2 border-t pt-3">
        <Button size="sm" type="submit" variant="primary" loading={pending} disabled={!complete}>
          {edited.length === 0 ? "Show everyone" : "Show these people"}
        </Button>
        <Button size="sm" variant="ghost" onClick={onClose}>
          Close
        </Button>
        {complete ? null : <span className="text-faint text-xs">Complete every row first.</span>}
      </div>
    </form>
  );
}
