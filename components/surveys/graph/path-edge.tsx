"use client";

import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";
import { formatCount, formatPercent } from "#lib/platform/format.ts";
import type { Place } from "./sizes.ts";
import type { Port } from "./types.ts";

const OUT = 22;
const ROUND = 10;

/** A smooth line through points, horizontal at each. */
const through = (points: readonly Place[]): string =>
  points
    .map(({ x, y }, at) => {
      const before = points[at - 1];
      if (!before) return `M ${x} ${y}`;
      const half = (x - before.x) / 2;
      return `C ${before.x + half} ${before.y}, ${x - half} ${y}, ${x} ${y}`;
    })
    .join(" ");

/** A way back, below all boxes between its ends. */
function back({ sourceX, sourceY, targetX, targetY }: EdgeProps, floor: number): string {
  const [right, left] = [sourceX + OUT, targetX - OUT];
  return [
    `M ${sourceX} ${sourceY} H ${right - ROUND}`,
    `Q ${right} ${sourceY} ${right} ${sourceY + ROUND} V ${floor - ROUND}`,
    `Q ${right} ${floor} ${right - ROUND} ${floor} H ${left + ROUND}`,
    `Q ${left} ${floor} ${left} ${floor - ROUND} V ${targetY + ROUND}`,
    `Q ${left} ${targetY} ${left + ROUND} ${targetY} H ${targetX}`,
  ].join(" ");
}

/** A curve to the right around what stands between, or a way back below it. */
function pathOf(props: EdgeProps): [path: string, x: number, y: number] {
  const { sourceX, sourceY, targetX, targetY } = props;
  const { bends, floor } = props.data as { bends: Place[]; floor: number | null };
  if (floor !== null) return [back(props, floor), (sourceX + targetX) / 2, floor];
  const middle = bends[Math.floor(bends.length / 2)];
  if (!middle) {
    const [path, x, y] = getBezierPath(props);
    return [path, x, y];
  }
  const path = through([{ x: sourceX, y: sourceY }, ...bends, { x: targetX, y: targetY }]);
  return [path, middle.x, middle.y];
}

/** An edge from a question, with its traffic if known. */
export function PathEdge(props: EdgeProps) {
  const [path, x, y] = pathOf(props);
  const { port } = props.data as { port: Port };
  return (
    <>
      <BaseEdge
        path={path}
        {...(props.markerEnd && { markerEnd: props.markerEnd })}
        {...(props.style && { style: props.style })}
        interactionWidth={24}
      />
      {port.figure && port.figure.count > 0 ? (
        <EdgeLabelRenderer>
          <Traffic port={port} x={x} y={y} />
        </EdgeLabelRenderer>
      ) : null}
    </>
  );
}

function Traffic({ port, x, y }: { port: Port; x: number; y: number }) {
  const { count = 0, share, href } = port.figure ?? {};
  const text = `${formatCount(count)}${share === undefined ? "" : ` · ${formatPercent(share)}`}`;
  const look = cn(
    "nodrag nopan tabular pointer-events-auto absolute rounded-sm border bg-raised px-1.5 py-0.5 text-2xs text-ink",
    port.former && "border-dashed",
  );
  const style = { transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` };
  if (!href)
    return (
      <span className={look} style={style}>
        {text}
      </span>
    );
  return (
    <Link
      href={href}
      scroll={false}
      className={cn(look, "hover:border-accent hover:text-accent-text")}
      style={style}
    >
      {text}
    </Link>
  );
}
