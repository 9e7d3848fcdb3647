"use client";

import { createContext, type ReactNode, use, useState } from "react";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { variantColor } from "#components/ui/tone.ts";
import type { Scale } from "./interval-scale.ts";

type Choice = "common" | "own";

const ScaleChoice = createContext<{ choice: Choice; choose: (choice: Choice) => void }>({
  choice: "common",
  choose: () => {},
});

/** Tables whose intervals are drawn on one scale, or each metric's on its own. */
export function IntervalScales({ initial, children }: { initial: Choice; children: ReactNode }) {
  const [choice, choose] = useState(initial);
  return <ScaleChoice value={{ choice, choose }}>{children}</ScaleChoice>;
}

/** Chooses the scale of all tables of the page. */
export function ScaleSwitch() {
  const { choice, choose } = use(ScaleChoice);
  return (
    <div className="ml-auto flex items-center gap-2 print:hidden">
      <span aria-hidden="true" className="text-muted text-xs">
        Intervals
      </span>
      <Segmented
        size="sm"
        label="Scale of the intervals"
        value={choice}
        onValueChange={choose}
        options={[
          { value: "common", label: "One scale" },
          { value: "own", label: "Scale per metric" },
        ]}
      />
    </div>
  );
}

/** The ends of a scale as text, shown while intervals are drawn on it. */
export function ScaleEnds({
  of,
  ends,
  otherwise,
}: {
  of: Choice;
  ends: readonly string[];
  otherwise?: string;
}) {
  if (use(ScaleChoice).choice !== of) return otherwise ?? null;
  return (
    <span className="flex min-w-40 justify-between gap-2 whitespace-nowrap font-normal print:min-w-24">
      <span>{ends[0]}</span>
      <span className="sr-only">to</span>
      <span>{ends[1]}</span>
    </span>
  );
}

type IntervalCellProps = {
  estimate: { effect: number; interval: readonly number[] };
  /** The scale of all metrics, and that of this one. */
  scales: Readonly<Record<Choice, Scale>>;
  /** Place of the variant in its flag: decides the colour. */
  colorIndex: number;
};

/** An interval drawn to the chosen scale. The figures are beside it, so it is hidden from screen readers. */
export function IntervalCell({ estimate, scales, colorIndex }: IntervalCellProps) {
  const scale = scales[use(ScaleChoice).choice];
  const percent = (value: number) =>
    3 + 94 * ((Math.min(scale.high, Math.max(scale.low, value)) - scale.low) / (scale.high - scale.low));
  const [low = 0, high = 0] = estimate.interval;
  const color = variantColor(colorIndex);
  const leavesZero = low > 0 || high < 0;
  return (
    <div aria-hidden="true" className="relative h-7 w-full min-w-40 print:min-w-24">
      <div className="absolute inset-y-0 w-px bg-line-strong" style={{ left: `${percent(0)}%` }} />
      <div
        className="absolute top-1/2 h-2 -translate-y-1/2 rounded-full opacity-30"
        style={{
          left: `${percent(low)}%`,
          width: `${percent(high) - percent(low)}%`,
          backgroundColor: color,
        }}
      />
      {[low, high].map((bound) => (
        <div
          key={bound}
          className="absolute top-1/2 h-3 w-0.5 -translate-x-1/2 -translate-y-1/2 rounded-full"
          style={{ left: `${percent(bound)}%`, backgroundColor: color }}
        />
      ))}
      <div
        className="absolute top-1/2 size-2.5 -translate-x-1/2 -translate-y-1/2 rounded-full border-2"
        style={{
          left: `${percent(estimate.effect)}%`,
          borderColor: color,
          backgroundColor: leavesZero ? color : "var(--surface)",
        }}
      />
    </div>
  );
}
