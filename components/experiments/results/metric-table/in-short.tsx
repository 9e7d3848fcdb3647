import type { ReactNode } from "react";
import { type MetricResult, type Row, unitOf } from "#components/experiments/results/model.ts";
import { VERDICT_LOOKS } from "#components/experiments/verdict-looks.ts";
import { cn } from "#components/ui/cn.ts";
import { Card } from "#components/ui/display/card.tsx";
import { type Verdict, verdictOf } from "#lib/engines/statistics/planning/goal.ts";
import type { Settings } from "#lib/engines/statistics/types.ts";
import { describeResult } from "#lib/engines/statistics/words.ts";

/** Why a variant is not compared, in a sentence. */
export const explainNotCompared = (row: Row, metric: MetricResult): string =>
  row.refusal?.reason ??
  [...(metric.baseline?.failures ?? []), ...row.failures][0] ??
  metric.problem ??
  "There is not enough data to compare yet.";

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
          ? "Do not act on these: people were not split as configured, so the variants may not be comparable."
          : null
      }
    >
      <ul className="grid gap-x-8 gap-y-3 xl:grid-cols-2">
        {primary.map((metric) => (
          <OfMetric key={metric.uuid} metric={metric} baseline={baseline} settings={settings} />
        ))}
      </ul>
    </Card>
  );
}

/** More variants than these are detailed one by one only where they differ. */
const FEW = 3;

type OfMetricProps = { metric: MetricResult; baseline: string; settings: Settings };

/** A sentence per variant; where there are many, unclear ones share one. */
function OfMetric({ metric, baseline, settings }: OfMetricProps) {
  const isClear = ({ estimate }: Row) => estimate !== null && verdictOf(estimate, metric.goal) !== "unclear";
  const [first] = metric.variants;
  if (first && metric.variants.every(({ estimate }) => estimate === null))
    return (
      <Line metric={metric} verdict={null}>
        {explainNotCompared(first, metric)}
      </Line>
    );
  const isMany = metric.variants.length > FEW;
  const detailed = isMany ? metric.variants.filter(isClear) : metric.variants;
  const unclear = isMany ? metric.variants.filter((row) => row.estimate && !isClear(row)) : [];
  const notCompared = isMany ? metric.variants.filter(({ estimate }) => !estimate) : [];
  return (
    <>
      {detailed.map((row) => (
        <Sentence key={row.key} metric={metric} row={row} baseline={baseline} settings={settings} />
      ))}
      {unclear.length > 0 ? (
        <Line metric={metric} verdict="unclear">
          {`${listed(unclear)}: chance alone may explain the difference from ${baseline}.`}
        </Line>
      ) : null}
      {notCompared.length > 0 ? (
        <Line metric={metric} verdict={null}>
          {`${listed(notCompared)} cannot be compared: ${explainNotCompared(notCompared[0] as Row, metric)}`}
        </Line>
      ) : null}
    </>
  );
}

const listed = (rows: readonly Row[]): string => new Intl.ListFormat("en").format(rows.map(({ key }) => key));

function Sentence(props: { metric: MetricResult; row: Row; baseline: string; settings: Settings }) {
  const { metric, row, baseline, settings } = props;
  const { estimate } = row;
  return (
    <Line metric={metric} verdict={estimate ? verdictOf(estimate, metric.goal) : null}>
      {estimate
        ? describeResult(row.key, baseline, estimate, metric.goal, settings, unitOf(metric))
        : `${row.key} is not compared: ${explainNotCompared(row, metric)}`}
    </Line>
  );
}

type LineProps = {
  metric: MetricResult;
  /** null: nothing was compared. */
  verdict: Verdict | null;
  children: ReactNode;
};

const NOT_COMPARED = { ...VERDICT_LOOKS.unclear, word: "Not compared yet" };

function Line({ metric, verdict, children }: LineProps) {
  const { icon: Icon, tone, word } = verdict ? VERDICT_LOOKS[verdict] : NOT_COMPARED;
  return (
    <li className="flex gap-2.5 text-sm">
      <Icon aria-hidden="true" className={cn("mt-0.5 size-4 shrink-0", tone)} />
      <p className="min-w-0 max-w-prose text-pretty">
        <span className={cn("font-medium", tone)}>{word}</span>
        <span className="text-faint"> · {metric.name} · </span>
        {children}
      </p>
    </li>
  );
}
