"use client";

import type { Route } from "next";
import { formatInterval, formatValue, type Measure } from "#lib/platform/format.ts";
import { colorOf } from "./colors.ts";
import type { TableData } from "./csv.ts";
import { ChartFigure, type FigureProps } from "./figure.tsx";
import { BarMark, Whisker } from "./marks.tsx";
import { type PlotRow, rowPlotHeight } from "./rows/row-layout.ts";
import { RowPlot } from "./rows/row-plot.tsx";
import { computeNiceTicks } from "./scale.ts";

export type BarDatum = {
  /** What it is, the same on every page: it decides the colour where `colorIndex` does not. */
  key: string;
  label: string;
  value: number;
  /** How many rows the value rests on: shown beside it, and what `href` opens. */
  count?: number;
  interval?: readonly [number, number] | null;
  href?: Route;
  /** A caution in a few words. */
  note?: string;
  /** Of this bar alone, as a CSS value. */
  color?: string;
};

export type BarsProps = FigureProps & {
  bars: readonly BarDatum[];
  measure: Measure;
  /** What `value` is, in the table twin: "Share of answers". */
  valueName: string;
  /** What `count` counts: "Answers". */
  countName?: string;
  /** One colour for all (a CSS value), where the bars are values of one thing; by key otherwise. */
  color?: string;
  /** End of the scale where it should not follow the data: 1 for shares of a whole. */
  most?: number;
  levelOfInterval?: string;
};

const spoken = (bar: BarDatum, { measure, countName }: BarsProps) =>
  [
    `${bar.label}: ${formatValue(bar.value, measure)}`,
    bar.count === undefined
      ? null
      : `${formatValue(bar.count, { unit: "count" })} ${(countName ?? "").toLowerCase()}`.trim(),
    bar.interval ? `95% interval ${formatInterval(bar.interval, measure)}` : null,
    bar.note,
  ]
    .filter(Boolean)
    .join(", ");

function rowOf(bar: BarDatum, props: BarsProps): PlotRow {
  const { measure, valueName, countName = "Count" } = props;
  const count = bar.count === undefined ? undefined : formatValue(bar.count, { unit: "count" });
  return {
    key: bar.key,
    label: bar.label,
    text: formatValue(bar.value, measure),
    detail: count,
    note: bar.note,
    spoken: spoken(bar, props),
    href: bar.href,
    tip: [
      { name: valueName, value: formatValue(bar.value, measure) },
      ...(count === undefined ? [] : [{ name: countName, value: count }]),
      ...(bar.interval ? [{ name: "95% interval", value: formatInterval(bar.interval, measure) }] : []),
    ],
  };
}

/** The table twin of bars, with its intervals where there are any. */
export function barsTable({ bars, measure, valueName, countName = "Count" }: BarsProps): TableData {
  const counted = bars.some((bar) => bar.count !== undefined);
  const ranged = bars.some((bar) => bar.interval);
  const cell = (value: number) => ({ text: formatValue(value, measure), value });
  return {
    columns: [
      { label: "Name" },
      ...(counted ? [{ label: countName, numeric: true }] : []),
      { label: valueName, numeric: true },
      ...(ranged
        ? [
            { label: "95% from", numeric: true },
            { label: "95% to", numeric: true },
          ]
        : []),
    ],
    rows: bars.map((bar) => [
      bar.label,
      ...(counted ? [bar.count ?? null] : []),
      cell(bar.value),
      ...(ranged
        ? [bar.interval ? cell(bar.interval[0]) : null, bar.interval ? cell(bar.interval[1]) : null]
        : []),
    ]),
  };
}

/** Horizontal bars with interval whiskers: choices, shares, counts by name. Each bar opens its rows. */
export function Bars(props: BarsProps) {
  const { bars, measure, color, most } = props;
  const high = most ?? Math.max(0, ...bars.map((bar) => Math.max(bar.value, bar.interval?.[1] ?? 0)));
  const ticks = computeNiceTicks(0, high, 5, measure.unit === "count");
  const rows = bars.map((bar) => rowOf(bar, props));
  return (
    <ChartFigure
      {...props}
      table={barsTable(props)}
      tableLinks={(row, column) => (column === 1 ? bars[row]?.href : undefined)}
      height={(width) => rowPlotHeight(rows, width, true)}
    >
      {(width) => (
        <RowPlot
          rows={rows}
          width={width}
          measure={measure}
          ticks={ticks}
          mark={(_, index, place) => {
            const bar = bars[index];
            if (!bar) return null;
            return (
              <>
                <BarMark value={bar.value} color={bar.color ?? color ?? colorOf(bar.key)} place={place} />
                {bar.interval ? <Whisker interval={bar.interval} place={place} /> : null}
              </>
            );
          }}
        />
      )}
    </ChartFigure>
  );
}
