"use client";

import type { ReactNode } from "react";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { MetricPreview } from "#lib/experiment_results/result_schema.ts";
import { PREVIEW_DAYS, type PreviewFrom, usePreview } from "./use_preview.ts";

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 });

type Props = { projectId: string; metric: Record<string, unknown>; from: PreviewFrom };

/** What a metric would have been over the past days, from stored events. */
export function MetricPreviewBox({ projectId, metric, from }: Props) {
  const preview = usePreview(projectId, metric, from);
  return (
    <section aria-label="Preview" aria-live="polite" className="rounded-lg border bg-sunken px-3.5 py-3">
      <h3 className="mb-2 font-medium text-muted text-xs">
        The last {PREVIEW_DAYS} days,{" "}
        {from.feature_flag_key
          ? `of whoever was asked for ${from.feature_flag_key}`
          : `from somebody's first ${from.exposure_event ?? "$pageview"} on`}
      </h3>
      {preview.state === "unfinished" ? (
        <p className="text-muted text-sm">Choose its events, and the figures of stored events stand here.</p>
      ) : preview.state === "counting" ? (
        <Skeleton className="h-9 w-full" />
      ) : preview.state === "failed" ? (
        <p className="text-sm text-warning-text">{preview.problem}</p>
      ) : (
        <Figures found={preview.found} kind={String(metric.metric_type)} />
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

function Figures({ found, kind }: { found: MetricPreview; kind: string }) {
  if (found.problem) return <p className="text-sm text-warning-text">{found.problem}</p>;
  if (found.units === 0)
    return (
      <p className="text-muted text-sm">
        Nobody in this time. The metric can be kept all the same: events may come with the launch.
      </p>
    );
  const share = kind === "funnel" || kind === "retention";
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 lg:grid-cols-1">
        <Figure term={share ? "Converted" : kind === "ratio" ? "Ratio" : "Per person"}>
          {share
            ? found.conversion === null
              ? "–"
              : percent.format(found.conversion)
            : found.mean === null
              ? "–"
              : number.format(found.mean)}
        </Figure>
        <Figure term="People">{count.format(found.units)}</Figure>
        <Figure term={share ? "Who converted" : "In all"}>{number.format(found.events)}</Figure>
        <Figure term="New people a day">{number.format(found.daily_units)}</Figure>
      </dl>
      {found.steps.length > 1 ? (
        <p className="tabular mt-2 text-muted text-xs">
          {count.format(found.units)} → {found.steps.map((step) => count.format(step)).join(" → ")}
        </p>
      ) : null}
      {found.one_in > 1 ? (
        <p className="mt-2 text-faint text-xs">Estimated from one person in {found.one_in}.</p>
      ) : null}
    </>
  );
}
