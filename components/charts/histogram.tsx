"use client";

import type { Route } from "next";
import { later } from "#components/ui/after-page.ts";
import { barsTable } from "./bars.tsx";
import { ChartFigure } from "./figure.tsx";
import type { DrawingProps, HistogramProps } from "./histogram-drawing.tsx";

const Drawing = later<DrawingProps>(async () => (await import("./histogram-drawing.tsx")).Drawing);

/** Upright bars in a given order: the buckets of a rating, days of a plan. */
export function Histogram(props: HistogramProps) {
  const { bars, height = 220 } = props;
  return (
    <ChartFigure
      {...props}
      table={barsTable(props)}
      tableLinks={(row, column): Route | undefined => (column === 1 ? bars[row]?.href : undefined)}
      height={height}
    >
      {(width) => <Drawing {...props} height={height} width={width} />}
    </ChartFigure>
  );
}
