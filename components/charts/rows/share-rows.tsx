"use client";

import { colorOf } from "#components/charts/colors.ts";
import type { TableData } from "#components/charts/csv.ts";
import { ChartFigure, type FigureProps, type LegendEntry } from "#components/charts/figure.tsx";
import { later } from "#components/ui/after-page.ts";
import { formatValue, type Measure } from "#lib/platform/format.ts";
import type { DrawingProps } from "./share-drawing.tsx";
import { heightOf, labelled, type ShareRow } from "./share-layout.ts";

const Drawing = later<DrawingProps>(async () => (await import("./share-drawing.tsx")).Drawing);

const SHARE: Measure = { unit: "share" };

export type ShareRowsProps = FigureProps & {
  /** Each row is a whole of its own, divided into its parts. */
  rows: readonly ShareRow[];
  countName: string;
};

/** Wholes divided into parts: one bar of 100% per row, its parts named and counted. */
export function ShareRows(props: ShareRowsProps) {
  const { rows } = props;
  const links = rows.flatMap((row) => row.parts.map((part) => part.href));
  return (
    <ChartFigure
      {...props}
      legend={legendOf(rows)}
      table={shareTable(props)}
      tableLinks={(row, column) => (column === (labelled(rows) ? 2 : 1) ? links[row] : undefined)}
      height={(width) => heightOf(rows, width)}
    >
      {(width) => <Drawing rows={rows} width={width} />}
    </ChartFigure>
  );
}

function legendOf(rows: readonly ShareRow[]): LegendEntry[] {
  const parts = new Map(rows.flatMap((row) => row.parts).map((part) => [part.key, part]));
  const single = rows.length === 1;
  return [...parts.values()].map((part) => ({
    key: part.key,
    name: single ? `${part.name} · ${formatValue(part.count, { unit: "count" })}` : part.name,
    color: part.color ?? colorOf(part.key, part.colorIndex),
  }));
}

function shareTable({ rows, countName }: ShareRowsProps): TableData {
  const named = labelled(rows);
  return {
    columns: [
      ...(named ? [{ label: "Row" }] : []),
      { label: "Part" },
      { label: countName, numeric: true },
      { label: "Share", numeric: true },
    ],
    rows: rows.flatMap((row) => {
      const total = row.parts.reduce((sum, part) => sum + part.count, 0);
      return row.parts.map((part) => [
        ...(named ? [row.label ?? null] : []),
        part.name,
        part.count,
        total > 0 ? { text: formatValue(part.count / total, SHARE), value: part.count / total } : null,
      ]);
    }),
  };
}
