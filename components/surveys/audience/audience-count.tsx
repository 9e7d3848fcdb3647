"use client";

import { ChevronDown } from "lucide-react";
import type { Route } from "next";
import Link from "next/link";
import { useId, useState } from "react";
import {
  type Cell,
  type Proposed,
  useCellPeople,
  useWhoChanges,
} from "#components/conditions/who_changes/use-who-changes.ts";
import { audienceFilters } from "#components/surveys/draft/audience.ts";
import type { SurveyBody } from "#components/surveys/draft/survey-draft.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { formatCount } from "#lib/platform/format.ts";

const SHOWN = 20;

type Props = {
  projectId: string;
  body: SurveyBody;
  /** Of the stored survey; null for a new one. */
  id: string | null;
  /** Key of its targeting flag, which the rollout hash uses. */
  flagKey: string | null;
};

/** The exact number of stored people in the audience, expandable to a list. */
export function AudienceCount({ projectId, body, id, flagKey }: Props) {
  const proposed: Proposed = {
    id: null,
    key: flagKey ?? "survey-audience",
    active: true,
    filters: audienceFilters(body, id),
  };
  const counted = useWhoChanges(projectId, proposed);
  if (counted.state === "counting")
    return (
      <div role="status" aria-label="Counting the audience">
        <Skeleton className="h-5 w-52" />
      </div>
    );
  if (counted.state === "failed")
    return <p className="text-sm text-warning-text">Could not count the audience: {counted.problem}</p>;
  const { found } = counted;
  const unit = found.group_type_index === null ? "people" : "groups";
  const cell = found.cells.find((each) => each.after !== false && each.after !== null);
  if (found.total === 0)
    return <p className="text-muted text-sm">No {unit} are stored yet, so there is nobody to count.</p>;
  return <Asked {...{ projectId, proposed, cell, unit }} total={found.total} />;
}

type AskedProps = {
  projectId: string;
  proposed: Proposed;
  cell: Cell | undefined;
  unit: string;
  total: number;
};

function Asked({ projectId, proposed, cell, unit, total }: AskedProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const count = cell?.count ?? 0;
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm" aria-live="polite">
        <span>
          <strong className="tabular font-semibold">{formatCount(count)}</strong> of{" "}
          <span className="tabular">{formatCount(total)}</span> {unit} may be asked
        </span>
        {cell && unit === "people" ? (
          <Button
            size="sm"
            variant="ghost"
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            Show people
            <ChevronDown aria-hidden="true" className={cn("transition-transform", open && "rotate-180")} />
          </Button>
        ) : null}
      </p>
      <div id={id} hidden={!open}>
        {open && cell ? <People {...{ projectId, proposed, cell }} /> : null}
      </div>
    </div>
  );
}

function People({ projectId, proposed, cell }: { projectId: string; proposed: Proposed; cell: Cell }) {
  const [limit, setLimit] = useState(SHOWN);
  const { data, error } = useCellPeople(projectId, proposed, cell, limit);
  if (error) return <p className="text-warning-text text-xs">{error.message}</p>;
  if (!data) return <Skeleton className="h-16" />;
  return (
    <div className="rounded-md border bg-sunken px-3 py-2 text-xs">
      <ul aria-label="People in the audience" className="max-h-52 overflow-y-auto scroll-thin">
        {data.results.map((person) => (
          <li key={person.id}>
            <Link
              href={`/project/${projectId}/persons/${person.id}` as Route}
              target="_blank"
              className="flex min-h-6 items-center break-all text-muted hover:text-ink hover:underline"
            >
              {person.name}
            </Link>
          </li>
        ))}
      </ul>
      <p className="tabular mt-1 text-faint">
        {formatCount(data.results.length)} of {formatCount(cell.count)} shown
        {data.results.length < cell.count && limit < 1_000 ? (
          <button
            type="button"
            className="ml-2 min-h-6 text-accent-text hover:underline"
            onClick={() => setLimit(Math.min(limit * 10, 1_000))}
          >
            Show more
          </button>
        ) : null}
      </p>
    </div>
  );
}
