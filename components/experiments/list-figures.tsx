"use client";

import { TriangleAlert } from "lucide-react";
import { use } from "react";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { RecordLook } from "#components/experiments/results/peeking/record-look.tsx";
import { VERDICT_LOOKS } from "#components/experiments/verdict-looks.ts";
import { cn } from "#components/ui/cn.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { differenceText, type ValueUnit } from "#lib/engines/statistics/numbers.ts";
import type { Verdict } from "#lib/engines/statistics/planning/goal.ts";
import type { DifferenceType } from "#lib/engines/statistics/types.ts";
import type { Finding } from "#lib/experiments/results/result-schema.ts";
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
    evidence: string;
    verdict: Verdict;
  } | null;
  /** What the effect is: a part of the baseline, or in the metric's own unit. */
  difference: DifferenceType;
  /** Whether the metric's value is a share of people. */
  unit: ValueUnit;
  /** Why there is no effect, in words. */
  refusal: string | null;
  /** Errors and warnings about the data, the worst first. */
  findings: readonly Finding[];
};

export type Figures = Promise<Record<number, RowFigures>>;

export const FigureSkeleton = () => <Skeleton className="inline-block h-3.5 w-16" />;

/** Everybody who was exposed, over all variants. */
export function Exposures({ id, figures }: { id: number; figures: Figures }) {
  const exposures = use(figures)[id]?.exposures ?? null;
  if (exposures === null) return <span className="text-faint">–</span>;
  return <span className="tabular">{formatCount(exposures)}</span>;
}

const WORDS: Partial<Record<Finding["code"], string>> = {
  sample_ratio_mismatch: "Wrong split",
  multiple_variants: "Several variants",
  variant_without_exposures: "A variant is missing",
  changed_split: "Split changed",
  no_exposures: "No exposures",
  flag_inactive: "Flag is off",
};

/** What is wrong with an experiment's data, if anything. */
function HealthBadge({ findings }: Pick<RowFigures, "findings">) {
  const [worst] = findings;
  if (!worst) return null;
  const isError = worst.severity === "error";
  return (
    <Badge
      tone={isError ? "danger" : "warning"}
      icon={TriangleAlert}
      title={findings.map(({ title }) => title).join("\n")}
    >
      {WORDS[worst.code] ?? "Check the data"}
      <span className="sr-only">: {worst.title}</span>
    </Badge>
  );
}

/** The primary metric's result in one line; where the data cannot be trusted, that comes first. */
export function ResultLine({ id, figures }: { id: number; figures: Figures }) {
  const found = use(figures)[id];
  if (!found) return <span className="text-faint">–</span>;
  const { best, findings } = found;
  const isTrusted = findings.every(({ severity }) => severity !== "error");
  const text = (value: number) => differenceText(value, found.difference, 1, found.unit);
  const { icon: Icon, tone, word } = VERDICT_LOOKS[isTrusted && best ? best.verdict : "unclear"];
  return (
    <span className="flex min-w-0 flex-col items-start gap-0.5">
      <HealthBadge findings={findings} />
      {best ? (
        <span className={cn("tabular font-medium", tone)} title={isTrusted ? word : undefined}>
          {isTrusted ? (
            <Icon role="img" aria-label={word} className="mr-1 inline size-3.5 align-text-bottom" />
          ) : null}
          {best.key} {text(best.effect)}
          <span className="font-normal text-muted">
            {" "}
            ({text(best.interval[0] ?? 0)} to {text(best.interval[1] ?? 0)};{" "}
            <span className="whitespace-nowrap">{best.evidence}</span>)
          </span>
        </span>
      ) : found.metric ? (
        <span className="text-muted">
          {found.refusal ?? (found.exposures === null ? "No results yet" : "Nothing to compare yet")}
        </span>
      ) : null}
      {found.metric ? <span className="max-w-full truncate text-faint">{found.metric}</span> : null}
    </span>
  );
}

type LooksProps = { projectId: string; figures: Figures; look: ExperimentActions["lookAtList"] };

/** Records the looks at the results that the list shows. */
export function ListLooks({ projectId, figures, look }: LooksProps) {
  const shown = Object.entries(use(figures)).filter(([, { best }]) => best !== null);
  if (shown.length === 0) return null;
  const ids = shown.map(([id]) => Number(id));
  return <RecordLook look={() => look(projectId, ids)} />;
}
