"use client";

import { type MouseEvent, useState } from "react";
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import { Dot } from "./marks.tsx";
import { Point, type Tip } from "./point.tsx";
import { spokenOf, styleOf, type TimeData, type TimeEvent, timeOf, tipAt } from "./time_data.ts";

export function Events({ events, width }: { events: readonly TimeEvent[]; width: number }) {
  const scale = useXAxisScale();
  const plot = usePlotArea();
  if (!scale || !plot) return null;
  return events.map((event) => {
    const x = Number(scale(timeOf(event.at)));
    if (!(x >= plot.x - 1 && x <= plot.x + plot.width + 1)) return null;
    const right = x > width * 0.7;
    return (
      <g key={`${event.at} ${event.label}`} className="pointer-events-none">
        <line
          x1={x}
          x2={x}
          y1={plot.y - 10}
          y2={plot.y + plot.height}
          stroke="var(--muted)"
          strokeDasharray="2 3"
        />
        <path d={`M${x} ${plot.y - 6}l-4 -6h8Z`} fill="var(--muted)" />
        <text
          x={x + (right ? -7 : 7)}
          y={plot.y - 9}
          textAnchor={right ? "end" : "start"}
          fontSize={11}
          fill="var(--muted)"
        >
          {event.label}
        </text>
      </g>
    );
  });
}

type PointsProps = TimeData & {
  times: readonly number[];
  width: number;
  onTip: (tip: Tip | null) => void;
};

export function Points(props: PointsProps) {
  const { series, times, onTip, width } = props;
  const [xScale, yScale, plot] = [useXAxisScale(), useYAxisScale(), usePlotArea()];
  const [near, setNear] = useState<number | null>(null);
  if (!xScale || !yScale || !plot) return null;
  const x = (time: number) => Number(xScale(time));
  const point = (time: number | null, y: number) => {
    setNear(time);
    onTip(time === null ? null : tipAt(props, time, x(time), y));
  };
  // The pointer finds the nearest day anywhere in the plot.
  const follow = (event: MouseEvent<SVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = plot.x + ((event.clientX - box.left) / box.width) * plot.width;
    const found = times.reduce(
      (best, time) => (Math.abs(x(time) - at) < Math.abs(x(best) - at) ? time : best),
      times[0] ?? 0,
    );
    point(found, plot.y + 8);
  };
  const start = series.findIndex((each) => each.points.some((each) => each.value !== null));
  const hit = Math.max(4, Math.min(12, plot.width / Math.max(1, times.length) / 2));
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
        onMouseLeave={() => point(null, 0)}
      />
      {near === null ? null : (
        <line
          x1={x(near)}
          x2={x(near)}
          y1={plot.y}
          y2={plot.y + plot.height}
          stroke="var(--line-strong)"
          className="pointer-events-none"
        />
      )}
      {series.map((each, line) => {
        const style = styleOf(each, line);
        const seen = each.points.filter((one) => one.value !== null);
        return seen.map((one, place) => {
          const time = timeOf(one.at);
          const [px, py] = [x(time), Number(yScale(one.value ?? 0))];
          const shown =
            seen.length * series.length <= Math.max(12, width / 40) || near === time || seen.length === 1;
          return (
            <Point
              key={`${each.key} ${one.at}`}
              label={spokenOf(each, one, props)}
              href={one.href}
              line={line}
              place={place}
              first={line === start && place === 0}
              onPoint={(on) => point(on ? time : null, py)}
            >
              <circle cx={px} cy={py} r={hit} fill="transparent" />
              <Dot
                x={px}
                y={py}
                radius={4}
                shape={style.shape}
                color={style.color}
                className={
                  shown ? undefined : "opacity-0 group-hover/point:opacity-100 group-focus/point:opacity-100"
                }
              />
            </Point>
          );
        });
      })}
    </>
  );
}
