"use client";

import type { ReactNode } from "react";
import type { Counting } from "#components/kit/use-count.ts";
import { Button } from "#components/ui/button.tsx";
import { Progress } from "#components/ui/display/progress.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { formatCount } from "#lib/platform/format.ts";

type Props<T> = {
  /** What is being counted, for screen readers. */
  label: string;
  counted: Counting<T>;
  /** What is counted, in words. */
  noun?: "people" | "calls";
  /** What the part that is counted says already. */
  soFar: (part: T) => string;
  /** What is shown once everybody is counted. */
  children: (found: T) => ReactNode;
};

/** A count of everybody: how far it is, then what it found. Its end is announced to screen readers. */
export function Count<T>({ label, counted, noun = "people", soFar, children }: Props<T>) {
  return (
    <>
      {counted.state === "failed" ? (
        <p className="text-sm text-warning-text">Could not be counted: {counted.problem}</p>
      ) : null}
      {counted.state === "counting" || counted.state === "stopped" ? (
        <Unfinished label={label} counted={counted} noun={noun} soFar={soFar} />
      ) : null}
      {counted.state === "counted" ? children(counted.found) : null}
      <span aria-live="polite" className="sr-only">
        {counted.state === "counting" ? null : ENDS[counted.state]}
      </span>
    </>
  );
}

const ENDS = { counted: "Counted.", failed: "Could not be counted.", stopped: "Counting stopped." };

type UnfinishedProps<T> = Required<Pick<Props<T>, "label" | "noun" | "soFar">> & {
  counted: Extract<Counting<T>, { state: "counting" | "stopped" }>;
};

/** Placeholder for figures until they are counted. */
function Unfinished<T>({ label, counted, noun, soFar }: UnfinishedProps<T>) {
  const { part, state } = counted;
  const isLong = part !== null && part.of !== null && part.seen > 0;
  if (!isLong && state === "counting")
    return (
      <div role="status" aria-label={label} className="flex flex-col gap-2">
        <Skeleton className="h-4 w-3/5" />
        <Skeleton className="h-9 w-full" />
      </div>
    );
  const counts = part?.of
    ? `${formatCount(part.seen)} of ${formatCount(part.of)} ${noun}`
    : "Nothing counted yet";
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <div className="flex items-center justify-between gap-3">
        <p className="tabular font-medium">{counts}</p>
        <Button
          size="sm"
          variant="ghost"
          onClick={counted.state === "counting" ? counted.stop : counted.resume}
        >
          {state === "counting" ? "Stop" : "Count again"}
        </Button>
      </div>
      <Progress value={part?.of ? part.seen / part.of : 0} label={label} text={counts} />
      {part ? <p className="tabular text-muted text-xs">So far, {soFar(part.answer)}.</p> : null}
    </div>
  );
}
