"use client";

import { later } from "#components/ui/after-page.ts";

/** Loads the demo project; see `load-demo-view.tsx`. */
export const LoadDemo = later(async () => (await import("./load-demo-view.tsx")).LoadDemo);
