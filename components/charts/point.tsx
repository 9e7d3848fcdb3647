"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import type { MouseEvent, ReactNode } from "react";
import { goTo } from "./go-to.ts";

/** What is read out and shown beside a point; `lines` are pairs of a name and a value. */
export type Tip = {
  x: number;
  y: number;
  title: string;
  lines: readonly { name: string; value: string; color?: string }[];
};

/** The area of a point that takes the pointer, and shows that it has the focus. */
export const hitClass =
  "fill-transparent stroke-2 stroke-transparent group-hover/point:fill-hover group-focus-visible/point:fill-hover group-focus-visible/point:stroke-focus print:hidden";

type PointProps = {
  /** All of it in words: "3 Mar 2026, Answered: 41". */
  label: string;
  /** Opens the rows behind the figure. */
  href?: Route | undefined;
  line: number;
  place: number;
  /** The one stop of the Tab key. */
  first: boolean;
  onPoint?: (on: boolean) => void;
  children: ReactNode;
};

/** A focusable figure of a chart: a link where its rows can be opened. */
export function Point({ label, href, line, place, first, onPoint, children }: PointProps) {
  const router = useRouter();
  const shared = {
    "data-point": "",
    "data-line": line,
    "data-place": place,
    "aria-label": label,
    tabIndex: first ? 0 : -1,
    className: "group/point outline-none",
    onFocus: () => onPoint?.(true),
    onBlur: () => onPoint?.(false),
    onMouseEnter: () => onPoint?.(true),
    onMouseLeave: () => onPoint?.(false),
  };
  if (!href)
    return (
      // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: arrow keys read the chart point by point
      <g role="img" {...shared}>
        {children}
      </g>
    );
  const go = (event: MouseEvent) => goTo(event, href, router);
  return (
    <a href={href} {...shared} onClick={go}>
      {children}
    </a>
  );
}

const WIDEST = 320;

/** The box beside the point that is under the pointer or has the focus. The point itself says the same. */
export function TipBox({ tip, width }: { tip: Tip | null; width: number }) {
  if (!tip) return null;
  const side = tip.x < width / 2 ? { left: tip.x + 14 } : { right: width - tip.x + 14 };
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute z-20 w-max rounded-md bg-raised px-2.5 py-2 text-xs shadow-pop print:hidden"
      style={{ ...side, top: Math.max(0, tip.y - 12), maxWidth: Math.min(WIDEST, width - 8) }}
    >
      <p className="font-medium text-ink">{tip.title}</p>
      {tip.lines.map((line) => (
        <p key={line.name} className="flex items-center gap-1.5 text-muted">
          {line.color ? (
            <span className="size-2 shrink-0 rounded-xs" style={{ backgroundColor: line.color }} />
          ) : null}
          <span className="min-w-0 flex-1 truncate">{line.name}</span>
          <span className="tabular whitespace-nowrap pl-3 text-right text-ink">{line.value}</span>
        </p>
      ))}
    </div>
  );
}
