import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { SavedBadge } from "#components/experiments/metrics/saved-badge.tsx";
import {
  type Estimate,
  isShare,
  type MetricResult,
  type Row,
  type Variant,
} from "#components/experiments/results/model.ts";
import { cn } from "#components/ui/cn.ts";
import { Card } from "#components/ui/display/card.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { variantColor } from "#components/ui/tone.ts";
import { correctedChance } from "#lib/engines/statistics/corrections.ts";
import { chanceToBeBetter } from "#lib/engines/statistics/planning/goal.ts";
import type { Goal, Settings } from "#lib/engines/statistics/types.ts";
import {
  chanceText,
  columnText,
  cupedGainText,
  differenceText,
  evidenceText,
  methodWords,
  pValueText,
} from "#lib/engines/statistics/words.ts";
import { formatPercent } from "#lib/platform/format.ts";
import { Counted } from "./counted.tsx";
import { buildMetricTable } from "./files.ts";
import { explainNotCompared } from "./in-short.tsx";
import { computeScale, IntervalCell, type Scale } from "./interval-cell.tsx";
import { TableFiles } from "./table-files.tsx";

type Shared = {
  projectId: string;
  experimentId: number;
  variants: readonly Variant[];
  settings: Settings;
};

/** On paper the whole table fits the width of the page. */
const PRINTED = "print:text-2xs print:[&_td]:px-1.5 print:[&_th]:px-1.5";

type MetricTableProps = Shared & {
  role: "primary" | "secondary";
  metrics: readonly MetricResult[];
};

