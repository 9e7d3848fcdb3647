"use client";

import { ChevronRight } from "lucide-react";
import { memo, useState } from "react";
import { useWatch } from "react-hook-form";
import { type FiltersDraft, filtersOf } from "#components/conditions/editor/draft.ts";
import { useFilters } from "#components/conditions/editor/filters-context.tsx";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { Count } from "#components/conditions/who_changes/count.tsx";
import {
  type Cell,
  type Proposed,
  useWhoChanges,
} from "#components/conditions/who_changes/use-who-changes.ts";
import { CellRows } from "#components/conditions/who_changes/who-changes.tsx";
import type { FlagForm } from "#components/feature_flags/form-values.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import { cn } from "#components/ui/cn.ts";
import { VariantDot } from "#components/ui/display/share-bar.tsx";
import type { WhoChangesAnswer } from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { variantsOf } from "#lib/people/conditions/words.ts";
import { formatCount, formatShortPercent } from "#lib/platform/format.ts";

/** How many people get each variant overall with what is being edited, once the flag is on. */
export function VariantTotals() {
  const { draft, projectId, flagId } = useFilters();
  const key = useWatch<FlagForm, "key">({ name: "key" });
  // Not while somebody types: a large targeting is not to be compared with every key.
  const { value, settled } = useSettled(draft, draft);
  return <Totals {...{ projectId, flagId }} draft={value} flagKey={key.trim()} isCurrent={settled} />;
}

type Props = {
  projectId: string;
  flagId: number | null;
  flagKey: string;
  draft: FiltersDraft;
  isCurrent: boolean;
};

const Totals = memo(function Totals({ projectId, flagId, flagKey, draft, isCurrent }: Props) {
  const filters = filtersOf(draft);
  const proposed = { id: flagId, key: flagKey, active: true, filters };
  const counted = useWhoChanges(projectId, proposed);
  const keys = variantsOf(filters).map((variant) => variant.key);
  return (
    <section
      aria-label="People per variant"
      aria-busy={!isCurrent || counted.state === "counting"}
      className={cn("flex flex-col gap-1.5 border-t pt-3 text-sm", isCurrent || "opacity-60")}
    >
      <h3 className="font-medium">People per variant</h3>
      <p className="text-muted text-xs">
        With this draft, once the flag is on. Counted on everyone stored now.
      </p>
      <Count label="Counting who gets which variant" counted={counted} soFar={totalsSoFar}>
        {(found) => <TotalRows {...{ projectId, proposed, found, keys }} />}
      </Count>
    </section>
  );
});

/** The cells of each value after the save. */
const cellsByValue = ({ cells }: WhoChangesAnswer) => Map.groupBy(cells, (cell) => cell.after ?? false);

const countOf = (cells: readonly Cell[]) => cells.reduce((sum, cell) => sum + cell.count, 0);

const totalsSoFar = (found: WhoChangesAnswer) =>
  [...cellsByValue(found)]
    .map(([value, cells]) => `${formatCount(countOf(cells))} ${valueInWords(value)}`)
    .join(", ");

type RowsProps = { projectId: string; proposed: Proposed; found: WhoChangesAnswer; keys: readonly string[] };

function TotalRows({ projectId, proposed, found, keys }: RowsProps) {
  const { total, group_type_index } = found;
  const unit = group_type_index === null ? "people" : "groups";
  if (total === 0)
    return <p className="text-muted">No {unit} are stored yet, so there is nobody to count.</p>;
  const byValue = cellsByValue(found);
  const values = [...keys, ...[...byValue.keys()].filter((value) => !keys.includes(String(value)))];
  return (
    <ul className="divide-y rounded-md border bg-sunken">
      {values.map((value, place) => (
        <TotalRow
          key={String(value)}
          {...{ projectId, proposed, value, unit, total }}
          dot={place < keys.length ? place : null}
          cells={byValue.get(value) ?? []}
        />
      ))}
    </ul>
  );
}

type RowProps = Pick<RowsProps, "projectId" | "proposed"> & {
  value: string | boolean;
  /** Place of the variant; null for what is none. */
  dot: number | null;
  cells: readonly Cell[];
  unit: "people" | "groups";
  total: number;
};

/** One value with its people; what opens says which value they have now. */
function TotalRow({ projectId, proposed, value, dot, cells, unit, total }: RowProps) {
  const [open, setOpen] = useState(false);
  const count = countOf(cells);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)} className="group/total">
        <summary className="flex cursor-pointer list-none items-center gap-2 rounded-xs px-3 py-1.5 hover:bg-hover">
          <ChevronRight
            aria-hidden="true"
            className="size-3.5 shrink-0 text-faint transition-transform group-open/total:rotate-90"
          />
          {dot === null ? null : <VariantDot index={dot} />}
          <span className="min-w-0 break-words font-medium">{valueInWords(value)}</span>
          <span className="tabular ml-auto font-medium">{formatCount(count)}</span>
          <span className="tabular w-12 text-right text-faint text-xs">
            {formatShortPercent(count / total, 1)}
          </span>
        </summary>
        <div className="px-3 pb-2">
          {open && cells.length > 0 ? (
            <CellRows
              label={`Who gets ${valueInWords(value)}`}
              {...{ projectId, proposed, cells, unit, total }}
            />
          ) : null}
          {open && cells.length === 0 ? <p className="text-muted text-xs">Nobody.</p> : null}
        </div>
      </details>
    </li>
  );
}
