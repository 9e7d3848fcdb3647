"use client";

import { type MouseEvent, memo, useCallback, useState } from "react";
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import { Dot } from "#components/charts/marks.tsx";
import { Point, type Tip } from "#components/charts/point.tsx";
import { placeMarks } from "./event-marks.ts";
import { hitAreas } from "./hit-areas.ts";
import { isPart } from "./periods.ts";
import {
  describePoint,
  styleOf,
  type TimeData,
  type TimeEvent,
  type TimePoint,
  type TimeSeries,
  timeOf,
  tipAt,
} from "./time-data.ts";

/** What happened when, as lines across the plot. */
export function Events({ events }: { events: readonly TimeEvent[] }) {
  const scale = useXAxisScale();
  const plot = usePlotArea();
  if (!scale || !plot) return null;
  const marks = placeMarks(events, (time) => Number(scale(time)), [plot.x, plot.x + plot.width]);
  return marks.map(({ x, text, isLeft }) => (
    <g key={x} className="pointer-events-none">
      <line
        x1={x}
        x2={x}
        y1={plot.y - 10}
        y2={plot.y + plot.height}
        stroke="var(--muted)"
        strokeDasharray="2 3"
      />
      <path d={`M${x} ${plot.y - 6}l-4 -6h8Z`} fill="var(--muted)" />
      {text === null ? null : (
        <text
          x={x + (isLeft ? -7 : 7)}
          y={plot.y - 9}
          textAnchor={isLeft ? "end" : "start"}
          fontSize={11}
          fill="var(--muted)"
        >
          {text}
        </text>
      )}
    </g>
  ));
}

type PointsProps = TimeData & {
  times: readonly number[];
  width: number;
  onTip: (tip: Tip | null) => void;
};

/** Every point for the keyboard; for the pointer, the nearest day anywhere in the plot. */
export function Points(props: PointsProps) {
  const { series, times, onTip, width } = props;
  const [xScale, plot] = [useXAxisScale(), usePlotArea()];
  const [near, setNear] = useState<number | null>(null);
  const show = useCallback(
    (time: number | null, x: number, y: number) => {
      setNear(time);
      onTip(time === null ? null : tipAt(props, time, x, y));
    },
    [props, onTip],
  );
  if (!xScale || !plot) return null;
  const x = (time: number) => Number(xScale(time));
  const follow = (event: MouseEvent<SVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = plot.x + ((event.clientX - box.left) / box.width) * plot.width;
    const found = nearest(times, (time) => Math.abs(x(time) - at));
    if (found !== near) show(found, x(found), plot.y + 8);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the points say the same to the keyboard */}
      <rect
        x={plot.x}
        y={plot.y}
        width={Math.max(0, plot.width)}
        height={plot.height}
        fill="transparent"
        onMouseMove={follow}
        onMouseLeave={() => show(null, 0, 0)}
      />
      <AllPoints {...props} many={times.length * series.length > Math.max(12, width / 40)} onPoint={show} />
      {near === null ? null : <Near {...props} time={near} x={x(near)} />}
    </>
  );
}

const nearest = (times: readonly number[], far: (time: number) => number): number =>
  times.reduce((best, time) => (far(time) < far(best) ? time : best), times[0] ?? 0);

/** The moment that the pointer or the focus is at: a line across, and the points of every series on it. */
function Near({ series, time, x }: TimeData & { time: number; x: number }) {
  const [yScale, plot] = [useYAxisScale(), usePlotArea()];
  if (!yScale || !plot) return null;
  return (
    <g className="pointer-events-none" data-only-page="">
      <line x1={x} x2={x} y1={plot.y} y2={plot.y + plot.height} stroke="var(--line-strong)" />
      {series.map((each, line) => {
        const value = each.points.find((point) => timeOf(point.at) === time)?.value;
        const { shape, color } = styleOf(each, line);
        const y = value === null || value === undefined ? null : Number(yScale(value));
        return y === null || y < plot.y || y > plot.y + plot.height ? null : (
          <Dot key={each.key} x={x} y={y} radius={4} shape={shape} color={color} />
        );
      })}
    </g>
  );
}

/** How far from a point, in px, the pointer takes it. */
const REACH = 12;

type AllProps = Pick<PointsProps, "series" | "measure" | "intervalName" | "times"> & {
  /** More than can be seen apart: points show when they are pointed at. */
  many: boolean;
  onPoint: (time: number | null, x: number, y: number) => void;
};

/** Drawn once: nothing of it depends on where the pointer is. */
const AllPoints = memo(function AllPoints({ onPoint, many, times, ...props }: AllProps) {
  const [xScale, yScale, plot] = [useXAxisScale(), useYAxisScale(), usePlotArea()];
  if (!xScale || !yScale || !plot) return null;
  const start = props.series.findIndex((each) => each.points.some(({ value }) => value !== null));
  const hit = Math.max(4, Math.min(REACH, plot.width / Math.max(1, times.length) / 2));
  // A point beyond the scale stays in reach, at its edge.
  const heightOf = (value: number) => Math.min(plot.y + plot.height, Math.max(plot.y, Number(yScale(value))));
  const areas = areasAt(props.series, heightOf);
  return props.series.map((series, line) => {
    const seen = series.points.filter(({ value }) => value !== null);
    return seen.map((point, place) => {
      const time = timeOf(point.at);
      const [x, y] = [Number(xScale(time)), heightOf(point.value ?? 0)];
      const { top, bottom } = areas.get(time)?.get(y) ?? { top: y - REACH, bottom: y + REACH };
      return (
        <Point
          key={`${series.key} ${point.at}`}
          label={describePoint(series, point, props)}
          href={point.href}
          line={line}
          place={place}
          first={line === start && place === 0}
          onPoint={(on) => onPoint(on ? time : null, x, y)}
        >
          <rect
            x={x - hit}
            y={top}
            width={2 * hit}
            height={bottom - top}
            fill="transparent"
            data-only-page=""
          />
          <PointMark {...{ series, point, line, x, y }} isHidden={many && seen.length > 1} />
        </Point>
      );
    });
  });
});

/** The areas of the points at each moment, by their heights. */
function areasAt(series: readonly TimeSeries[], heightOf: (value: number) => number) {
  const heights = new Map<number, number[]>();
  for (const { at, value } of series.flatMap(({ points }) => points)) {
    if (value === null) continue;
    const time = timeOf(at);
    heights.set(time, [...(heights.get(time) ?? []), heightOf(value)]);
  }
  return new Map([...heights].map(([time, all]) => [time, hitAreas(all, REACH)]));
}

type MarkProps = {
  series: TimeSeries;
  point: TimePoint;
  line: number;
  x: number;
  y: number;
  isHidden: boolean;
};

/** A point, hollow where its period is not whole, and the ring of the focus. */
function PointMark({ series, point, line, x, y, isHidden }: MarkProps) {
  const { shape, color } = styleOf(series, line);
  const isOpen = point.span !== undefined && isPart(point.span);
  return (
    <>
      <circle
        cx={x}
        cy={y}
        r={8}
        strokeWidth={2}
        className="fill-none stroke-transparent group-focus-visible/point:stroke-focus"
        data-only-page=""
      />
      {isHidden && !isOpen ? null : (
        <Dot x={x} y={y} radius={isOpen ? 3.2 : 4} shape={shape} color={color} open={isOpen} />
      )}
    </>
  );
}