/** The metrics of one role: a row a variant, every interval on one scale. */
export function MetricTable({ role, metrics, ...shared }: MetricTableProps) {
  const title = role === "primary" ? "Primary metrics" : "Secondary metrics";
  const words = methodWords(shared.settings);
  // Differences in different units share no scale.
  const isCommon = shared.settings.difference_type === "relative";
  const isCompared = metrics.some(({ variants }) => variants.some(({ estimate }) => estimate !== null));
  const common = isCommon && isCompared ? computeScale(metrics) : null;
  const questions = metrics.reduce((sum, { variants }) => sum + variants.length, 0);
  return (
    <Card
      title={title}
      padded={false}
      description={`${words.interval} of the difference from the baseline. ${words.significant}${
        questions > 1 ? ` Corrected for ${questions} comparisons in the last two columns.` : ""
      }`}
      actions={<TableFiles name={title} table={buildMetricTable(metrics)} />}
    >
      <Table caption={title} framed={false} minWidth="sm:min-w-[62rem] print:min-w-0!" className={PRINTED}>
        <TableHead>
          <Th className="sm:w-[23%]">Metric and variant</Th>
          <Th align="right" className="sm:w-[15%]">
            Counted
          </Th>
          <Th align="right" className="sm:w-[10%]">
            Value
          </Th>
          <Th align="right" className="sm:w-[14%]">
            Difference
          </Th>
          <Th className="sm:w-[17%]">{common ? <ScaleHead scale={common} /> : "Interval"}</Th>
          <Th align="right" className="sm:w-[9%]">
            {words.evidence}
          </Th>
          <Th align="right">
            <abbr title="Holm correction: limits the chance of any false positive" className="no-underline">
              Holm
            </abbr>
          </Th>
          <Th align="right">
            <abbr
              title="Benjamini–Hochberg correction: limits the share of false positives"
              className="no-underline"
            >
              B.-H.
            </abbr>
          </Th>
        </TableHead>
        <TableBody>
          {metrics.map((metric) => (
            <MetricRows
              key={metric.uuid}
              metric={metric}
              scale={common ?? computeScale([metric])}
              {...shared}
            />
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}

/** The ends of the common scale. */
function ScaleHead({ scale }: { scale: Scale }) {
  const text = (value: number) => differenceText(value, "relative", 0);
  return (
    <span className="flex min-w-40 justify-between print:min-w-24 gap-2 font-normal">
      <span>{text(scale.low)}</span>
      <span className="sr-only">to</span>
      <span>{text(scale.high)}</span>
    </span>
  );
}

function MetricRows({ metric, scale, ...shared }: Shared & { metric: MetricResult; scale: Scale }) {
  const rows = [...(metric.baseline ? [metric.baseline] : []), ...metric.variants];
  return (
    <>
      <tr className="max-sm:block">
        <th
          scope="rowgroup"
          colSpan={8}
          className="bg-sunken/60 px-3 py-2 text-left font-medium text-sm max-sm:block max-sm:bg-transparent max-sm:px-4"
        >
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            {metric.name}
            <span className="font-normal text-muted text-xs">{metric.metric_type?.replace("_", " ")}</span>
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
          scale={scale}
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

type VariantRowProps = Shared & { row: Row; metric: MetricResult; scale: Scale; isBaseline: boolean };

function VariantRow({ row, metric, scale, isBaseline, ...shared }: VariantRowProps) {
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
        <Compared row={row} estimate={row.estimate} metric={metric} scale={scale} index={index} {...shared} />
      ) : (
        <NotCompared row={row} metric={metric} isBaseline={isBaseline} />
      )}
    </Tr>
  );
}

/** Why nothing is compared; empty for the baseline unless something is missing. */
function NotCompared({ row, metric, isBaseline }: { row: Row; metric: MetricResult; isBaseline: boolean }) {
  const isPlain = isBaseline && row.failures.length === 0;
  return (
    <td
      colSpan={5}
      className={cn("px-3 py-2 text-muted text-xs max-sm:col-span-2 max-sm:px-0", isPlain && "max-sm:hidden")}
    >
      {isPlain ? <span className="sr-only">The other variants are compared with it.</span> : null}
      {isBaseline ? (
        <span className="text-warning-text">{row.failures.join(" ")}</span>
      ) : (
        <>
          <span className="font-medium">Not compared. </span>
          {explainNotCompared(row, metric)}
        </>
      )}
    </td>
  );
}

type ComparedProps = Shared & {
  row: Row;
  estimate: Estimate;
  metric: MetricResult;
  scale: Scale;
  index: number;
};

const TONES = { better: "text-success-text", worse: "text-danger-text", unclear: "text-ink" } as const;

function Compared({ estimate, metric, scale, index, settings }: ComparedProps) {
  const text = (value: number) => differenceText(value, settings.difference_type, 1, isShare(metric));
  const [low = 0, high = 0] = estimate.interval;
  return (
    <>
      <Td label="Difference" align="right" className="tabular">
        <span className={cn("font-medium", TONES[estimate.direction])}>{text(estimate.effect)}</span>
        <span className="block whitespace-nowrap text-faint text-xs">
          {text(low)} to {text(high)}
        </span>
      </Td>
      <Td className="max-sm:pb-2">
        <IntervalCell estimate={estimate} scale={scale} colorIndex={Math.max(0, index)} />
      </Td>
      <Td label={methodWords(settings).evidence} align="right" className="tabular whitespace-nowrap">
        <Evidence isSignificant={estimate.significant} direction={estimate.direction}>
          {evidenceText(estimate, metric.goal)}
        </Evidence>
      </Td>
      <Td label="After Holm" align="right" className="tabular whitespace-nowrap text-muted">
        <Evidence isSignificant={estimate.significant_holm} direction={estimate.direction}>
          {correctedText(estimate.p_holm, estimate, metric.goal)}
        </Evidence>
      </Td>
      <Td label="After B.-H." align="right" className="tabular whitespace-nowrap text-muted">
        <Evidence isSignificant={estimate.significant_bh} direction={estimate.direction}>
          {correctedText(estimate.p_bh, estimate, metric.goal)}
        </Evidence>
      </Td>
    </>
  );
}

function Evidence(props: { isSignificant: boolean; direction: Estimate["direction"]; children: ReactNode }) {
  const { isSignificant, direction, children } = props;
  return (
    <>
      <span className={cn(isSignificant && "font-medium", isSignificant && TONES[direction])}>
        {children}
      </span>
      {isSignificant ? <span className="block text-faint text-xs">significant</span> : null}
    </>
  );
}

function correctedText(p: number, estimate: Estimate, goal: Goal): string {
  if (estimate.chance_to_win === null) return pValueText(p);
  return chanceText(chanceToBeBetter(correctedChance(p, estimate.chance_to_win), goal));
}

function valueText(value: number | null, metric: MetricResult): string {
  if (value === null) return "–";
  if (isShare(metric)) return formatPercent(value, 2);
  const rows = [...(metric.baseline ? [metric.baseline] : []), ...metric.variants];
  return columnText(
    value,
    rows.flatMap((row) => (row.value === null ? [] : [row.value])),
  );
}
