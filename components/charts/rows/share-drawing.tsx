"use client";

import { type ReactNode, useState } from "react";
import { ComposedChart, Line, Text, usePlotArea, useXAxisScale, XAxis, YAxis } from "recharts";
import { colorOf } from "#components/charts/colors.ts";
import { Point, type Tip, TipBox } from "#components/charts/point.tsx";
import { formatValue, type Measure } from "#lib/platform/format.ts";
import { above, BAR, heightOf, labelled, rowHeight, type ShareRow } from "./share-layout.ts";

const SHARE: Measure = { unit: "share" };

export type DrawingProps = { rows: readonly ShareRow[]; width: number };

export function Drawing({ rows, width }: DrawingProps) {
  const [tip, setTip] = useState<Tip | null>(null);
  const left = labelled(rows) && !above(rows, width) ? Math.min(220, Math.round(width * 0.3)) : 0;
  return (
    <>
      <ComposedChart
        layout="vertical"
        width={width}
        height={heightOf(rows, width)}
        data={rows as ShareRow[]}
        margin={{ top: 0, right: 0, bottom: 0, left }}
        accessibilityLayer={false}
      >
        <XAxis
          type="number"
          domain={[0, 1]}
          ticks={[0, 1]}
          allowDataOverflow
          height={1}
          tick={false}
          axisLine={false}
        />
        <YAxis type="category" dataKey="key" hide />
        <Line dataKey={() => null} isAnimationActive={false} />
        <Parts rows={rows} width={width} left={left} onTip={setTip} />
      </ComposedChart>
      <TipBox tip={tip} width={width} />
    </>
  );
}

type PartsProps = {
  rows: readonly ShareRow[];
  width: number;
  left: number;
  onTip: (tip: Tip | null) => void;
};

function Parts({ rows, width, left, onTip }: PartsProps) {
  const scale = useXAxisScale();
  const plot = usePlotArea();
  if (!scale || !plot) return null;
  const x = (value: number) => Number(scale(value) ?? plot.x);
  const shift = above(rows, width) ? 20 : 4;
  return rows.map((row, line) => {
    const y = line * rowHeight(rows, width);
    return (
      <g key={row.key}>
        {row.label ? (
          <Text
            x={0}
            y={left > 0 ? y + shift + BAR / 2 : y + 10}
            width={left > 0 ? left - 12 : width}
            maxLines={left > 0 ? 2 : 1}
            verticalAnchor="middle"
            fontSize={12}
            fill="var(--ink)"
          >
            {row.label}
          </Text>
        ) : null}
        {partsOf(row, line, y + shift, x, onTip)}
      </g>
    );
  });
}

function partsOf(
  row: ShareRow,
  line: number,
  y: number,
  x: (value: number) => number,
  onTip: (tip: Tip | null) => void,
): ReactNode {
  const total = row.parts.reduce((sum, part) => sum + part.count, 0);
  if (total === 0)
    return <rect x={x(0)} y={y} width={x(1) - x(0)} height={BAR} rx={4} fill="var(--pressed)" />;
  let before = 0;
  return row.parts.map((part, place) => {
    const share = part.count / total;
    const start = x(before / total);
    before += part.count;
    const size = x(before / total) - start;
    const words = formatValue(share, SHARE);
    const count = formatValue(part.count, { unit: "count" });
    const spoken = [row.label, `${part.name}: ${formatValue(share, SHARE)}, ${count}`]
      .filter(Boolean)
      .join(", ");
    const lines = [
      { name: "Share", value: formatValue(share, SHARE) },
      { name: "Count", value: count },
    ];
    const show = (on: boolean) =>
      onTip(
        on
          ? { x: start, y: y + BAR + 18, title: [row.label, part.name].filter(Boolean).join(": "), lines }
          : null,
      );
    if (part.count === 0) return null;
    return (
      <Point
        key={part.key}
        label={spoken}
        href={part.href}
        line={line}
        place={place}
        first={line === 0 && before === part.count}
        onPoint={show}
      >
        <rect
          className="stroke-transparent stroke-[2.5] group-hover/point:opacity-85 group-focus-visible/point:stroke-ink"
          x={start + 0.75}
          y={y}
          width={Math.max(1, size - 1.5)}
          height={BAR}
          rx={Math.min(4, size / 3)}
          fill={part.color ?? colorOf(part.key, part.colorIndex)}
        />
        {size > 46 ? (
          <text
            x={start + size / 2}
            y={y + BAR / 2 + 4}
            textAnchor="middle"
            fontSize={12}
            fontWeight={600}
            fill="var(--surface)"
            className="tabular pointer-events-none"
          >
            {words}
          </text>
        ) : null}
      </Point>
    );
  });
}
