"use client";

import dynamic from "next/dynamic";
import type { CSSProperties } from "react";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import type { CanvasProps } from "./flow-canvas.tsx";
import { heightOf } from "./sizes.ts";

/** Drawing needs a window and a library: both come when a graph is first shown. */
const Canvas = dynamic(async () => (await import("./flow-canvas.tsx")).FlowCanvas, {
  ssr: false,
  loading: () => (
    <div role="status" aria-label="Drawing the flow" className="grid h-full place-items-center p-8">
      <Skeleton className="h-24 w-3/5" />
    </div>
  ),
});

/** The library's attribution has the background of the graph, in both themes. */
const BARE = { "--xy-attribution-background-color": "transparent" } as CSSProperties;

/** The frame that a graph is drawn in. */
export function FlowPicture({
  height,
  className,
  ...props
}: CanvasProps & { height?: string; className?: string }) {
  // About two questions high: the layout is only known once drawn.
  const tall = 220 + 1.6 * Math.max(0, ...props.flow.nodes.map(heightOf));
  return (
    <div
      className={cn("survey-flow overflow-hidden rounded-lg border bg-sunken", className)}
      style={{ ...BARE, height: height ?? `clamp(18rem, ${tall}px, 38rem)` }}
    >
      <Canvas {...props} />
    </div>
  );
}
