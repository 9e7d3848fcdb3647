"use client";

import { type ReactNode, useRef } from "react";
import { useShortcut } from "#components/ui/overlay/shortcuts.tsx";

/**
 * Moves through the rows inside with j and k, ticks the row's checkbox with x. The focus itself moves (to the
 * row's `data-row-link`), so Enter opens the row and screen readers follow.
 */
export function RowKeys({ children, noun = "row" }: { children: ReactNode; noun?: string }) {
  const box = useRef<HTMLDivElement>(null);
  const rows = () => [...(box.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const here = () => rows().findIndex((row) => row.contains(document.activeElement));

  function move(step: 1 | -1) {
    const all = rows();
    const at = here();
    const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step));
    const stop = all[next]?.querySelector<HTMLElement>("[data-row-link]");
    stop?.focus();
    stop?.scrollIntoView({ block: "nearest" });
  }
  useShortcut("j", `Next ${noun}`, () => move(1), { group: "Lists" });
  useShortcut("k", `Previous ${noun}`, () => move(-1), { group: "Lists" });
  useShortcut(
    "x",
    `Select the ${noun}`,
    () => rows()[here()]?.querySelector<HTMLElement>('[role="checkbox"]')?.click(),
    { group: "Lists" },
  );
  return <div ref={box}>{children}</div>;
}
