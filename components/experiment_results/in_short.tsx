import { CircleHelp, TrendingDown, TrendingUp } from "lucide-react";
import { Card } from "#components/ui/card.tsx";
import { cn } from "#components/ui/cn.ts";
import type { Settings } from "#lib/statistics/types.ts";
import { tell } from "#lib/statistics/words.ts";
import { isShare, type MetricResult, type Row } from "./model.ts";

const LOOKS = {
  better: { icon: TrendingUp, tone: "text-success-text", word: "Better" },
  worse: { icon: TrendingDown, tone: "text-danger-text", word: "Worse" },
  unclear: { icon: CircleHelp, tone: "text-muted", word: "Not clear" },
} as const;

/** Why a variant is not compared, in a sentence. */
export const silence = (row: Row, metric: MetricResult): string =>
  row.refusal?.reason ??
  [...(metric.baseline?.failures ?? []), ...row.failures][0] ??
  metric.problem ??
  "There is not enough to compare yet.";

/** The primary metrics in sentences: who, which way, how sure. */
export function InShort({
  metrics,
  baseline,
  settings,
  isMismatch,
}: {
  metrics: readonly MetricResult[];
  baseline: string;
  settings: Settings;
  /** The split is not the configured one. */
  isMismatch: boolean;
}) {
  const primary = metrics.filter(({ role }) => role === "primary");
  if (primary.length === 0) return null;
  return (
    <Card
      title="In short"
      description={
        isMismatch
          ? "Not to be acted on: people were not split as configured, so the variants may differ in who is in them."
          : null
      }
    >
      <ul className="grid gap-x-8 gap-y-3 xl:grid-cols-2">
        {primary.flatMap((metric) =>
          metric.variants.map((row) => (
            <Sentence
              key={`${metric.uuid} ${row.key}`}
              metric={metric}
              row={row}
              baseline={baseline}
              settings={settings}
            />
          )),
        )}
      </ul>
    </Card>
  );
}

function Sentence(props: { metric: MetricResult; row: Row; baseline: string; settings: Settings }) {
  const { metric, row, baseline, settings } = props;
  const { estimate } = row;
  const { icon: Icon, tone, word } = LOOKS[estimate?.direction ?? "unclear"];
  return (
    <li className="flex gap-2.5 text-sm">
      <Icon aria-hidden="true" className={cn("mt-0.5 size-4 shrink-0", tone)} />
      <p className="min-w-0 max-w-prose text-pretty">
        <span className={cn("font-medium", tone)}>{word}</span>
        <span className="text-faint"> · {metric.name} · </span>
        {estimate
          ? tell(row.key, baseline, estimate, metric.goal, settings, isShare(metric.metric_type))
          : `${row.key} is not compared: ${silence(row, metric)}`}
        {estimate?.significant && !estimate.significant_holm
          ? " Corrected for all primary comparisons it is no longer significant."
          : null}
      </p>
    </li>
  );
}
