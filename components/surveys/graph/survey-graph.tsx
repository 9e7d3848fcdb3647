"use client";

import { useMemo, useState } from "react";
import { draftOf } from "#components/surveys/draft/draft.ts";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Link } from "#components/ui/link.tsx";
import type { SentQuestion } from "#lib/engines/branching/question.ts";
import { formatCount, formatPercent } from "#lib/platform/format.ts";
import { END_NODE, flowOf } from "./flow.ts";
import { FlowPicture } from "./flow-picture.tsx";
import type { Flow, FlowFigures, NodeFigure, Port } from "./types.ts";

type Props = {
  /** As the API gives them. */
  questions: readonly SentQuestion[];
  /** Names the picture. */
  label: string;
  /** The actual traffic. */
  figures?: FlowFigures;
  /** Place of the question that is looked at. */
  selected?: number | null;
  onSelect?: (place: number) => void;
  height?: string;
};

const VIEWS = [
  { value: "picture", label: "Graph" },
  { value: "list", label: "List" },
] as const;

/** A stored survey as a graph, with traffic and drop-off if given, and as a list. */
export function SurveyGraph({ questions, label, figures, selected, onSelect, height }: Props) {
  const [view, setView] = useState<"picture" | "list">("picture");
  const drafts = useMemo(() => draftOf(questions), [questions]);
  const flow = useMemo(() => flowOf(drafts, { figures, merge: true }), [drafts, figures]);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Segmented
        label="View of the flow"
        size="sm"
        className="self-end"
        value={view}
        options={VIEWS}
        onValueChange={setView}
      />
      {view === "picture" ? (
        <FlowPicture
          flow={flow}
          label={label}
          {...(height && { height })}
          selected={selected === null || selected === undefined ? null : drafts[selected]?.uid}
          onSelect={onSelect && ((id) => onSelect(drafts.findIndex((question) => question.uid === id)))}
        />
      ) : (
        <FlowList flow={flow} label={label} />
      )}
    </div>
  );
}

/** The same graph as a list. */
function FlowList({ flow, label }: { flow: Flow; label: string }) {
  const nameOf = (to: string | null) => {
    if (to === null) return "nowhere";
    if (to === END_NODE) return "the end";
    const node = flow.nodes.find((each) => each.id === to);
    return node ? `question ${node.place + 1}` : "nowhere";
  };
  return (
    <ol aria-label={label} className="divide-y rounded-lg border bg-surface">
      {flow.nodes.map((node) => (
        <li key={node.id} className="flex flex-col gap-1 px-4 py-3 text-sm">
          <span className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span className="min-w-0 break-words font-medium">
              {node.place + 1}. {node.title}
            </span>
            {node.figure ? <Seen found={node.figure} /> : null}
          </span>
          <ul className="flex flex-col gap-0.5 text-muted text-xs">
            {node.ports.map((port) => (
              <li key={port.id} className="flex flex-wrap gap-x-2">
                <span>
                  {port.label || "every answer"} → {nameOf(port.to)}
                </span>
                {flow.measured ? <Took port={port} /> : null}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function Seen({ found }: { found: NodeFigure }) {
  const seen = `seen by ${formatCount(found.count)}`;
  const left = found.left ? `${formatCount(found.left)} left here` : "";
  return (
    <span className="tabular flex gap-3 text-xs">
      {found.href ? (
        <Link href={found.href} scroll={false} className="text-accent-text hover:underline">
          {seen}
        </Link>
      ) : (
        seen
      )}
      {found.leftHref && left ? (
        <Link href={found.leftHref} scroll={false} className="text-warning-text hover:underline">
          {left}
        </Link>
      ) : (
        left
      )}
    </span>
  );
}

function Took({ port }: { port: Port }) {
  const { count = 0, share, href } = port.figure ?? {};
  const text = `${formatCount(count)}${share === undefined ? "" : ` (${formatPercent(share)})`}`;
  return href ? (
    <Link
      href={href}
      scroll={false}
      className="tabular inline-block min-w-6 text-center text-accent-text leading-6 hover:underline"
    >
      {text}
    </Link>
  ) : (
    <span className="tabular">{text}</span>
  );
}
