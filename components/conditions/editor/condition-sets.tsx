"use client";

import { Plus, Trash2 } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import { Button } from "#components/ui/button.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { draftOf, type FiltersDraft, filtersOf } from "./draft.ts";
import { addRow, addSet, removeSet } from "./edit-draft.ts";
import { FiltersProvider, useFilters } from "./filters-context.tsx";
import { isComplete } from "./property-kinds.ts";
import { ReachText } from "./reach-text.tsx";
import { RowEditor } from "./row-editor.tsx";

type Sets = FlagProperty[][];

type Props = {
  projectId: string;
  /** Where editing begins; later changes from outside need another `key`. */
  initial: Sets;
  onSetsChange: (sets: Sets) => void;
  names?: Names;
  /** Path [set, row, …]; [] for the whole. */
  problem?: PlacedProblem | null;
  /** One set only, without a frame: all of its rows must match. */
  single?: boolean;
};

/** Sets of rows on people: matches everyone who matches all rows of at least one set. The rows are those of flags. */
export function ConditionSets({
  projectId,
  initial,
  onSetsChange,
  names = {},
  problem = null,
  single,
}: Props) {
  const [draft, setDraft] = useState(() =>
    draftOf({ groups: initial.map((properties) => ({ properties, rollout_percentage: 100 })) }),
  );
  const [learnt, setLearnt] = useState(names);
  const [announcement, setAnnouncement] = useState("");
  const latest = useRef(draft);
  function change(next: (draft: FiltersDraft) => FiltersDraft) {
    latest.current = next(latest.current);
    setDraft(latest.current);
    onSetsChange(filtersOf(latest.current).groups.map((group) => group.properties ?? []));
  }
  const placed = useMemo(() => problem && { ...problem, path: flagPath(problem.path) }, [problem]);
  return (
    <FiltersProvider
      value={{
        projectId,
        flagId: null,
        draft,
        change,
        problem: placed,
        warnings: [],
        names: learnt,
        learn: (kind, id, name) =>
          setLearnt((before) => ({ ...before, [kind]: new Map([...(before[kind] ?? []), [id, name]]) })),
        announce: setAnnouncement,
        readOnly: false,
      }}
    >
      <div className="flex flex-col gap-2">
        {single ? <Rows place={0} /> : <Framed />}
        {placed && placed.path.length < 2 ? <FieldError>{placed.message}</FieldError> : null}
      </div>
      <span aria-live="polite" className="sr-only">
        {announcement}
      </span>
    </FiltersProvider>
  );
}

/** The same place as the rows know it: sets are the groups of a flag there. */
const flagPath = ([set, row, ...rest]: PlacedProblem["path"]): PlacedProblem["path"] =>
  set === undefined ? [] : row === undefined ? ["groups", set] : ["groups", set, "properties", row, ...rest];

function Framed() {
  const { projectId, draft, change, announce } = useFilters();
  const groups = filtersOf(draft).groups;
  return (
    <>
      <ol className="flex flex-col gap-2">
        {draft.sets.map((set, place) => (
          <li key={set.uid} className="flex flex-col gap-2">
            {place > 0 ? <span className="pl-1 font-medium text-faint text-xs">or</span> : null}
            <div className="rounded-lg border bg-surface shadow-card">
              <div className="flex min-h-9 items-center justify-between gap-2 border-b py-1 pr-1.5 pl-3">
                <p aria-live="polite" className="text-muted text-xs">
                  <ReachText
                    projectId={projectId}
                    group={groups[place] ?? set.group}
                    groupTypeIndex={null}
                    complete={set.rows.length > 0 && set.rows.every((row) => isComplete(row.property))}
                  />
                </p>
                {draft.sets.length > 1 ? (
                  <IconButton
                    icon={Trash2}
                    size="sm"
                    label={`Delete set ${place + 1}`}
                    onClick={() => {
                      change((each) => removeSet(each, set.uid));
                      announce(`Set ${place + 1} deleted`);
                    }}
                  />
                ) : null}
              </div>
              <div className="p-3">
                <Rows place={place} />
              </div>
            </div>
          </li>
        ))}
      </ol>
      <Button size="sm" variant="ghost" icon={Plus} className="w-fit" onClick={() => change(addSet)}>
        Or people who…
      </Button>
    </>
  );
}

function Rows({ place }: { place: number }) {
  const { draft, change } = useFilters();
  const set = draft.sets[place];
  if (!set) return null;
  const add = (property: FlagProperty) => change((each) => addRow(each, set.uid, property));
  return (
    <div className="flex flex-col gap-2">
      <ul aria-label={`Rows of set ${place + 1}`} className="flex flex-col gap-2">
        {set.rows.map((row, at) => (
          <RowEditor key={row.uid} setUid={set.uid} setPlace={place} row={row} place={at} />
        ))}
      </ul>
      <div className="flex flex-wrap gap-1.5 sm:pl-13">
        <Button
          size="sm"
          variant="ghost"
          icon={Plus}
          onClick={() => add({ key: "", type: "person", operator: "exact", value: [] })}
        >
          Property
        </Button>
        <Button
          size="sm"
          variant="ghost"
          icon={Plus}
          onClick={() => add({ key: "id", type: "cohort", operator: "in", value: "" })}
        >
          Cohort
        </Button>
      </div>
    </div>
  );
}
