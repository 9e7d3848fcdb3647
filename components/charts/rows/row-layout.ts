import type { Route } from "next";
import type { Tip } from "#components/charts/point.tsx";

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

const NARROW = 540;
export const AXIS = 24;
export const LETTER = 6.7;

/** `beside`: label, mark and figure in one line. `above`: both over the mark. `stacked`: in two lines over it. */
export type Layout = "beside" | "above" | "stacked";

const HEIGHTS: Record<Layout, number> = { beside: 36, above: 52, stacked: 68 };

export function layoutOf(rows: readonly PlotRow[], width: number): Layout {
  if (width >= NARROW) return "beside";
  const fits = rows.every(
    (row) => Math.min(row.label.length, 18) * LETTER + figureText(row).length * LETTER + 16 < width,
  );
  return fits ? "above" : "stacked";
}

export const figureText = (row: PlotRow) => [row.text, row.detail, row.note].filter(Boolean).join("  ");

/** Height of the whole, known before anything is drawn. */
export const rowPlotHeight = (rows: readonly PlotRow[], width: number, axis: boolean): number =>
  rows.reduce((sum, row) => sum + rowHeight(row, layoutOf(rows, width)), 0) + (axis ? AXIS : 4);

export const rowHeight = (row: PlotRow, layout: Layout) => (row.heading ? 30 : HEIGHTS[layout]);
