"use client";

import { use } from "react";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import type { DifferenceType } from "#lib/engines/statistics/types.ts";
import { differenceText } from "#lib/engines/statistics/words.ts";
import { formatCount } from "#lib/platform/format.ts";

/** An experiment's results in the list, as last computed. */
export type RowFigures = {
  exposures: number | null;
  /** Name of the primary metric. */
  metric: string | null;
  /** The variant furthest from its baseline. */
  best: {
    key: string;
    effect: number;
    interval: readonly number[];
    direction: "better" | "worse" | "unclear";
    significant: boolean;
  } | null;
  /** What the effect is: a part of the baseline, or in the metric's own unit. */
  difference: DifferenceType;
  /** Whether the metric's value is a share of people. */
  is_share: boolean;
  /** Why there is no effect, in words. */
  refusal: string | null;
};

export type Figures = Promise<Record<number, RowFigures>>;

export const FigureSkeleton = () => <Skeleton className="inline-block h-3.5 w-16" />;

/** Everybody who was exposed, over all variants. */
export function Exposures({ id, figures }: { id: number; figures: Figures }) {
  const exposures = use(figures)[id]?.exposures ?? null;
  if (exposures === null) return <span className="text-faint">–</span>;
  return <span className="tabular">{formatCount(exposures)}</span>;
}

const SIGNS = { better: "▲", worse: "▼", unclear: "◆" } as const;
const TONES = { better: "text-success-text", worse: "text-danger-text", unclear: "text-muted" } as const;
const WORDS = { better: "better", worse: "worse", unclear: "no clear difference" } as const;

/** The primary metric's result in one line. */
export function ResultLine({ id, figures }: { id: number; figures: Figures }) {
  const found = use(figures)[id];
  if (!found?.metric) return <span className="text-faint">–</span>;
  const { best } = found;
  const text = (value: number) => differenceText(value, found.difference, 1, found.is_share);
  return (
    <span className="flex min-w-0 flex-col">
      {best ? (
        <span className={cn("tabular whitespace-nowrap font-medium", TONES[best.direction])}>
          <span aria-hidden="true">{SIGNS[best.direction]} </span>
          {best.key} {text(best.effect)}
          <span className="font-normal text-muted">
            {" "}
            ({text(best.interval[0] ?? 0)} to {text(best.interval[1] ?? 0)})
          </span>
          <span className="sr-only">, {WORDS[best.direction]}</span>
        </span>
      ) : (
        <span className="text-muted">
          {found.refusal ?? (found.exposures === null ? "No results yet" : "Nothing to compare yet")}
        </span>
      )}
      <span className="truncate text-faint">{found.metric}</span>
    </span>
  );
}
