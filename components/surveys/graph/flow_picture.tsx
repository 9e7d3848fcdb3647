"use client";

import dynamic from "next/dynamic";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { CanvasProps } from "./flow_canvas.tsx";

/** Drawing needs a window and a library: both come when a graph is first shown. */
const Canvas = dynamic(async () => (await import("./flow_canvas.tsx")).FlowCanvas, {
  ssr: false,
  loading: () => (
    <div role="status" aria-label="Drawing the flow" className="grid h-full place-items-center p-8">
      <Skeleton className="h-24 w-3/5" />
    </div>
  ),
});

/** The frame that a graph is drawn in. */
export function FlowPicture({
  height,
  className,
  ...props
}: CanvasProps & { height?: string; className?: string }) {
  return (
    <div
      className={cn("survey-flow overflow-hidden rounded-lg border bg-sunken", className)}
      style={{ height: height ?? "30rem" }}
    >
      <Canvas {...props} />
    </div>
  );
}
