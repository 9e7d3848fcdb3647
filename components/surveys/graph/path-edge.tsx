"use client";

import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import Link from "next/link";
import { cn } from "#components/ui/cn.ts";
import { formatCount, formatPercent } from "#lib/platform/format.ts";
import type { Place } from "./sizes.ts";
import type { Port } from "./types.ts";

const BOW = 90;

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

/** A curve to the right around what stands between; a way back bows out below, so that it does not hide. */
function pathOf(props: EdgeProps): [path: string, x: number, y: number] {
  const { sourceX, sourceY, targetX, targetY } = props;
  const { bends } = props.data as { bends: Place[] };
  if (targetX <= sourceX) {
    const low = Math.max(sourceY, targetY) + BOW;
    const path = `M ${sourceX} ${sourceY} C ${sourceX + BOW} ${low}, ${targetX - BOW} ${low}, ${targetX} ${targetY}`;
    return [path, (sourceX + targetX) / 2, low - BOW / 4];
  }
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
