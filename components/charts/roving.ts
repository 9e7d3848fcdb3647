import type { KeyboardEvent } from "react";

/** Marks an element as a point of a chart: `data-line` and `data-place` give its position. */
const POINT = "[data-point]";

const placeOf = (element: Element) => Number(element.getAttribute("data-place"));
const lineOf = (element: Element) => Number(element.getAttribute("data-line"));

/**
 * Arrow keys inside a chart, which is one stop of the Tab key: left and right along a line, up and down
 * between lines (along the line where there is only one), Home and End to its ends.
 */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const here = (event.target as Element).closest(POINT);
  if (!here) return;
  const points = [...event.currentTarget.querySelectorAll<SVGElement>(POINT)];
  const next = nextPoint(event.key, here, points);
  if (!next) return;
  event.preventDefault();
  for (const point of points) point.setAttribute("tabindex", point === next ? "0" : "-1");
  next.focus();
}

function nextPoint(key: string, here: Element, points: SVGElement[]): SVGElement | undefined {
  const own = points
    .filter((point) => lineOf(point) === lineOf(here))
    .sort((a, b) => placeOf(a) - placeOf(b));
  const place = own.findIndex((point) => point.isSameNode(here));
  if (key === "Home") return own[0];
  if (key === "End") return own.at(-1);
  if (key === "ArrowRight") return own[place + 1];
  if (key === "ArrowLeft") return own[place - 1];
  if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
  const step = key === "ArrowDown" ? 1 : -1;
  const lines = [...new Set(points.map(lineOf))].sort((a, b) => a - b);
  if (lines.length === 1) return own[place + step];
  const line = lines[lines.indexOf(lineOf(here)) + step];
  return points
    .filter((point) => lineOf(point) === line)
    .sort((a, b) => Math.abs(placeOf(a) - placeOf(here)) - Math.abs(placeOf(b) - placeOf(here)))[0];
}
