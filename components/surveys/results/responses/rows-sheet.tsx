"use client";

import { later } from "#components/ui/after-page.ts";

/** The rows behind a figure, beside the page; see `rows-sheet-view.tsx`. */
export const RowsSheet = later(async () => (await import("./rows-sheet-view.tsx")).RowsSheet);
