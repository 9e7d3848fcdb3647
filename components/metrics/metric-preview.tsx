"use client";

import type { ReactNode } from "react";
import { useUnit } from "#components/metrics/use-group-types.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import type { Json } from "#lib/engines/json.ts";
import { amountText, plainNumber } from "#lib/engines/statistics/numbers.ts";
import { readMetricType, UNKNOWN, valueUnitOf } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { MetricPreview } from "#lib/experiments/results/result-schema.ts";
import { unitWord } from "#lib/experiments/results/unit-words.ts";
import { formatCount, formatShortPercent } from "#lib/platform/format.ts";
import { METRIC_WORDS } from "./metric-words.ts";
import { PREVIEW_DAYS, type PreviewFrom, usePreview } from "./use-preview.ts";

type Props = { projectId: string; metric: Json; from: PreviewFrom };

/** A metric over the past days, from stored events. */
export function MetricPreviewBox({ projectId, metric, from }: Props) {
  const unit = useUnit(projectId, from.aggregation_group_type_index ?? null);
  const preview = usePreview(projectId, metric, from);
  return (
    <section aria-label="Preview" aria-live="polite" className="rounded-lg border bg-sunken px-3.5 py-3">
      <h3 className="mb-2 font-medium text-muted text-xs">
        Last {PREVIEW_DAYS} days,{" "}
        {from.feature_flag_key
          ? `${unitWord(unit)} ${unit === "person" ? "who" : "that"} evaluated ${from.feature_flag_key}`
          : `from the first ${from.exposure_event ?? "$pageview"} of each ${unit}`}
      </h3>
      {preview.state === "unfinished" ? (
        <p className="text-muted text-sm">Choose events to preview the metric.</p>
      ) : preview.state === "counting" ? (
        <Skeleton className="h-9 w-full" />
      ) : preview.state === "failed" ? (
        <p className="text-sm text-warning-text">{preview.problem}</p>
      ) : (
        <Figures found={preview.found} metric={metric} unit={unit} />
      )}
    </section>
  );
}

function Figure({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className="text-muted text-xs">{term}</dt>
      <dd className="tabular truncate font-semibold text-lg">{children}</dd>
    </div>
  );
}

function Figures({ found, metric, unit }: { found: MetricPreview; metric: Json; unit: string }) {
  const type = readMetricType(metric);
  const values = valueUnitOf(metric);
  if (type === UNKNOWN || found.problem) return <p className="text-sm text-warning-text">{found.problem}</p>;
  if (found.units === 0)
    return (
      <p className="text-muted text-sm">
        Nobody in this period. You can still use the metric: events may arrive after launch.
      </p>
    );
  const words = METRIC_WORDS[type];
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 lg:grid-cols-1">
        <Figure term={words.value}>
          {values === "share"
            ? found.conversion === null
              ? "–"
              : formatShortPercent(found.conversion)
            : found.mean === null
              ? "–"
              : amountText(found.mean, values)}
        </Figure>
        <Figure term={unitWord(unit).replace(/^./, (letter) => letter.toUpperCase())}>
          {formatCount(found.units)}
        </Figure>
        <Figure term={words.total}>{amountText(found.events, values)}</Figure>
        <Figure term={`New ${unitWord(unit)} per day`}>{plainNumber(found.daily_units)}</Figure>
      </dl>
      {found.steps.length > 1 ? (
        <p className="tabular mt-2 text-muted text-xs">
          {formatCount(found.units)} → {found.steps.map((step) => formatCount(step)).join(" → ")}
        </p>
      ) : null}
      {found.one_in > 1 ? (
        <p className="mt-2 text-faint text-xs">
          Estimated from one {unit} in {found.one_in}.
        </p>
      ) : null}
    </>
  );
}
