"use client";

import { memo, useCallback, useMemo, useState } from "react";
import { Area, CartesianGrid, ComposedChart, Line, ReferenceLine, XAxis, YAxis } from "recharts";
import { ChartFigure, type FigureProps, type LegendEntry } from "#components/charts/figure.tsx";
import { Dot } from "#components/charts/marks.tsx";
import { type Tip, TipBox } from "#components/charts/point.tsx";
import { computeNiceTicks, computeTimeTicks } from "#components/charts/scale.ts";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { formatTick } from "#lib/platform/format.ts";
import { type Grouping, type Period, periodFor, periodsOf } from "./periods.ts";
import {
  CUT_WORDS,
  endOf,
  grouped,
  linkOf,
  periodWords,
  rangeOf,
  styleOf,
  type TimeData,
  type TimeSeries,
  timesOf,
  timeTable,
  valuesAt,
} from "./time-data.ts";
import { Events, Points } from "./time-points.tsx";

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

type DrawingProps = TimeData & { times: readonly number[]; width: number; height: number };

/** The box beside the pointer moves often, the chart below it stays as it is drawn. */
function Drawing(props: DrawingProps) {
  const { series, measure, events, reference, fromZero, steady, intervalName } = props;
  const { times, width, height } = props;
  const [tip, setTip] = useState<Tip | null>(null);
  const onTip = useCallback((next: Tip | null) => setTip(next), []);
  return (
    <>
      <Plot
        {...{ series, measure, times, width, height, onTip }}
        {...(events && { events })}
        {...(reference !== undefined && { reference })}
        {...(fromZero !== undefined && { fromZero })}
        {...(steady && { steady })}
        {...(intervalName && { intervalName })}
      />
      <TipBox tip={tip} width={width} />
    </>
  );
}

const HALF_DAY_MS = 43_200_000;

const Plot = memo(function Plot(props: DrawingProps & { onTip: (tip: Tip | null) => void }) {
  const { series, times, measure, width, height, events = [], reference, onTip } = props;
  const ticks = computeNiceTicks(...rangeOf(props).range, 5, measure.unit === "count");
  const first = times[0] ?? 0;
  const last = endOf(series, times.at(-1) ?? 1);
  const pad = first === last ? HALF_DAY_MS : 0;
  const days = computeTimeTicks(first, last, Math.max(2, Math.floor(width / 90)));
  return (
    <ComposedChart
      width={width}
      height={height}
      data={times.map((time) => ({ time, ...valuesAt(series, time) }))}
      margin={{ top: events.length > 0 ? 22 : 10, right: 14, bottom: 0, left: 0 }}
      accessibilityLayer={false}
    >
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis
        dataKey="time"
        type="number"
        scale="time"
        domain={[first - pad, last + pad]}
        ticks={days.map(({ at }) => at)}
        tickFormatter={(time: number) => days.find(({ at }) => at === time)?.label ?? ""}
        tick={{ fontSize: 11, fill: "var(--faint)" }}
        tickLine={false}
        axisLine={{ stroke: "var(--line-strong)" }}
        height={24}
      />
      <YAxis
        width={48}
        allowDataOverflow
        ticks={ticks}
        domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
        tick={{ fontSize: 11, fill: "var(--faint)" }}
        tickFormatter={(value: number) => formatTick(value, measure)}
        tickLine={false}
        axisLine={false}
      />
      {reference === undefined ? null : (
        <ReferenceLine y={reference} stroke="var(--faint)" strokeWidth={1.25} />
      )}
      {series.map((each, place) => (
        <Band key={each.key} series={each} place={place} />
      ))}
      {series.map((each, place) => (
        <Stroke key={each.key} series={each} place={place} />
      ))}
      <Events events={events} />
      <Points {...props} onTip={onTip} />
    </ComposedChart>
  );
});

function Band({ series, place }: { series: TimeSeries; place: number }) {
  if (!series.points.some((point) => point.interval)) return null;
  return (
    <Area
      dataKey={`i${place}`}
      stroke="none"
      pointerEvents="none"
      fill={styleOf(series, place).color}
      fillOpacity={0.15}
      isAnimationActive={false}
      activeDot={false}
      type="linear"
    />
  );
}

/** The line of a series; clicks go to the points below it. */
function Stroke({ series, place }: { series: TimeSeries; place: number }) {
  const { color, dash } = styleOf(series, place);
  return (
    <Line
      dataKey={`v${place}`}
      stroke={color}
      strokeWidth={2}
      strokeDasharray={dash}
      pointerEvents="none"
      dot={false}
      activeDot={false}
      isAnimationActive={false}
      type="linear"
    />
  );
}
