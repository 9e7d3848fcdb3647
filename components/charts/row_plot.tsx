"use client";

import type { Route } from "next";
import { type ReactNode, useState } from "react";
import { ComposedChart, Line, Text, usePlotArea, useXAxisScale, XAxis, YAxis } from "recharts";
import { formatTick, type Measure } from "./format.ts";
import { hitClass, Point, type Tip, TipBox } from "./point.tsx";

/** A row of a chart on one common scale: a label, a mark, and the figure in words. */
export type PlotRow = {
  key: string;
  label: string;
  /** Stands alone, without a mark. */
  heading?: boolean;
  /** The figure, right of the mark. */
  text: string;
  /** More of it, fainter: counts, an interval. */
  detail?: string | undefined;
  /** A caution, such as "few answers". */
  note?: string | undefined;
  /** Everything in words. */
  spoken: string;
  href?: Route | undefined;
  tip: Tip["lines"];
};

/** Where a mark is drawn: `x` turns a value into a pixel, `y` is the middle, `height` the thickness. */
export type MarkPlace = { x: (value: number) => number; y: number; height: number };

type RowPlotProps = {
  rows: readonly PlotRow[];
  width: number;
  measure: Measure;
  ticks: readonly number[];
  /** Hides the scale where every figure stands in words beside its mark. */
  axis?: boolean;
  /** A line across all rows: zero, or the baseline. */
  reference?: number;
  mark: (row: PlotRow, index: number, place: MarkPlace) => ReactNode;
};

const NARROW = 540;
const AXIS = 24;

/** Height of the whole, known before anything is drawn. */
export const rowPlotHeight = (rows: readonly { heading?: boolean }[], width: number, axis: boolean): number =>
  rows.reduce((sum, row) => sum + rowHeight(row, width), 0) + (axis ? AXIS : 4);

const rowHeight = (row: { heading?: boolean }, width: number) =>
  row.heading ? 30 : width < NARROW ? 52 : 36;

/** Rows with marks on one scale; labels left and figures right, or both above where it is narrow. */
export function RowPlot(props: RowPlotProps) {
  const { rows, width, measure, ticks, axis = true } = props;
  const [tip, setTip] = useState<Tip | null>(null);
  const sides = sidesOf(rows, width);
  const height = rowPlotHeight(rows, width, axis);
  const domain: [number, number] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  return (
    <>
      <ComposedChart
        layout="vertical"
        width={width}
        height={height}
        data={rows as PlotRow[]}
        margin={{ top: 0, right: sides.right, bottom: 0, left: sides.left }}
        accessibilityLayer={false}
      >
        <XAxis
          type="number"
          domain={domain}
          ticks={[...ticks]}
          allowDataOverflow
          height={axis ? AXIS : 4}
          tick={axis ? { fontSize: 11, fill: "var(--faint)" } : false}
          tickFormatter={(value: number) => formatTick(value, measure)}
          tickLine={false}
          axisLine={false}
          interval="preserveStartEnd"
        />
        <YAxis type="category" dataKey="key" hide />
        {/* A chart without any series has no scale. */}
        <Line dataKey={() => null} isAnimationActive={false} />
        <Rows {...props} axis={axis} sides={sides} onTip={setTip} />
      </ComposedChart>
      <TipBox tip={tip} width={width} />
    </>
  );
}

type Sides = { left: number; right: number; narrow: boolean };

const LETTER = 6.7;

function sidesOf(rows: readonly PlotRow[], width: number): Sides {
  if (width < NARROW) return { left: 2, right: 6, narrow: true };
  const longest = (text: (row: PlotRow) => string) =>
    Math.max(0, ...rows.filter((row) => !row.heading).map((row) => text(row).length)) * LETTER;
  return {
    left: Math.min(Math.max(88, longest((row) => row.label) + 16), Math.round(width * 0.34)),
    right: Math.min(longest(figureText) + 22, Math.round(width * 0.4)),
    narrow: false,
  };
}

const figureText = (row: PlotRow) => [row.text, row.detail, row.note].filter(Boolean).join("  ");

type RowsProps = RowPlotProps & { axis: boolean; sides: Sides; onTip: (tip: Tip | null) => void };

function Rows(props: RowsProps) {
  const scale = useXAxisScale();
  const plot = usePlotArea();
  if (!scale || !plot) return null;
  const x = (value: number) => Number(scale(value) ?? plot.x);
  const first = props.rows.findIndex((row) => !row.heading);
  let top = 0;
  const bottom = props.rows.reduce((sum, row) => sum + rowHeight(row, props.width), 0);
  return (
    <g>
      {props.axis
        ? props.ticks.map((tick) => (
            <line key={tick} x1={x(tick)} x2={x(tick)} y1={0} y2={bottom} stroke="var(--line)" />
          ))
        : null}
      {props.reference === undefined ? null : (
        <line
          x1={x(props.reference)}
          x2={x(props.reference)}
          y1={0}
          y2={bottom}
          stroke="var(--faint)"
          strokeWidth={1.25}
        />
      )}
      {props.rows.map((row, index) => {
        const height = rowHeight(row, props.width);
        const y = top;
        top += height;
        return row.heading ? (
          <text key={row.key} x={2} y={y + 20} fontSize={11} fontWeight={600} fill="var(--muted)">
            {row.label}
          </text>
        ) : (
          <OneRow key={row.key} {...props} row={row} index={index} y={y} x={x} first={index === first} />
        );
      })}
    </g>
  );
}

type OneRowProps = RowsProps & {
  row: PlotRow;
  index: number;
  y: number;
  x: (value: number) => number;
  first: boolean;
};

function OneRow({ row, index, y, x, first, sides, width, mark, onTip }: OneRowProps) {
  const height = rowHeight(row, width);
  const middle = sides.narrow ? y + 36 : y + height / 2;
  const show = (on: boolean) =>
    onTip(
      on
        ? { x: sides.narrow ? 0 : sides.left + 8, y: y + height + 6, title: row.label, lines: row.tip }
        : null,
    );
  return (
    <Point label={row.spoken} href={row.href} line={0} place={index} first={first} onPoint={show}>
      <rect className={hitClass} x={0} y={y + 1} width={width} height={height - 2} rx={5} />
      <Text
        x={2}
        y={sides.narrow ? y + 14 : middle}
        width={sides.narrow ? width * 0.56 : sides.left - 14}
        maxLines={sides.narrow ? 1 : 2}
        verticalAnchor="middle"
        fontSize={12}
        lineHeight="1.15em"
        fill="var(--ink)"
      >
        {row.label}
      </Text>
      {mark(row, index, { x, y: middle, height: sides.narrow ? 14 : 16 })}
      <text
        x={sides.narrow ? width - 4 : width - sides.right + 14}
        y={(sides.narrow ? y + 14 : middle) + 4}
        textAnchor={sides.narrow ? "end" : "start"}
        fontSize={12}
        className="tabular"
        fill="var(--ink)"
      >
        <tspan fontWeight={600}>{row.text}</tspan>
        {row.detail ? (
          <tspan dx={7} fill="var(--muted)">
            {row.detail}
          </tspan>
        ) : null}
        {row.note ? (
          <tspan dx={7} fill="var(--warning-text)">
            {row.note}
          </tspan>
        ) : null}
      </text>
    </Point>
  );
}
