"use client";

import { later } from "#components/ui/after-page.ts";
import type { RowPlotProps } from "./row-drawing.tsx";

/** Rows of marks on one common scale. */
export const RowPlot = later<RowPlotProps>(async () => (await import("./row-drawing.tsx")).RowPlot);
