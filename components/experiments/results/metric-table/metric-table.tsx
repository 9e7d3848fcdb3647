import { ArrowDown, ArrowUp } from "lucide-react";
import { SavedBadge } from "#components/experiments/metrics/saved-badge.tsx";
import {
  type Estimate,
  type MetricResult,
  type Row,
  unitOf,
  type Variant,
} from "#components/experiments/results/model.ts";
import { VERDICT_LOOKS } from "#components/experiments/verdict-looks.ts";
import { METRIC_WORDS } from "#components/metrics/metric-words.ts";
import { cn } from "#components/ui/cn.ts";
import { Card } from "#components/ui/display/card.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { variantColor } from "#components/ui/tone.ts";
import { differenceText } from "#lib/engines/statistics/numbers.ts";
import { type Verdict, verdictOf } from "#lib/engines/statistics/planning/goal.ts";
import type { Goal, Settings } from "#lib/engines/statistics/types.ts";
import { columnText, cupedGainText, evidenceText, methodWords } from "#lib/engines/statistics/words.ts";
import { formatPercent } from "#lib/platform/format.ts";
import { Counted } from "./counted.tsx";
import { buildMetricTable } from "./files.ts";
import { explainNotCompared } from "./in-short.tsx";
import { IntervalCell, ScaleEnds } from "./interval-cell.tsx";
import { computeScale, type Scale } from "./interval-scale.ts";
import { metricAnchor } from "./metric-jumps.tsx";
import { TableFiles } from "./table-files.tsx";

type Shared = {
  projectId: string;
  /** Whose people the counts open; null where they cannot be opened. */
  experimentId: number | null;
  variants: readonly Variant[];
  settings: Settings;
};

/** On paper the whole table fits the width of the page. */
const PRINTED = "print:text-2xs print:[&_td]:px-1.5 print:[&_th]:px-1.5";

type MetricTableProps = Shared & {
  role: "primary" | "secondary";
  metrics: readonly MetricResult[];
  /** The scale of the intervals of all metrics; null where they share none. */
  common: Scale | null;
};

