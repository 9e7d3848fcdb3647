"use client";

import { type ReactNode, useState } from "react";
import { ComposedChart, Line, Text, usePlotArea, useXAxisScale, XAxis, YAxis } from "recharts";
import { hitClass, Point, type Tip, TipBox } from "#components/charts/point.tsx";
import { formatTick, type Measure } from "#lib/platform/format.ts";
import {
  AXIS,
  figureText,
  type Layout,
  LETTER,
  layoutOf,
  type PlotRow,
  rowHeight,
  rowPlotHeight,
} from "./row-layout.ts";

/** Where a mark is drawn: `x` turns a value into a pixel, `y` is the middle, `height` the thickness. */
export type MarkPlace = { x: (value: number) => number; y: number; height: number };

export type RowPlotProps = {
  rows: readonly PlotRow[];
  width: number;
  measure: Measure;
  ticks: readonly number[];
  /** Hides the scale where every figure is written beside its mark. */
  axis?: boolean;
  /** A line across all rows: zero, or the baseline. */
  reference?: number;
  mark: (row: PlotRow, index: number, place: MarkPlace) => ReactNode;
};

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

type Sides = { left: number; right: number; layout: Layout };

function sidesOf(rows: readonly PlotRow[], width: number): Sides {
  const layout = layoutOf(rows, width);
  if (layout !== "beside") return { left: 2, right: 6, layout };
  const longest = (text: (row: PlotRow) => string) =>
    Math.max(0, ...rows.filter((row) => !row.heading).map((row) => text(row).length)) * LETTER;
  return {
    left: Math.min(Math.max(88, longest((row) => row.label) * 1.08 + 30), Math.round(width * 0.34)),
    right: Math.min(longest(figureText) + 22, Math.round(width * 0.4)),
    layout,
  };
}

type RowsProps = RowPlotProps & { axis: boolean; sides: Sides; onTip: (tip: Tip | null) => void };

function Rows(props: RowsProps) {
  const scale = useXAxisScale();
  const plot = usePlotArea();
  if (!scale || !plot) return null;
  const x = (value: number) => Number(scale(value) ?? plot.x);
  const first = props.rows.findIndex((row) => !row.heading);
  let top = 0;
  return (
    <g>
      {props.rows.map((row, index) => {
        const height = rowHeight(row, props.sides.layout);
        const y = top;
        top += height;
        // Lines of the scale keep clear of the words above a mark.
        const clear = props.sides.layout === "beside" ? 0 : row.heading ? height : height - 28;
        return (
          <g key={row.key}>
            <Lines {...props} x={x} top={y + clear} bottom={y + height} />
            {row.heading ? (
              <text x={2} y={y + 20} fontSize={11} fontWeight={600} fill="var(--muted)">
                {row.label}
              </text>
            ) : (
              <OneRow {...props} row={row} index={index} y={y} x={x} first={index === first} />
            )}
          </g>
        );
      })}
    </g>
  );
}

type LinesProps = Pick<RowsProps, "ticks" | "axis" | "reference"> & {
  x: (value: number) => number;
  top: number;
  bottom: number;
};

function Lines({ ticks, axis, reference, x, top, bottom }: LinesProps) {
  const shared = { y1: top, y2: bottom };
  return (
    <>
      {axis
        ? ticks.map((tick) => <line key={tick} x1={x(tick)} x2={x(tick)} {...shared} stroke="var(--line)" />)
        : null}
      {reference === undefined ? null : (
        <line x1={x(reference)} x2={x(reference)} {...shared} stroke="var(--faint)" strokeWidth={1.25} />
      )}
    </>
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
  const height = rowHeight(row, sides.layout);
  const beside = sides.layout === "beside";
  const middle = beside ? y + height / 2 : y + height - 16;
  const labelY = beside ? middle : y + 14;
  const tip = { x: beside ? sides.left + 8 : 0, y: y + height + 6, title: row.label, lines: row.tip };
  return (
    <Point
      label={row.spoken}
      href={row.href}
      line={0}
      place={index}
      first={first}
      onPoint={(on) => onTip(on ? tip : null)}
    >
      <rect
        data-only-page=""
        className={hitClass}
        x={1}
        y={y + 1}
        width={width - 2}
        height={height - 2}
        rx={5}
      />
      <Text
        x={2}
        y={labelY}
        width={labelWidth(row, sides, width)}
        maxLines={beside ? 2 : 1}
        verticalAnchor="middle"
        fontSize={12}
        lineHeight="1.15em"
        fill="var(--ink)"
      >
        {row.label}
      </Text>
      {mark(row, index, { x, y: middle, height: beside ? 16 : 14 })}
      <FigureText row={row} sides={sides} width={width} y={labelY + 4} />
    </Point>
  );
}

function labelWidth(row: PlotRow, sides: Sides, width: number): number {
  if (sides.layout === "beside") return sides.left - 14;
  const figure = sides.layout === "above" ? figureText(row) : row.text;
  return width - figure.length * LETTER - 20;
}

function FigureText({ row, sides, width, y }: { row: PlotRow; sides: Sides; width: number; y: number }) {
  const beside = sides.layout === "beside";
  const x = beside ? width - sides.right + 14 : width - 4;
  const anchor = beside ? "start" : "end";
  const more = [
    { text: row.detail, fill: "var(--muted)" },
    { text: row.note, fill: "var(--warning-text)" },
  ].filter((each) => each.text);
  const rest = more.map((each, place) => (
    <tspan key={each.fill} dx={sides.layout === "stacked" && place === 0 ? 0 : 7} fill={each.fill}>
      {each.text}
    </tspan>
  ));
  return (
    <>
      <text x={x} y={y} textAnchor={anchor} fontSize={12} className="tabular" fill="var(--ink)">
        <tspan fontWeight={600}>{row.text}</tspan>
        {sides.layout === "stacked" ? null : rest}
      </text>
      {sides.layout === "stacked" && rest.length > 0 ? (
        <text x={2} y={y + 17} fontSize={11} className="tabular">
          {rest}
        </text>
      ) : null}
    </>
  );
}
