"use client";

import { memo, useCallback, useState } from "react";
import { Area, CartesianGrid, ComposedChart, Line, ReferenceLine, XAxis } from "recharts";
import { type Tip, TipBox } from "#components/charts/point.tsx";
import { computeNiceTicks, computeTimeTicks } from "#components/charts/scale.ts";
import { ValueAxis } from "#components/charts/value-axis.tsx";
import { endOf, rangeOf, styleOf, type TimeData, type TimeSeries, valuesAt } from "./time-data.ts";
import { Events, Points } from "./time-points.tsx";

export type DrawingProps = TimeData & { times: readonly number[]; width: number; height: number };

/** The box beside the pointer moves often, the chart below it stays as it is drawn. */
export function Drawing(props: DrawingProps) {
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
        axisLine={{ stroke: "var(--line-strong)", pointerEvents: "none" }}
        height={24}
      />
      <ValueAxis width={48} ticks={ticks} measure={measure} />
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
