"use client";

import { Handle, type NodeProps, Position } from "@xyflow/react";
import { CircleX, Flag, TriangleAlert } from "lucide-react";
import { KindIcon } from "#components/surveys/question-kinds.tsx";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";
import { formatCount, formatPercent } from "#lib/platform/format.ts";
import type { FlowNode, NodeFigure, Port } from "./types.ts";

type Data = { node: FlowNode; editable: boolean; current: boolean; onSelect?: (id: string) => void };

const dot = "!size-2.5 !rounded-full !min-w-0 !border-2 !border-surface !bg-line-control";

/** A question of the graph, with an output for each answer. */
export function QuestionBox({ data }: NodeProps) {
  const { node, editable, current, onSelect } = data as unknown as Data;
  const alone = node.ports.length === 1 && !node.ports[0]?.label;
  return (
    <div
      className={cn(
        "flex h-full flex-col rounded-lg border bg-surface text-left shadow-card",
        node.severity === "error" && "border-danger",
        node.severity === "warning" && "border-warning",
        node.unreachable && "border-dashed",
        current && "outline-2 outline-accent outline-offset-2",
      )}
    >
      <Handle type="target" position={Position.Left} className={cn(dot, !editable && "!opacity-0")} />
      <Head node={node} onSelect={onSelect} />
      {node.figure ? <Traffic found={node.figure} /> : null}
      {alone ? (
        <SourceHandle port={node.ports[0]} editable={editable} />
      ) : (
        <ul className="flex flex-col border-t">
          {node.ports.map((port) => (
            <li
              key={port.id}
              className="relative flex h-[26px] items-center justify-end px-3 text-2xs text-muted [&:not(:last-child)]:border-b"
            >
              <span className="truncate" title={port.label}>
                {port.label}
              </span>
              <SourceHandle port={port} editable={editable} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function SourceHandle({ port, editable }: { port: Port | undefined; editable: boolean }) {
  if (!port) return null;
  return (
    <Handle
      type="source"
      id={port.id}
      position={Position.Right}
      className={cn(dot, port.ruled && "!bg-accent", !editable && "!opacity-0")}
    />
  );
}

function Head({ node, onSelect }: { node: FlowNode; onSelect: ((id: string) => void) | undefined }) {
  const Sign = node.severity === "error" ? CircleX : TriangleAlert;
  const face = (
    <>
      <span className="flex w-full items-center gap-1.5 text-2xs text-muted">
        <span className="tabular font-semibold text-ink">{node.place + 1}</span>
        <KindIcon type={node.type} className="size-3" />
        {node.place === 0 ? <span>start</span> : null}
        {node.unreachable ? <span className="text-warning-text">never reached</span> : null}
        {node.severity ? (
          <Sign
            aria-label={node.severity === "error" ? "has an error" : "has a warning"}
            className={cn(
              "ml-auto size-3.5",
              node.severity === "error" ? "text-danger-text" : "text-warning-text",
            )}
          />
        ) : null}
      </span>
      <span className="line-clamp-2 w-full break-words text-ink text-xs leading-4">
        {node.title.trim() || "(no text yet)"}
      </span>
    </>
  );
  const look = "nodrag nopan flex h-[60px] w-full flex-col gap-0.5 rounded-t-lg px-3 pt-2 text-left";
  if (!onSelect) return <div className={look}>{face}</div>;
  return (
    <button
      type="button"
      className={cn(look, "focus-inset hover:bg-hover")}
      onClick={() => onSelect(node.id)}
    >
      {face}
    </button>
  );
}

function Traffic({ found }: { found: NodeFigure }) {
  const { count, share, left, href, leftHref } = found;
  const seen = `${formatCount(count)}${share === undefined ? "" : ` · ${formatPercent(share)}`}`;
  const gone = left ? `${formatCount(left)} left` : "";
  const look = "nodrag nopan rounded-xs hover:underline";
  return (
    <p className="tabular flex h-[26px] items-center justify-between gap-2 border-t px-3 text-2xs">
      {href ? (
        <Link href={href} className={cn(look, "font-medium text-ink")} scroll={false}>
          {seen}
        </Link>
      ) : (
        <span className="font-medium">{seen}</span>
      )}
      {leftHref && gone ? (
        <Link href={leftHref} className={cn(look, "text-warning-text")} scroll={false}>
          {gone}
        </Link>
      ) : (
        <span className="text-warning-text">{gone}</span>
      )}
    </p>
  );
}

/** Where a survey is over. */
export function EndBox({ data }: NodeProps) {
  const found = (data as { figure: NodeFigure | null }).figure;
  return (
    <div className="flex h-10 w-23 items-center justify-center gap-1.5 rounded-full border border-line-strong bg-sunken font-medium text-muted text-xs">
      <Handle type="target" position={Position.Left} className={dot} />
      <Flag aria-hidden="true" className="size-3.5" />
      {found ? (
        found.href ? (
          <Link href={found.href} className="nodrag nopan hover:underline" scroll={false}>
            {formatCount(found.count)}
            <span className="sr-only"> reached the end</span>
          </Link>
        ) : (
          formatCount(found.count)
        )
      ) : (
        "End"
      )}
    </div>
  );
}
