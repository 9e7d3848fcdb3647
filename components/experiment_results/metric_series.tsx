"use client";

import { useState } from "react";
import { TimeChart } from "#components/charts/time_chart.tsx";
import { Card } from "#components/ui/card.tsx";
import { Progress } from "#components/ui/progress.tsx";
import { Select } from "#components/ui/select.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { useEndpoint } from "#components/use-endpoint.ts";
import { experimentResultContract } from "#lib/experiment_results/contract.ts";
import type { Settings } from "#lib/statistics/types.ts";
import { differenceText, methodWords } from "#lib/statistics/words.ts";
import { isShare, type MetricResult, type Variant } from "./model.ts";
import { RecomputeDays } from "./recompute_days.tsx";
import type { ResultActions } from "./result_actions.ts";
import { estimateSeries, type StoredDays } from "./series.ts";

type MetricSeriesProps = {
  projectId: string;
  experimentId: number;
  metrics: readonly MetricResult[];
  variants: readonly Variant[];
  settings: Settings;
  events: readonly { at: string; label: string }[];
  /** The day that figures are of, where it has not ended; null once the experiment has. */
  today: string | null;
  /** Has recorded days computed anew; null where the key may not ask for it. */
  recompute: ResultActions["recompute"] | null;
};

/** One metric's estimate by day with its interval as a band; another metric at a choice. */
export function MetricSeries(props: MetricSeriesProps) {
  const { metrics } = props;
  const [uuid, setUuid] = useState(metrics[0]?.uuid ?? "");
  const metric = metrics.find((each) => each.uuid === uuid) ?? metrics[0];
  if (!metric) return null;
  return (
    <Card
      title="Over time"
      description="Each day's estimate from everything up to it."
      actions={
        metrics.length > 1 ? (
          <div className="print:hidden">
            <Select
              label="Metric"
              value={metric.uuid}
              onValueChange={setUuid}
              options={metrics.map((each) => ({ value: each.uuid, label: each.name }))}
            />
          </div>
        ) : null
      }
    >
      <Series key={metric.uuid} {...props} metric={metric} />
    </Card>
  );
}

const isCounting = (status: string | null | undefined) => status === "pending" || status === "in_progress";

function Series(props: MetricSeriesProps & { metric: MetricResult }) {
  const { projectId, experimentId, metric, variants, settings, events, today } = props;
  const { data, error, isPending, refetch } = useEndpoint(
    experimentResultContract.timeseries_results,
    {
      params: { project_id: projectId, id: experimentId },
      query: { metric_uuid: metric.uuid, fingerprint: metric.fingerprint },
    },
    { refetchInterval: ({ state }) => (isCounting(state.data?.recalculation_status) ? 2000 : false) },
  );
  if (error) return <p className="text-muted text-sm">The days could not be read: {error.message}</p>;
  if (isPending) return <Skeleton className="h-64 w-full" />;
  const days = data.timeseries as StoredDays;
  const series = estimateSeries(days, variants, today === null ? null : { day: today, metric });
  const words = methodWords(settings);
  const isPercent = settings.difference_type === "relative" || isShare(metric.metric_type);
  return (
    <div className="flex flex-col gap-3">
      {isCounting(data.recalculation_status) ? (
        <div className="max-w-sm" role="status">
          <p className="mb-1 text-muted text-xs">Past days are being counted.</p>
          <Progress value={data.progress ?? null} label="Counting past days" />
        </div>
      ) : null}
      {data.errors ? <Failures errors={data.errors} /> : null}
      {series.every(({ points }) => points.every(({ value }) => value === null)) ? (
        <p className="text-muted text-sm">{metric.name} cannot be compared on any day yet.</p>
      ) : (
        <TimeChart
          title={metric.name}
          caption={captionOf(metric, series, words.interval, settings)}
          measure={{ unit: isPercent ? "lift" : "number" }}
          series={series}
          events={events}
          reference={0}
          fromZero={false}
          grouping="last"
          steady
          intervalName={words.interval}
        />
      )}
      {props.recompute && !isCounting(data.recalculation_status) ? (
        <div className="flex justify-end">
          <RecomputeDays
            projectId={projectId}
            experimentId={experimentId}
            metric={metric}
            recompute={props.recompute}
            onAsked={() => void refetch()}
          />
        </div>
      ) : null}
    </div>
  );
}

function Failures({ errors }: { errors: Readonly<Record<string, string>> }) {
  const [first] = Object.entries(errors);
  if (!first) return null;
  return (
    <p className="text-warning-text text-xs">
      {Object.keys(errors).length === 1 ? "One day" : `${Object.keys(errors).length} days`} could not be
      counted; {first[0]}: {first[1]}
    </p>
  );
}

function captionOf(
  metric: MetricResult,
  series: ReturnType<typeof estimateSeries>,
  interval: string,
  settings: Settings,
): string {
  const text = (value: number) =>
    differenceText(value, settings.difference_type, 1, isShare(metric.metric_type));
  const latest = series.flatMap(({ name, points }) => {
    const last = points.findLast(({ value }) => value !== null);
    return last?.interval && last.value !== null
      ? [`${name} ${text(last.value)} (${text(last.interval[0])} to ${text(last.interval[1])})`]
      : [];
  });
  return `Difference from the baseline with its ${interval}. Latest: ${latest.join("; ")}. ${
    metric.goal === "decrease" ? "Below the line is better." : "Above the line is better."
  }`;
}