/** The metrics of one role, a row a variant. */
export function MetricTable({ role, metrics, common, ...shared }: MetricTableProps) {
  const title = role === "primary" ? "Primary metrics" : "Secondary metrics";
  const words = methodWords(shared.settings);
  const questions = metrics.reduce((sum, { variants }) => sum + variants.length, 0);
  return (
    <Card
      title={title}
      padded={false}
      description={`${words.interval} of the difference from the baseline. Better or worse: the interval excludes zero${
        questions > 1 ? `, also corrected for ${questions} comparisons (Holm)` : ""
      }.`}
      actions={<TableFiles name={title} table={buildMetricTable(metrics)} />}
    >
      <Table caption={title} framed={false} minWidth="sm:min-w-[62rem] print:min-w-0!" className={PRINTED}>
        <TableHead>
          <Th className="sm:w-[19%]">Metric and variant</Th>
          <Th align="right" className="sm:w-[14%]">
            Counted
          </Th>
          <Th align="right" className="sm:w-[9%]">
            Value
          </Th>
          <Th align="right" className="sm:w-[13%]">
            Difference
          </Th>
          <Th className="sm:w-[16%]">
            {common ? (
              <ScaleEnds of="common" ends={endsText(common, shared.settings)} otherwise="Interval" />
            ) : (
              "Interval"
            )}
          </Th>
          <Th align="right" className="sm:w-[11%]">
            {words.evidence}
          </Th>
          <Th>Verdict</Th>
        </TableHead>
        <TableBody>
          {metrics.map((metric) => (
            <MetricRows key={metric.uuid} metric={metric} common={common} {...shared} />
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}

/** The ends of a scale; those of absolute differences are in the metric's unit. */
const endsText = ({ low, high }: Scale, { difference_type }: Settings, metric?: MetricResult) =>
  [low, high].map((value) => differenceText(value, difference_type, 0, metric && unitOf(metric)));

function MetricRows({ metric, common, ...shared }: Shared & { metric: MetricResult; common: Scale | null }) {
  const own = computeScale([metric]);
  const scales = { common: common ?? own, own };
  const rows = [...(metric.baseline ? [metric.baseline] : []), ...metric.variants];
  return (
    <>
      <tr className="max-sm:block">
        <th
          scope="rowgroup"
          id={metricAnchor(metric)}
          colSpan={7}
          className="scroll-mt-10 max-lg:scroll-mt-16 bg-sunken/60 px-3 py-2 text-left font-medium text-sm max-sm:block max-sm:bg-transparent max-sm:px-4"
        >
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            {metric.name}
            <span className="font-normal text-muted text-xs">
              {metric.metric_type ? METRIC_WORDS[metric.metric_type].label : null}
            </span>
            {metric.saved_metric_id === null ? null : <SavedBadge />}
            <GoalMark goal={metric.goal} />
            <CupedGain variants={metric.variants} />
          </span>
          {metric.problem ? (
            <span className="mt-0.5 block font-normal text-warning-text text-xs">{metric.problem}</span>
          ) : null}
        </th>
      </tr>
      {rows.map((row) => (
        <VariantRow
          key={row.key}
          row={row}
          metric={metric}
          scales={scales}
          isBaseline={row === metric.baseline}
          {...shared}
        />
      ))}
    </>
  );
}

/** How much narrower CUPED made the intervals of a metric. */
function CupedGain({ variants }: { variants: readonly Row[] }) {
  const gains = variants.flatMap(({ key, estimate }) =>
    estimate?.cuped ? [{ key, gain: cupedGainText(estimate.cuped.variance_reduction) }] : [],
  );
  if (gains.length === 0) return null;
  const isOne = gains.length === 1;
  return (
    <span className="font-normal text-muted text-xs">
      CUPED: {gains.map(({ key, gain }) => (isOne ? `interval ${gain}` : `${key} ${gain}`)).join(", ")}
    </span>
  );
}

function GoalMark({ goal }: { goal: Goal }) {
  const Icon = goal === "increase" ? ArrowUp : ArrowDown;
  return (
    <span className="inline-flex items-center gap-0.5 font-normal text-muted text-xs">
      <Icon aria-hidden="true" className="size-3" />
      {goal === "increase" ? "higher is better" : "lower is better"}
    </span>
  );
}

type Scales = { common: Scale; own: Scale };

const isCompared = ({ variants }: MetricResult) => variants.some(({ estimate }) => estimate !== null);

type VariantRowProps = Shared & { row: Row; metric: MetricResult; scales: Scales; isBaseline: boolean };

function VariantRow({ row, metric, scales, isBaseline, ...shared }: VariantRowProps) {
  const index = shared.variants.findIndex(({ key }) => key === row.key);
  return (
    <Tr>
      <Td place="title">
        <span className="flex items-center gap-2">
          <span
            aria-hidden="true"
            className="size-2.5 shrink-0 rounded-full"
            style={{ backgroundColor: variantColor(Math.max(0, index)) }}
          />
          <span className="font-medium">{row.key}</span>
          {isBaseline ? <span className="text-faint text-xs">baseline</span> : null}
        </span>
      </Td>
      <Td label="Counted" align="right">
        <Counted row={row} metric={metric} {...shared} />
      </Td>
      <Td label="Value" align="right" className="tabular whitespace-nowrap">
        {valueText(row.value, metric)}
      </Td>
      {row.estimate ? (
        <Compared
          row={row}
          estimate={row.estimate}
          metric={metric}
          scales={scales}
          index={index}
          {...shared}
        />
      ) : isBaseline && row.failures.length === 0 ? (
        <Baseline ends={endsText(scales.own, shared.settings, metric)} isCompared={isCompared(metric)} />
      ) : (
        <NotCompared row={row} metric={metric} isBaseline={isBaseline} />
      )}
    </Tr>
  );
}

/** The baseline has no interval: its place in the column holds the ends of the metric's own scale. */
function Baseline({ ends, isCompared }: { ends: readonly string[]; isCompared: boolean }) {
  return (
    <>
      <td className="max-sm:hidden">
        <span className="sr-only">The other variants are compared with it.</span>
      </td>
      <td className="px-3 py-2 text-muted text-xs max-sm:hidden">
        {isCompared ? <ScaleEnds of="own" ends={ends} /> : null}
      </td>
      <td colSpan={2} className="max-sm:hidden" />
    </>
  );
}

/** Why nothing is compared. */
function NotCompared({ row, metric, isBaseline }: { row: Row; metric: MetricResult; isBaseline: boolean }) {
  return (
    <td colSpan={4} className="px-3 py-2 text-muted text-xs max-sm:col-span-2 max-sm:px-0">
      {isBaseline ? (
        <span className="text-warning-text">{row.failures.join(" ")}</span>
      ) : (
        <>
          <span className="font-medium">Not compared. </span>
          {metric.baseline?.failures.length ? "The baseline lacks data." : explainNotCompared(row, metric)}
        </>
      )}
    </td>
  );
}

type ComparedProps = Shared & {
  row: Row;
  estimate: Estimate;
  metric: MetricResult;
  scales: Scales;
  index: number;
};

function Compared({ estimate, metric, scales, index, settings }: ComparedProps) {
  const text = (value: number) => differenceText(value, settings.difference_type, 1, unitOf(metric));
  const [low = 0, high = 0] = estimate.interval;
  const verdict = verdictOf(estimate, metric.goal);
  return (
    <>
      <Td label="Difference" align="right" className="tabular">
        <span className={cn("font-medium", verdict === "unclear" ? "text-ink" : VERDICT_LOOKS[verdict].tone)}>
          {text(estimate.effect)}
        </span>
        <span className="block whitespace-nowrap text-faint text-xs">
          {text(low)} to {text(high)}
        </span>
      </Td>
      <Td className="max-sm:pb-2">
        <IntervalCell estimate={estimate} scales={scales} colorIndex={Math.max(0, index)} />
      </Td>
      <Td label={methodWords(settings).evidence} align="right" className="tabular whitespace-nowrap">
        {evidenceText(estimate, metric.goal)}
      </Td>
      <Td label="Verdict">
        <VerdictText verdict={verdict} estimate={estimate} />
      </Td>
    </>
  );
}

function VerdictText({ verdict, estimate }: { verdict: Verdict; estimate: Estimate }) {
  const { icon: Icon, tone, word } = VERDICT_LOOKS[verdict];
  const [low = 0, high = 0] = estimate.interval;
  const reason = low > 0 || high < 0 ? "not once corrected" : "the interval includes zero";
  return (
    <span className={cn("flex items-start gap-1.5", tone)}>
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">
        <span className="font-medium">{word}</span>
        {verdict.startsWith("leaning") ? <span className="block text-faint text-xs">{reason}</span> : null}
      </span>
    </span>
  );
}

function valueText(value: number | null, metric: MetricResult): string {
  if (value === null) return "–";
  const unit = unitOf(metric);
  if (unit === "share") return formatPercent(value, 2);
  const rows = [...(metric.baseline ? [metric.baseline] : []), ...metric.variants];
  return columnText(
    value,
    rows.flatMap((row) => (row.value === null ? [] : [row.value])),
    unit,
  );
}
