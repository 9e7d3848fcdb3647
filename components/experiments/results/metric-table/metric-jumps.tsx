import type { MetricResult } from "#components/experiments/results/model.ts";
import { VERDICT_LOOKS } from "#components/experiments/verdict-looks.ts";
import { cn } from "#components/ui/cn.ts";
import { verdictOf } from "#lib/engines/statistics/planning/goal.ts";

/** So many metrics are found by scrolling. */
const FEW = 6;

/** Where a metric's rows are in the page. */
export const metricAnchor = ({ role, uuid }: Pick<MetricResult, "role" | "uuid">) => `${role}-${uuid}`;

/** The verdicts on a metric's variants that say something, each once. */
function verdictsOf({ variants, goal }: MetricResult) {
  const found = variants.flatMap(({ estimate }) => (estimate ? [verdictOf(estimate, goal)] : []));
  return (["better", "worse"] as const).filter((verdict) => found.includes(verdict));
}

/** Links to the rows of each metric, where there are many; what is better or worse shows at a glance. */
export function MetricJumps({ metrics }: { metrics: readonly MetricResult[] }) {
  if (metrics.length <= FEW) return null;
  return (
    <nav aria-label="Metrics" className="print:hidden">
      <ul className="flex flex-wrap gap-1.5">
        {metrics.map((metric) => (
          <li key={metricAnchor(metric)} className="max-w-full">
            <a
              href={`#${metricAnchor(metric)}`}
              className="inline-flex h-7 max-w-full items-center gap-1.5 rounded-md border bg-surface px-2.5 text-sm hover:bg-hover"
            >
              {verdictsOf(metric).map((verdict) => {
                const { icon: Icon, tone, word } = VERDICT_LOOKS[verdict];
                return (
                  <Icon
                    key={verdict}
                    role="img"
                    aria-label={word}
                    className={cn("size-3.5 shrink-0", tone)}
                  />
                );
              })}
              <span className="truncate">{metric.name}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
