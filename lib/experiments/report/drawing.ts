import { html } from "hono/html";
import type { MetricFigures, ReportVariant } from "./document.ts";

/** Colours by a variant's index in its flag; the style sheet gives them for light and dark. */
const colourOf = (index: number) => `var(--v${index % 10})`;

/** Lines differ in their dashes as well. */
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "5 2 1 2", "12 4"];
const dashOf = (index: number) => DASHES[index % DASHES.length] ?? "";

const round = (value: number) => Number(value.toFixed(2));

/** Bounds that hold every interval of some metrics and zero. */
export function computeScale(metrics: readonly MetricFigures[]): readonly [number, number] {
  const ends = metrics.flatMap(({ variants }) =>
    variants.flatMap(({ estimate }) => (estimate ? [estimate.low, estimate.high] : [])),
  );
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const pad = (high - low) * 0.05 || 0.01;
  return [low - pad, high + pad];
}

const BAR = { width: 170, height: 26 };

/** An interval with its estimate on a common scale; the line marks no difference. */
export function drawInterval(
  estimate: { readonly effect: number; readonly low: number; readonly high: number },
  [low, high]: readonly [number, number],
  index: number,
) {
  const x = (value: number) => round(((value - low) / (high - low)) * BAR.width);
  const middle = BAR.height / 2;
  const [from, to] = [x(estimate.low), x(estimate.high)];
  return html`<svg class="bar" width="${BAR.width}" height="${BAR.height}" viewBox="0 0 ${BAR.width} ${BAR.height}" aria-hidden="true"><line x1="${x(0)}" x2="${x(0)}" y1="0" y2="${BAR.height}" class="zero"/><rect x="${from}" y="${middle - 4}" width="${round(Math.max(1, to - from))}" height="8" rx="4" fill="${colourOf(index)}" opacity=".28"/><circle cx="${x(estimate.effect)}" cy="${middle}" r="4.5" fill="${colourOf(index)}"/></svg>`;
}

/** A dot in a variant's colour, beside its name. */
export const drawSwatch = (index: number) =>
  html`<svg width="9" height="9" aria-hidden="true"><circle cx="4.5" cy="4.5" r="4.5" fill="${colourOf(index)}"/></svg>`;

/** A piece of a variant's line, beside its name. */
const stroke = (index: number) =>
  html`<svg width="26" height="9" aria-hidden="true"><path d="M0 4.5H26" stroke="${colourOf(index)}" stroke-width="2" stroke-dasharray="${dashOf(index)}"/></svg>`;

const LINES = { width: 720, height: 200, left: 8, right: 8, top: 8, bottom: 8 };

type Point = { readonly at: number; readonly effect: number; readonly low: number; readonly high: number };

function pointsOf(metric: MetricFigures, key: string): Point[] {
  return metric.days.flatMap(({ variants }, at) => {
    const found = variants[key];
    return found ? [{ at, ...found }] : [];
  });
}

/** The estimate of each variant by day, with its interval as a band. */
export function drawSeries(
  metric: MetricFigures,
  variants: readonly ReportVariant[],
  text: (value: number) => string,
) {
  const lines = metric.variants
    .map(({ key }) => ({
      key,
      index: variants.findIndex((variant) => variant.key === key),
      points: pointsOf(metric, key),
    }))
    .filter(({ points }) => points.length > 1);
  if (lines.length === 0) return null;
  const settled = lines.flatMap(({ points }) => points.slice(Math.floor(points.length / 4)));
  const [low, high] = [
    Math.min(0, ...settled.map((point) => point.low)),
    Math.max(0, ...settled.map((point) => point.high)),
  ];
  const { width, height, left, right, top, bottom } = LINES;
  const x = (at: number) => round(left + (at / Math.max(1, metric.days.length - 1)) * (width - left - right));
  const y = (value: number) =>
    round(
      Math.min(
        height - bottom,
        Math.max(top, top + ((high - value) / (high - low || 1)) * (height - top - bottom)),
      ),
    );
  const drawn = lines.map(({ index, points }) => {
    const upper = points.map((point) => `${x(point.at)},${y(point.high)}`);
    const lower = points.map((point) => `${x(point.at)},${y(point.low)}`).reverse();
    const middle = points.map((point) => `${x(point.at)},${y(point.effect)}`).join(" ");
    return html`<polygon points="${[...upper, ...lower].join(" ")}" fill="${colourOf(index)}" opacity=".16"/><polyline points="${middle}" fill="none" stroke="${colourOf(index)}" stroke-width="2" stroke-dasharray="${dashOf(index)}"/>`;
  });
  return html`<svg class="series" viewBox="0 0 ${width} ${height}" aria-hidden="true"><line x1="0" x2="${width}" y1="${y(0)}" y2="${y(0)}" class="zero"/>${drawn}<text x="12" y="${top + 12}">${text(high)}</text><text x="12" y="${height - bottom - 4}">${text(low)}</text></svg><ul class="legend">${lines.map(({ key, index }) => html`<li>${stroke(index)}${key}</li>`)}</ul>`;
}
