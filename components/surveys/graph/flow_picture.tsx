"use client";

import dynamic from "next/dynamic";
import type { CSSProperties } from "react";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { CanvasProps } from "./flow_canvas.tsx";
import { heightOf } from "./sizes.ts";

/** Drawing needs a window and a library: both come when a graph is first shown. */
const Canvas = dynamic(async () => (await import("./flow_canvas.tsx")).FlowCanvas, {
  ssr: false,
  loading: () => (
    <div role="status" aria-label="Drawing the flow" className="grid h-full place-items-center p-8">
      <Skeleton className="h-24 w-3/5" />
    </div>
  ),
});

/** The library's name stands on the picture's own ground, in either theme. */
const BARE = { "--xy-attribution-background-color": "transparent" } as CSSProperties;

/** The frame that a graph is drawn in. */
export function FlowPicture({
  height,
  className,
  ...props
}: CanvasProps & { height?: string; className?: string }) {
  // About two questions high: how they are laid out is only known once it is drawn.
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
