"use client";

import type { Route } from "next";
import Link from "next/link";
import { useState } from "react";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { formatCount } from "#lib/platform/format.ts";
import { type Cell, type Proposed, useCellPeople } from "./use-who-changes.ts";

const PEOPLE_MAX = 1_000;

type Props = {
  projectId: string;
  proposed: Proposed;
  cell: Cell;
  /** How many are shown at first. */
  first: number;
  label?: string;
  className?: string;
};

/** The people behind one count of a change, some at first and then more. */
export function CellPeople({ projectId, proposed, cell, first, label, className }: Props) {
  const [limit, setLimit] = useState(first);
  const { data, error } = useCellPeople(projectId, proposed, cell, limit);
  if (error) return <p className={cn("text-warning-text text-xs", className)}>{error.message}</p>;
  if (!data) return <Skeleton className="mx-3 mb-3 h-16" />;
  return (
    <div className={cn("flex flex-col gap-1 text-xs", className)}>
      <ul aria-label={label} className="max-h-52 overflow-y-auto scroll-thin">
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
      <p className="tabular text-faint">
        {formatCount(data.results.length)} of {formatCount(cell.count)} shown
        {data.results.length < cell.count && limit < PEOPLE_MAX ? (
          <>
            {" · "}
            <button
              type="button"
              className="min-h-6 text-accent-text hover:underline"
              onClick={() => setLimit(Math.min(limit * 10, PEOPLE_MAX))}
            >
              Show more
            </button>
          </>
        ) : null}
      </p>
    </div>
  );
}
