"use client";

import { RefreshCw } from "lucide-react";
import { useState } from "react";
import type { ResultActions } from "#app/project/[project_id]/experiments/[id]/result-actions.ts";
import { TimeChart } from "#components/charts/time/time-chart.tsx";
import type { MetricResult } from "#components/experiments/results/model.ts";
import { unitOf, type Variant } from "#components/experiments/results/model.ts";
import { attempt, problemOf } from "#components/kit/action.ts";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Progress } from "#components/ui/display/progress.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { differenceText } from "#lib/engines/statistics/numbers.ts";
import type { Settings } from "#lib/engines/statistics/types.ts";
import { methodWords } from "#lib/engines/statistics/words.ts";
import type { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { plural } from "#lib/platform/format.ts";
import { buildEstimateSeries, type StoredDays } from "./series.ts";

type Props = {
  projectId: string;
  experimentId: number;
  metric: MetricResult;
  recompute: ResultActions["recompute"];
  /** Called once it is under way. */
  onAsked: () => void;
};

/** Recomputes a metric's recorded days from the current events. */
function RecomputeDays({ projectId, experimentId, metric, recompute, onAsked }: Props) {
  async function ask(): Promise<string | undefined> {
    const { metric: raw, fingerprint } = metric;
    const requested = await attempt(() => recompute(projectId, experimentId, { metric: raw, fingerprint }));
    if (!requested.ok) return problemOf(requested);
    onAsked();
    return undefined;
  }
  return (
    <ConfirmDialog
      trigger={
        <Button size="sm" variant="ghost" icon={RefreshCw} className="print:hidden">
          Recompute daily results…
        </Button>
      }
      title={`Recompute the daily results of ${metric.name}?`}
      description="Each day's result is stored when the day ends. Recomputing includes late events and merged people, from the first day on. Current figures do not change."
      confirmLabel="Recompute"
      onConfirm={ask}
    />
  );
}

type MetricSeriesProps = {
  projectId: string;
  experimentId: number;
  metrics: readonly MetricResult[];
  variants: readonly Variant[];
  settings: Settings;
  events: readonly { at: string; label: string }[];
  /** The current day, which has not ended; null once the experiment has. */
  today: string | null;
  /** Recomputes recorded days; null where the key may not. */
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
      description="The estimate at the end of each day, from all data up to then."
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
  const { data, error, isPending, refetch } = useEndpoint<typeof experimentResultContract.timeseries_results>(
    "/api/projects/{project_id}/experiments/{id}/timeseries_results/",
    {
      params: { project_id: projectId, id: experimentId },
      query: { metric_uuid: metric.uuid, fingerprint: metric.fingerprint },
    },
    { refetchInterval: ({ state }) => (isCounting(state.data?.recalculation_status) ? 2000 : false) },
  );
  if (error)
    return <p className="text-muted text-sm">The daily results could not be loaded: {error.message}</p>;
  if (isPending) return <Skeleton className="h-64 w-full" />;
  const days = data.timeseries as StoredDays;
  const series = buildEstimateSeries(days, variants, today === null ? null : { day: today, metric });
  const words = methodWords(settings);
  const isPercent = settings.difference_type === "relative" || unitOf(metric) === "share";
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
      {plural(Object.keys(errors).length, "day")} could not be computed; {first[0]}: {first[1]}
    </p>
  );
}

function captionOf(
  metric: MetricResult,
  series: ReturnType<typeof buildEstimateSeries>,
  interval: string,
  settings: Settings,
): string {
  const text = (value: number) => differenceText(value, settings.difference_type, 1, unitOf(metric));
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
