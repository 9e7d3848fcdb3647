"use client";

import type { Route } from "next";
import { use } from "react";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { Link } from "#components/ui/link.tsx";
import { formatCount, formatPercent } from "#lib/platform/format.ts";

/**
 * Responses of a survey, how often it was shown, the share in percent, responses by day; null if unreadable.
 */
type Figures = { shown: number; responses: number; rate: number; days: number[] };
export type RowFigures = Record<string, Figures | null>;

type Props = { id: string; figures: Promise<RowFigures> };

export function Responses({ projectId, id, figures }: Props & { projectId: string }) {
  const found = use(figures)[id];
  if (!found) return <span className="text-faint">–</span>;
  return (
    <Link
      href={`/project/${projectId}/surveys/${id}?view=responses` as Route}
      className="tabular rounded-xs font-medium hover:text-accent-text hover:underline"
    >
      {formatCount(found.responses)}
      <span className="sr-only"> responses</span>
    </Link>
  );
}

/** The response rate, as a number and a bar. */
export function ResponseRate({ id, figures }: Props) {
  const found = use(figures)[id];
  if (!found) return <span className="text-faint">–</span>;
  if (found.shown === 0) return <span className="text-faint text-xs">never shown</span>;
  return (
    <span className="inline-flex items-center gap-2 sm:justify-end">
      <span aria-hidden="true" className="h-1.5 w-14 overflow-hidden rounded-full bg-pressed">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${Math.min(100, found.rate)}%` }}
        />
      </span>
      <span
        className="tabular w-12 text-right"
        title={`${formatCount(found.responses)} of ${formatCount(found.shown)} times shown`}
      >
        {formatPercent(found.rate / 100)}
      </span>
    </span>
  );
}

export const FigureSkeleton = () => <Skeleton className="ml-auto h-3 w-12 max-sm:ml-0" />;

const [WIDE, HIGH] = [72, 20];

/** Responses by day of the last weeks, as a line. */
export function Trend({ id, figures }: Props) {
  const days = use(figures)[id]?.days ?? [];
  const most = Math.max(...days, 0);
  if (days.length < 2 || most === 0) return null;
  const points = days.map((count, at) => {
    const x = (at / (days.length - 1)) * WIDE;
    return `${x.toFixed(1)},${(HIGH - 1 - (count / most) * (HIGH - 2)).toFixed(1)}`;
  });
  const total = days.reduce((sum, count) => sum + count, 0);
  const words = `${formatCount(total)} responses over the last ${days.length} days, ${formatCount(most)} on the busiest`;
  return (
    <svg role="img" aria-label={words} width={WIDE} height={HIGH} className="inline-block">
      <title>{words}</title>
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke="var(--accent)"
        strokeWidth={1.5}
        strokeLinejoin="round"
      />
    </svg>
  );
}
