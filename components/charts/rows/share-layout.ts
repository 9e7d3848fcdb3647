import type { Route } from "next";

type SharePart = {
  key: string;
  name: string;
  count: number;
  colorIndex?: number;
  /** Where its owner fixes it, as a CSS value. */
  color?: string;
  href?: Route;
};

export type ShareRow = { key: string; label?: string; parts: readonly SharePart[] };

const NARROW = 540;
export const BAR = 26;

export const labelled = (rows: readonly ShareRow[]) => rows.some((row) => row.label);
export const above = (rows: readonly ShareRow[], width: number) => labelled(rows) && width < NARROW;
export const rowHeight = (rows: readonly ShareRow[], width: number) => BAR + (above(rows, width) ? 26 : 12);
export const heightOf = (rows: readonly ShareRow[], width: number) =>
  rows.length * rowHeight(rows, width) + 1;
