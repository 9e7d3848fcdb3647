"use client";

import { useState } from "react";
import { Area, CartesianGrid, ComposedChart, Line, ReferenceLine, XAxis, YAxis } from "recharts";
import { ChartFigure, type FigureProps, type LegendEntry } from "./figure.tsx";
import { formatDay, formatTick } from "./format.ts";
import { Dot } from "./marks.tsx";
import { type Tip, TipBox } from "./point.tsx";
import { dayTicks, niceTicks } from "./scale.ts";
import {
  linkOf,
  rangeOf,
  styleOf,
  type TimeData,
  type TimeSeries,
  timesOf,
  timeTable,
  valuesAt,
} from "./time_data.ts";
import { Events, Points } from "./time_points.tsx";

export type TimeChartProps = FigureProps & TimeData & { height?: number };

/** Lines over days, with interval bands, several series, and marks of what happened when. */
export function TimeChart(props: TimeChartProps) {
  const { series, height = 260 } = props;
  const times = timesOf(series);
  return (
    <ChartFigure
      {...props}
      legend={series.length > 1 ? series.map(legendEntry) : []}
      table={timeTable(props, times)}
      tableLinks={(row, column) => linkOf(props, times[row], column)}
      height={height}
    >
      {(width) => <Drawing {...props} times={times} width={width} height={height} />}
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

type DrawingProps = TimeChartProps & { times: readonly number[]; width: number; height: number };

function Drawing(props: DrawingProps) {
  const { series, times, measure, width, height, events = [], reference } = props;
  const [tip, setTip] = useState<Tip | null>(null);
  const ticks = niceTicks(...rangeOf(props), 5, measure.unit === "count");
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  const pad = first === last ? 43_200_000 : 0;
  const rows = times.map((time) => ({ time, ...valuesAt(series, time) }));
  return (
    <>
      <ComposedChart
        width={width}
        height={height}
        data={rows}
        margin={{ top: events.length > 0 ? 22 : 10, right: 14, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="time"
          type="number"
          scale="time"
          domain={[first - pad, last + pad]}
          ticks={dayTicks(first, last, Math.max(2, Math.floor(width / 90)))}
          tickFormatter={formatDay}
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
        <Events events={events} width={width} />
        <Points {...props} onTip={setTip} />
      </ComposedChart>
      <TipBox tip={tip} width={width} />
    </>
  );
}

function Band({ series, place }: { series: TimeSeries; place: number }) {
  if (!series.points.some((point) => point.interval)) return null;
  return (
    <Area
      dataKey={`i${place}`}
      stroke="none"
      fill={styleOf(series, place).color}
      fillOpacity={0.15}
      isAnimationActive={false}
      activeDot={false}
      type="linear"
    />
  );
}

function Stroke({ series, place }: { series: TimeSeries; place: number }) {
  const { color, dash } = styleOf(series, place);
  return (
    <Line
      dataKey={`v${place}`}
      stroke={color}
      strokeWidth={2}
      strokeDasharray={dash}
      dot={false}
      activeDot={false}
      isAnimationActive={false}
      type="linear"
    />
  );
}
