"use client";

import { useState } from "react";
import {
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceLine,
  usePlotArea,
  useYAxisScale,
  XAxis,
} from "recharts";
import { formatInterval, formatValue } from "#lib/platform/format.ts";
import type { BarDatum, BarsProps } from "./bars.tsx";
import { colorOf } from "./colors.ts";
import { hitClass, Point, type Tip, TipBox } from "./point.tsx";
import { computeNiceTicks } from "./scale.ts";
import { ValueAxis } from "./value-axis.tsx";

export type HistogramProps = BarsProps & {
  height?: number;
  /** A mark on the scale of the columns: their mean, with its interval. Places count from 0, fractions between. */
  marker?: { place: number; interval?: readonly [number, number] | null; label: string };
};

export type DrawingProps = HistogramProps & { width: number; height: number };

const TOP = 26;
/** Narrower columns leave the sign of percent to the scale. */
const SIGNED = 48;

export function Drawing(props: DrawingProps) {
  const { bars, measure, most, width, height, marker } = props;
  const [tip, setTip] = useState<Tip | null>(null);
  const high = most ?? Math.max(0, ...bars.map((bar) => Math.max(bar.value, bar.interval?.[1] ?? 0)));
  const ticks = computeNiceTicks(0, high, 4, measure.unit === "count");
  const longest = Math.max(...bars.map((bar) => bar.label.length), 1) * 6.2 + 4;
  const fits = (width - 46) / Math.max(1, bars.length) >= longest;
  return (
    <>
      <ComposedChart
        width={width}
        height={height}
        data={bars as BarDatum[]}
        margin={{ top: marker ? TOP + 16 : TOP, right: 4, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="key"
          scale="band"
          // By key: of ticks that are left out, the places are not counted.
          tickFormatter={(key: string) => bars.find((bar) => bar.key === key)?.label ?? ""}
          tick={{ fontSize: 11, fill: "var(--muted)" }}
          tickLine={false}
          axisLine={{ stroke: "var(--line-strong)" }}
          interval={fits ? 0 : "equidistantPreserveStart"}
          height={24}
        />
        <ValueAxis width={42} ticks={ticks} measure={measure} />
        <Line dataKey={() => null} isAnimationActive={false} />
        <ReferenceLine y={0} stroke="var(--line-strong)" />
        <Columns {...props} onTip={setTip} />
      </ComposedChart>
      <TipBox tip={tip} width={width} />
    </>
  );
}

function Columns(props: DrawingProps & { onTip: (tip: Tip | null) => void }) {
  const scale = useYAxisScale();
  const plot = usePlotArea();
  if (!scale || !plot) return null;
  const y = (value: number) => Number(scale(value) ?? plot.y);
  const band = plot.width / Math.max(1, props.bars.length);
  return (
    <g>
      {props.marker ? (
        <Marker
          marker={props.marker}
          x={(place) => plot.x + (place + 0.5) * band}
          top={plot.y}
          bottom={plot.y + plot.height}
        />
      ) : null}
      {props.bars.map((bar, place) => (
        <Column
          key={bar.key}
          {...props}
          bar={bar}
          place={place}
          left={plot.x + place * band}
          band={band}
          y={y}
          plotTop={plot.y}
        />
      ))}
    </g>
  );
}

type ColumnProps = DrawingProps & {
  bar: BarDatum;
  place: number;
  left: number;
  band: number;
  y: (value: number) => number;
  plotTop: number;
  onTip: (tip: Tip | null) => void;
};

function Column({
  bar,
  place,
  left,
  band,
  y,
  plotTop,
  measure,
  valueName,
  countName = "Count",
  color,
  onTip,
}: ColumnProps) {
  const width = Math.min(64, band * 0.72);
  const middle = left + band / 2;
  const top = y(bar.value);
  const value = formatValue(bar.value, measure);
  const range = bar.interval ? formatInterval(bar.interval, measure) : null;
  const count = bar.count === undefined ? null : formatValue(bar.count, { unit: "count" });
  const spoken = [
    `${bar.label}: ${value}`,
    count && `${count} ${countName.toLowerCase()}`,
    range && `95% interval ${range}`,
    bar.note,
  ];
  const lines = [
    { name: valueName, value },
    ...(count ? [{ name: countName, value: count }] : []),
    ...(range ? [{ name: "95% interval", value: range }] : []),
  ];
  return (
    <Point
      label={spoken.filter(Boolean).join(", ")}
      href={bar.href}
      line={0}
      place={place}
      first={place === 0}
      onPoint={(on) => onTip(on ? { x: middle, y: top, title: bar.label, lines } : null)}
    >
      <rect
        data-only-page=""
        className={hitClass}
        x={left + 1}
        y={plotTop}
        width={band - 2}
        height={y(0) - plotTop}
        rx={4}
      />
      <path
        d={columnPath(middle - width / 2, top, width, y(0) - top)}
        fill={bar.color ?? color ?? colorOf(bar.key)}
      />
      {bar.interval ? <UprightWhisker x={middle} low={y(bar.interval[0])} high={y(bar.interval[1])} /> : null}
      {band > 34 ? (
        <text
          x={middle}
          y={Math.min(top, bar.interval ? y(bar.interval[1]) : top) - 7}
          textAnchor="middle"
          fontSize={11}
          fontWeight={600}
          fill="var(--ink)"
          // The mean's line and the whiskers pass behind the words.
          stroke="var(--surface)"
          strokeWidth={3}
          paintOrder="stroke"
          className="tabular"
        >
          {band < SIGNED && measure.unit === "share" ? value.replace("%", "") : value}
        </text>
      ) : null}
    </Point>
  );
}

function columnPath(x: number, y: number, width: number, height: number): string {
  const radius = Math.min(3, width / 2, Math.max(0, height));
  return `M${x} ${y + height}V${y + radius}Q${x} ${y} ${x + radius} ${y}H${x + width - radius}Q${x + width} ${y} ${x + width} ${y + radius}V${y + height}Z`;
}

function UprightWhisker({ x, low, high }: { x: number; low: number; high: number }) {
  const path = `M${x} ${low}V${high}M${x - 4} ${low}H${x + 4}M${x - 4} ${high}H${x + 4}`;
  return (
    <>
      <path d={path} fill="none" stroke="var(--surface)" strokeWidth={3.5} strokeOpacity={0.85} />
      <path d={path} fill="none" stroke="var(--ink)" strokeWidth={1.25} />
    </>
  );
}

type MarkerProps = {
  marker: NonNullable<HistogramProps["marker"]>;
  x: (place: number) => number;
  top: number;
  bottom: number;
};

function Marker({ marker, x, top, bottom }: MarkerProps) {
  const at = x(marker.place);
  return (
    <g className="pointer-events-none">
      {marker.interval ? (
        <rect
          x={x(marker.interval[0])}
          y={top - 20}
          width={Math.max(1, x(marker.interval[1]) - x(marker.interval[0]))}
          height={bottom - top + 20}
          fill="var(--accent)"
          fillOpacity={0.13}
        />
      ) : null}
      <line
        x1={at}
        x2={at}
        y1={top - 20}
        y2={bottom}
        stroke="var(--accent)"
        strokeWidth={1.5}
        strokeDasharray="4 3"
      />
      <text x={at} y={top - 25} textAnchor="middle" fontSize={11} fontWeight={600} fill="var(--accent-text)">
        {marker.label}
      </text>
    </g>
  );
}
