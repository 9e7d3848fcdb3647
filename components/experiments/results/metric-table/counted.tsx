import Link from "next/link";
import { peopleHref } from "#components/experiments/results/links.ts";
import { type MetricResult, type Row, unitOf } from "#components/experiments/results/model.ts";
import { amountText, plainNumber } from "#lib/engines/statistics/numbers.ts";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { formatCount } from "#lib/platform/format.ts";

type CountedProps = { projectId: string; experimentId: number; row: Row; metric: MetricResult };

const link =
  "inline-block min-w-6 rounded-xs leading-6 underline-offset-[3px] hover:text-accent-text hover:underline";

/** Exact counts of a variant; each links to the people it counts. */
export function Counted({ row, metric, projectId, experimentId }: CountedProps) {
  const of = { variant: row.key, metric_uuid: metric.uuid };
  const isStarted = metric.metric_type !== null && METRIC_KINDS[metric.metric_type].sums.units === "started";
  const unitsHref = isStarted
    ? peopleHref(projectId, experimentId, { kind: "step", step: 1, ...of })
    : peopleHref(projectId, experimentId, { kind: "exposed", variant: row.key });
  const units = (
    <Link href={unitsHref} className={link}>
      {formatCount(row.number_of_samples)}
    </Link>
  );
  const unit = unitOf(metric);
  if (unit !== "share")
    return (
      <span className="tabular">
        <Link href={peopleHref(projectId, experimentId, { kind: "sum", ...of })} className={link}>
          {amountText(row.sum, unit)}
        </Link>
        {row.denominator_sum === null ? null : (
          <>
            {" ÷ "}
            <Link href={peopleHref(projectId, experimentId, { kind: "denominator", ...of })} className={link}>
              {plainNumber(row.denominator_sum)}
            </Link>
          </>
        )}
        <span className="whitespace-nowrap text-faint text-xs"> from {units}</span>
      </span>
    );
  return (
    <span className="tabular">
      <Link href={peopleHref(projectId, experimentId, { kind: "converted", ...of })} className={link}>
        {formatCount(row.sum)}
      </Link>
      <span className="whitespace-nowrap text-faint text-xs"> of {units}</span>
    </span>
  );
}
