import type { Route } from "next";
import { type PeopleQuery, peopleHref } from "#components/experiments/results/links.ts";
import { type MetricResult, type Row, unitOf } from "#components/experiments/results/model.ts";
import { Link } from "#components/ui/link.tsx";
import { amountText, plainNumber } from "#lib/engines/statistics/numbers.ts";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { formatCount } from "#lib/platform/format.ts";

type CountedProps = { projectId: string; experimentId: number | null; row: Row; metric: MetricResult };

/** Exact counts of a variant; each links to the people it counts, where they can be listed. */
export function Counted({ row, metric, projectId, experimentId }: CountedProps) {
  const of = { variant: row.key, metric_uuid: metric.uuid };
  const isStarted = metric.metric_type !== null && METRIC_KINDS[metric.metric_type].sums.units === "started";
  const opening = (query: PeopleQuery, text: string) =>
    experimentId === null ? (
      text
    ) : (
      <Opening href={peopleHref(projectId, experimentId, query)}>{text}</Opening>
    );
  const units = opening(
    isStarted ? { kind: "step", step: 1, ...of } : { kind: "exposed", variant: row.key },
    formatCount(row.number_of_samples),
  );
  const unit = unitOf(metric);
  if (unit !== "share")
    return (
      <span className="tabular">
        {opening({ kind: "sum", ...of }, amountText(row.sum, unit))}
        {row.denominator_sum === null ? null : (
          <> ÷ {opening({ kind: "denominator", ...of }, plainNumber(row.denominator_sum))}</>
        )}
        <span className="whitespace-nowrap text-faint text-xs"> from {units}</span>
      </span>
    );
  return (
    <span className="tabular">
      {opening({ kind: "converted", ...of }, formatCount(row.sum))}
      <span className="whitespace-nowrap text-faint text-xs"> of {units}</span>
    </span>
  );
}

const Opening = ({ href, children }: { href: Route; children: string }) => (
  <Link
    href={href}
    className="inline-block min-w-6 rounded-xs leading-6 underline-offset-[3px] hover:text-accent-text hover:underline"
  >
    {children}
  </Link>
);
