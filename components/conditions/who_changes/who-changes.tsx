"use client";

import { ArrowRight } from "lucide-react";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { cn } from "#components/ui/cn.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import type { WhoChangesAnswer } from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { formatCount, formatShortPercent, plural } from "#lib/platform/format.ts";
import { CellPeople } from "./cell-people.tsx";
import { ConsequencesNote } from "./consequences-list.tsx";
import { Count } from "./count.tsx";
import { OpeningRow } from "./opening-row.tsx";
import type { Source } from "./use-cell-members.ts";
import { type Cell, type Proposed, useWhoChanges } from "./use-who-changes.ts";

/** Whether somebody who is counted gets another value. */
export const moves = (cell: Cell) => (cell.before ?? false) !== (cell.after ?? false);
const word = (value: Cell["before"]) => (value === null ? "no flag" : valueInWords(value));

type Props = { projectId: string; proposed: Proposed };

/** Whose value a change would change: every pair of old and new value with its people. */
export function WhoChanges({ projectId, proposed }: Props) {
  const counted = useWhoChanges(projectId, proposed);
  const effects = counted.state === "counted" ? counted.found : null;
  return (
    <>
      <ConsequencesNote projectId={projectId} consequences={effects?.consequences ?? []} />
      <CountedChanges projectId={projectId} proposed={proposed} counted={counted} />
    </>
  );
}

/** The same for a count that runs elsewhere. */
export function CountedChanges({
  projectId,
  proposed,
  counted,
}: Props & { counted: ReturnType<typeof useWhoChanges> }) {
  return (
    <Count label="Counting whose value changes" counted={counted} soFar={changedSoFar}>
      {(found) => <Counted projectId={projectId} proposed={proposed} found={found} />}
    </Count>
  );
}

const changedSoFar = ({ changed }: WhoChangesAnswer) => `${formatCount(changed)} get a different value`;

function Counted({ projectId, proposed, found }: Props & { found: WhoChangesAnswer }) {
  const unit = found.group_type_index === null ? "people" : "groups";
  const changing = found.cells.filter(moves);
  const staying = found.cells.filter((cell) => !moves(cell));
  if (found.total === 0)
    return <p className="text-muted text-sm">No {unit} are stored yet, so nobody is affected.</p>;
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p>
        <Headline found={found} unit={unit} />
      </p>
      {found.pinned > 0 ? (
        <p className="text-muted text-xs">
          {plural(found.pinned, "person is", "people are")} pinned: not affected.
        </p>
      ) : null}
      {found.unit_changed ? (
        <p className="text-muted text-xs">
          The change also alters what the flag is evaluated for, so earlier values cannot be compared.
        </p>
      ) : null}
      {changing.length > 0 ? (
        <CellRows
          label="Who changes"
          cells={changing}
          {...{ projectId, proposed, unit, total: found.total }}
        />
      ) : null}
      {staying.length > 0 ? (
        <details className="group/stays text-xs">
          <summary className="cursor-pointer rounded-xs text-faint hover:text-ink">
            Unchanged: {staying.map((cell) => `${formatCount(cell.count)} ${word(cell.after)}`).join(", ")}
          </summary>
          <CellRows
            label="Who stays"
            cells={staying}
            className="mt-1.5"
            {...{ projectId, proposed, unit, total: found.total }}
          />
        </details>
      ) : null}
      <DependentChanges dependents={found.dependents} />
    </div>
  );
}

/** Names the flags that change because they depend on a changed one. */
export function DependentChanges({ dependents }: Pick<WhoChangesAnswer, "dependents">) {
  const changing = dependents.filter((flag) => flag.changed > 0);
  if (changing.length === 0) return null;
  const named = changing.map((flag) => `${flag.key} for ${formatCount(flag.changed)} people`);
  return <p className="text-warning-text text-xs">Flags that depend on it change too: {named.join(", ")}.</p>;
}

function Headline({ found, unit }: { found: WhoChangesAnswer; unit: string }) {
  if (found.changed === 0) return <>Nobody’s value changes.</>;
  if (found.changed === found.total)
    return (
      <strong className="font-semibold">
        All {formatCount(found.total)} {unit} get a different value.
      </strong>
    );
  return (
    <>
      <strong className="tabular font-semibold">{formatCount(found.changed)}</strong> of{" "}
      <span className="tabular">{formatCount(found.total)}</span> {unit} get a different value.
    </>
  );
}

type RowsProps = {
  projectId: string;
  proposed: Source;
  label: string;
  cells: readonly Cell[];
  unit: "people" | "groups";
  total: number;
  className?: string;
};

/** Counts, each of which opens the people (or groups) behind it. */
export function CellRows({ label, cells, className, ...row }: RowsProps) {
  return (
    <ul aria-label={label} className={cn("divide-y rounded-md border bg-sunken text-sm", className)}>
      {cells.map((cell) => (
        <Row key={`${cell.before} ${cell.after}`} cell={cell} {...row} />
      ))}
    </ul>
  );
}

type RowProps = Pick<RowsProps, "projectId" | "proposed" | "unit" | "total"> & { cell: Cell };

function Row({ projectId, proposed, cell, unit, total }: RowProps) {
  return (
    <OpeningRow
      people={() => (
        <CellPeople
          {...{ projectId, proposed, cell }}
          first={10}
          ofGroups={unit === "groups"}
          className="px-3 pb-2"
        />
      )}
    >
      {moves(cell) ? (
        <>
          <Badge>{word(cell.before)}</Badge>
          <ArrowRight aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
          <span className="sr-only">to</span>
        </>
      ) : null}
      <Badge tone={cell.after === false || cell.after === null ? "neutral" : "accent"}>
        {word(cell.after)}
      </Badge>
      <span className="tabular ml-auto font-medium text-ink">{formatCount(cell.count)}</span>
      <span className="tabular w-12 text-right text-faint text-xs">
        {formatShortPercent(cell.count / total, 1)}
      </span>
    </OpeningRow>
  );
}
