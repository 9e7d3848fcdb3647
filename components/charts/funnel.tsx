"use client";

import type { Route } from "next";
import { formatInterval, formatValue, type Measure } from "#lib/platform/format.ts";
import { colorOf } from "./colors.ts";
import { ChartFigure, type FigureProps } from "./figure.tsx";
import { BarMark, Whisker } from "./marks.tsx";
import { type PlotRow, rowPlotHeight } from "./rows/row-layout.ts";
import { RowPlot } from "./rows/row-plot.tsx";

export type FunnelStep = {
  key: string;
  label: string;
  count: number;
  /** Share of the step it is measured against; null where that is empty, or for the first step. */
  rate: number | null;
  /** What the rate is of: "shown". */
  of?: string;
  interval?: readonly [number, number] | null;
  href?: Route;
  note?: string;
  colorIndex?: number;
};

export type FunnelProps = FigureProps & {
  steps: readonly FunnelStep[];
  /** What is counted: "People". */
  countName: string;
};

const SHARE: Measure = { unit: "share" };
const COUNT: Measure = { unit: "count" };

/** Counts from step to step, each over what came before it, with the rate and its interval in words. */
export function Funnel(props: FunnelProps) {
  const { steps } = props;
  const most = Math.max(1, ...steps.map((step) => step.count));
  const rows = steps.map(rowOf);
  return (
    <ChartFigure
      {...props}
      table={funnelTable(props)}
      tableLinks={(row, column) => (column === 1 ? steps[row]?.href : undefined)}
      height={(width) => rowPlotHeight(rows, width, false)}
    >
      {(width) => (
        <RowPlot
          rows={rows}
          width={width}
          measure={COUNT}
          ticks={[0, most]}
          axis={false}
          mark={(_, index, place) => {
            const step = steps[index];
            const base = steps[0]?.count ?? 0;
            if (!step) return null;
            const { interval, rate } = step;
            // The interval is the rate's; it is drawn where the bar's end would be for its ends.
            const whole = rate ? step.count / rate : null;
            return (
              <>
                <BarMark value={base} color="var(--pressed)" place={place} />
                <BarMark value={step.count} color={colorOf(step.key, step.colorIndex)} place={place} />
                {interval && whole ? (
                  <Whisker interval={[interval[0] * whole, interval[1] * whole]} place={place} />
                ) : null}
              </>
            );
          }}
        />
      )}
    </ChartFigure>
  );
}

function rowOf(step: FunnelStep): PlotRow {
  const count = formatValue(step.count, COUNT);
  const rate = step.rate === null ? null : formatValue(step.rate, SHARE);
  const range = step.interval ? formatInterval(step.interval, SHARE) : null;
  const share = rate && `${rate}${step.of ? ` of ${step.of}` : ""}`;
  return {
    key: step.key,
    label: step.label,
    text: count,
    detail: share ?? undefined,
    note: step.note,
    spoken: [`${step.label}: ${count}`, share, range && `95% interval ${range}`, step.note]
      .filter(Boolean)
      .join(", "),
    href: step.href,
    tip: [
      { name: "Count", value: count },
      ...(rate ? [{ name: step.of ? `Share of ${step.of}` : "Share", value: rate }] : []),
      ...(range ? [{ name: "95% interval", value: range }] : []),
    ],
  };
}

function funnelTable({ steps, countName }: FunnelProps) {
  const cell = (value: number | null | undefined) =>
    value === null || value === undefined ? null : { text: formatValue(value, SHARE), value };
  return {
    columns: [
      { label: "Step" },
      { label: countName, numeric: true },
      { label: "Rate", numeric: true },
      { label: "Of" },
      { label: "95% from", numeric: true },
      { label: "95% to", numeric: true },
    ],
    rows: steps.map((step) => [
      step.label,
      step.count,
      cell(step.rate),
      step.of ?? null,
      cell(step.interval?.[0]),
      cell(step.interval?.[1]),
    ]),
  };
}
