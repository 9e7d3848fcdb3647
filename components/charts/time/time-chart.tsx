"use client";

import { useMemo, useState } from "react";
import { ChartFigure, type FigureProps, type LegendEntry } from "#components/charts/figure.tsx";
import { Dot } from "#components/charts/marks.tsx";
import { later } from "#components/ui/after-page.ts";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { type Grouping, type Period, periodFor, periodsOf } from "./periods.ts";
import {
  CUT_WORDS,
  grouped,
  linkOf,
  periodWords,
  rangeOf,
  styleOf,
  type TimeData,
  type TimeSeries,
  timesOf,
  timeTable,
} from "./time-data.ts";
import type { DrawingProps } from "./time-drawing.tsx";

const Drawing = later<DrawingProps>(async () => (await import("./time-drawing.tsx")).Drawing);

export type TimeChartProps = FigureProps &
  TimeData & {
    height?: number;
    /** Lets days be read by week or month, and does so by itself where there are many; see `Grouping`. */
    grouping?: Grouping;
  };

const NAMES: Readonly<Record<Period, string>> = { day: "Day", week: "Week", month: "Month" };

/** Lines over days, with interval bands, several series, and marks of what happened when. */
export function TimeChart(props: TimeChartProps) {
  const { series: days, height = 260, grouping, title, caption, actions } = props;
  const [chosen, setChosen] = useState<Period | null>(null);
  const all = useMemo(() => timesOf(days), [days]);
  const [first = 0, last = 0] = [all[0], all.at(-1)];
  const choice: Period[] = grouping ? periodsOf(first, last) : ["day"];
  const wanted = chosen ?? periodFor(first, last);
  const period = choice.includes(wanted) ? wanted : "day";
  const series = useMemo(() => grouped(days, period, grouping), [days, period, grouping]);
  const times = useMemo(() => timesOf(series), [series]);
  const shown = { ...props, series };
  return (
    <ChartFigure
      {...props}
      caption={[caption, periodWords(series, period, grouping), rangeOf(shown).isCut ? CUT_WORDS : ""]
        .filter(Boolean)
        .join(" ")}
      actions={
        choice.length > 1 ? (
          <>
            {actions}
            <Segmented
              size="sm"
              label={`${title}: a point each`}
              value={period}
              onValueChange={setChosen}
              options={choice.map((value) => ({ value, label: NAMES[value] }))}
            />
          </>
        ) : (
          actions
        )
      }
      legend={series.length > 1 ? series.map(legendEntry) : []}
      table={timeTable(shown, times)}
      tableLinks={(row, column) => linkOf(shown, times[row], column)}
      height={height}
    >
      {(width) => <Drawing {...shown} times={times} width={width} height={height} />}
    </ChartFigure>
  );
}

function legendEntry(series: TimeSeries, place: number): LegendEntry {
  const { color, dash, shape } = styleOf(series, place);
  return {
    key: series.key,
    name: series.name,
    color,
    mark: (
      <svg aria-hidden="true" width="26" height="12" className="shrink-0">
        <path d="M0 6H26" stroke={color} strokeWidth={2} strokeDasharray={dash} />
        <Dot x={13} y={6} radius={3.2} shape={shape} color={color} />
      </svg>
    ),
  };
}
