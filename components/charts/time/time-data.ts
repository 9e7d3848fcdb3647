import type { Route } from "next";
import { colorOf, lineDash } from "#components/charts/colors.ts";
import type { TableData } from "#components/charts/csv.ts";
import type { Tip } from "#components/charts/point.tsx";
import {
  formatDays,
  formatFullDay,
  formatInterval,
  formatValue,
  type Measure,
} from "#lib/platform/format.ts";
import { DAY_MS, type Grouping, isPart, type Period, type Span, spansOf, startOf } from "./periods.ts";

export type TimePoint = {
  /** ISO date or moment; days are read as UTC. */
  at: string;
  /** Null leaves a gap. */
  value: number | null;
  interval?: readonly [number, number] | null;
  href?: Route;
  /** The days that are added up in it, where it is more than one day's. */
  span?: Span;
};

export type TimeSeries = {
  key: string;
  name: string;
  points: readonly TimePoint[];
  /** Place of the variant in its flag: decides colour, dashes and shape. */
  colorIndex?: number;
  /** Decides dashes and shape where the key alone decides the colour; its place in the list otherwise. */
  dashIndex?: number;
  /** Opens the rows of a point: an address with `FIRST_DAY`, `LAST_DAY` and `DAYS` where its days belong. */
  openHref?: string;
};

/** Placeholders in `openHref` for the first and the last day of a point, and for both in words. */
export const FIRST_DAY = "0000-00-00";
export const LAST_DAY = "9999-99-99";
export const DAYS = "0000-to-9999";

/** Something that happened: a vertical line with its name. */
export type TimeEvent = { at: string; label: string };

/** What a time chart draws. */
export type TimeData = {
  series: readonly TimeSeries[];
  measure: Measure;
  events?: readonly TimeEvent[];
  /** What nothing would be: a line at 0 for lifts. */
  reference?: number;
  /** The scale begins at 0 unless this is false. */
  fromZero?: boolean;
  /** Keeps the scale to what the later points need, where the first ones with little data would stretch it. */
  steady?: boolean;
  /** What the bands are; "95% interval" where absent. */
  intervalName?: string;
};

const INTERVAL = "95% interval";

export const timeOf = (at: string) => Date.parse(at.length === 10 ? `${at}T00:00:00Z` : at);
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

export const timesOf = (series: readonly TimeSeries[]): number[] =>
  [...new Set(series.flatMap((each) => each.points.map((point) => timeOf(point.at))))].sort((a, b) => a - b);

const indexes = new WeakMap<TimeSeries, ReadonlyMap<number, TimePoint>>();

/** The point of a series at a moment. Looked up often: each series is read once. */
function pointAt(series: TimeSeries, time: number): TimePoint | undefined {
  const known = indexes.get(series) ?? new Map(series.points.map((point) => [timeOf(point.at), point]));
  indexes.set(series, known);
  return known.get(time);
}

/** Where the rows of a point can be opened. */
function hrefOf({ openHref }: TimeSeries, { at, href, span }: TimePoint): Route | undefined {
  if (openHref === undefined) return href;
  const time = timeOf(at);
  const [from, to] = [span?.from ?? time, span?.to ?? time];
  return openHref
    .replaceAll(FIRST_DAY, dayOf(from))
    .replaceAll(LAST_DAY, dayOf(to))
    .replaceAll(DAYS, encodeURIComponent(formatDays(from, to))) as Route;
}

const withHref = (series: TimeSeries, point: TimePoint): TimePoint => {
  const href = hrefOf(series, point);
  return href === undefined ? point : { ...point, href };
};

/** The same series with a point a period. */
export function grouped(
  series: readonly TimeSeries[],
  period: Period,
  grouping: Grouping | undefined,
): TimeSeries[] {
  const times = timesOf(series);
  const [first, last] = [times[0], times.at(-1)];
  if (period === "day" || !grouping || first === undefined || last === undefined)
    return series.map((each) => ({ ...each, points: each.points.map((point) => withHref(each, point)) }));
  const spans = spansOf(first, last, period);
  return series.map((each) => ({
    ...each,
    points: spans.flatMap((span) => {
      const days = Array.from({ length: span.days }, (_, i) => pointAt(each, span.from + i * DAY_MS));
      const found = grouping === "sum" ? [summed(days, span, startOf(span.from, period))] : latest(days);
      return found.map((point) => withHref(each, point));
    }),
  }));
}

/** The days combined, placed where the period begins, so that points are evenly spaced. */
const summed = (days: readonly (TimePoint | undefined)[], span: Span, start: number): TimePoint => ({
  at: dayOf(start),
  value: days.reduce((sum, point) => sum + (point?.value ?? 0), 0),
  span,
});

/** The last day that has a value; a gap where none has. */
function latest(days: readonly (TimePoint | undefined)[]): TimePoint[] {
  const there = days.filter((point) => point !== undefined);
  const found = there.findLast((point) => point.value !== null) ?? there.at(-1);
  return found ? [found] : [];
}

export const styleOf = (series: TimeSeries, place: number) => ({
  color: colorOf(series.key, series.colorIndex),
  dash: lineDash(series.dashIndex ?? series.colorIndex ?? place),
  shape: series.dashIndex ?? series.colorIndex ?? place,
});

const EARLY = 1 / 3;
const STRETCHED = 2;

/** The range of a chart's scale; `isCut` where early points reach beyond it. */
export function rangeOf(data: TimeData): { range: [number, number]; isCut: boolean } {
  const whole = rangeFrom(data, -Infinity);
  const times = data.steady ? timesOf(data.series) : [];
  const start = times[Math.floor(times.length * EARLY)];
  if (start === undefined || times.length < 6) return { range: whole, isCut: false };
  const [low, high] = rangeFrom(data, start);
  const isCut = whole[1] - whole[0] > STRETCHED * (high - low) && high > low;
  return { range: isCut ? [low, high] : whole, isCut };
}

function rangeFrom({ series, fromZero = true, reference }: TimeData, start: number): [number, number] {
  const values = series.flatMap((each) =>
    each.points.flatMap(({ at, value, interval }) =>
      value === null || timeOf(at) < start ? [] : [value, ...(interval ?? [])],
    ),
  );
  const always = [...(fromZero ? [0] : []), ...(reference === undefined ? [] : [reference])];
  const all = [...values, ...always];
  return all.length > 0 ? [Math.min(...all), Math.max(...all)] : [0, 1];
}

/** Said of a chart whose first points reach beyond its scale. */
export const CUT_WORDS = "The widest early intervals extend beyond the scale; the table shows them in full.";

/** The end of a point: its last day. */
export const endOf = (series: readonly TimeSeries[], time: number): number =>
  Math.max(time, ...series.map((each) => pointAt(each, time)?.span?.to ?? time));

export function valuesAt(series: readonly TimeSeries[], time: number) {
  const cells: Record<string, number | [number, number] | null> = {};
  series.forEach((each, place) => {
    const point = pointAt(each, time);
    cells[`v${place}`] = point?.value ?? null;
    cells[`i${place}`] = point?.interval ? [point.interval[0], point.interval[1]] : null;
  });
  return cells;
}

/** When a point is: a day, or those that it adds up. */
const whenOf = (time: number, span: Span | undefined): string =>
  span ? formatDays(span.from, span.to) : formatFullDay(time);

/** "3 of 7 days", where a period is not whole. */
const partOf = (span: Span | undefined): string | null =>
  span && isPart(span) ? `${span.days} of ${span.of} days` : null;

export function describePoint(
  series: TimeSeries,
  point: TimePoint,
  { measure, intervalName = INTERVAL }: Pick<TimeData, "measure" | "intervalName">,
): string {
  return [
    whenOf(timeOf(point.at), point.span),
    `${series.name}: ${formatValue(point.value ?? 0, measure)}`,
    point.interval ? `${intervalName} ${formatInterval(point.interval, measure)}` : null,
    partOf(point.span),
  ]
    .filter(Boolean)
    .join(", ");
}

export function tipAt({ series, measure, events = [] }: TimeData, time: number, x: number, y: number): Tip {
  const span = series.map((each) => pointAt(each, time)?.span).find(Boolean);
  const end = (span?.to ?? time) + DAY_MS;
  const happened = events.filter(({ at }) => timeOf(at) >= time && timeOf(at) < end);
  const part = partOf(span);
  return {
    x,
    y,
    title: [whenOf(time, span), ...(part ? [part] : []), ...happened.map(({ label }) => label)].join(" · "),
    lines: series.flatMap((each, place) => {
      const point = pointAt(each, time);
      if (!point || point.value === null) return [];
      const interval = point.interval ? ` (${formatInterval(point.interval, measure)})` : "";
      return [
        {
          name: each.name,
          value: `${formatValue(point.value, measure)}${interval}`,
          color: styleOf(each, place).color,
        },
      ];
    }),
  };
}

/** Columns of the table twin after those of the time: each series with its bounds where it has any. */
function columnsOf(series: readonly TimeSeries[], interval = INTERVAL) {
  return series.flatMap((each) => [
    { series: each, kind: "value" as const, label: each.name },
    ...(each.points.some((point) => point.interval)
      ? [
          { series: each, kind: "low" as const, label: `${each.name}, ${interval} from` },
          { series: each, kind: "high" as const, label: `${each.name}, ${interval} to` },
        ]
      : []),
  ]);
}

const spanOfAny = (series: readonly TimeSeries[], time: number | undefined): Span | undefined =>
  time === undefined ? undefined : series.map((each) => pointAt(each, time)?.span).find(Boolean);

const dayCell = (time: number) => ({ text: formatFullDay(time), value: dayOf(time) });

function whenCells(time: number, span: Span | undefined) {
  if (!span) return [dayCell(time)];
  const days = isPart(span) ? `${span.days} of ${span.of}` : String(span.days);
  return [dayCell(span.from), dayCell(span.to), { text: days, value: span.days }];
}

export function timeTable({ series, measure, intervalName }: TimeData, times = timesOf(series)): TableData {
  const columns = columnsOf(series, intervalName);
  const when = spanOfAny(series, times[0])
    ? [
        { label: "From", short: true },
        { label: "To", short: true },
        { label: "Days", numeric: true },
      ]
    : [{ label: "Day", short: true }];
  return {
    columns: [...when, ...columns.map(({ label }) => ({ label, numeric: true }))],
    rows: times.map((time) => [
      ...whenCells(time, spanOfAny(series, time)),
      ...columns.map(({ series: each, kind }) => {
        const point = pointAt(each, time);
        const value = kind === "value" ? point?.value : point?.interval?.[kind === "low" ? 0 : 1];
        return value === null || value === undefined ? null : { text: formatValue(value, measure), value };
      }),
    ]),
  };
}

export function linkOf({ series }: TimeData, time: number | undefined, column: number): Route | undefined {
  const before = spanOfAny(series, time) ? 3 : 1;
  const found = columnsOf(series)[column - before];
  return time !== undefined && found?.kind === "value" ? pointAt(found.series, time)?.href : undefined;
}

const NAMES = { week: "week", month: "month", day: "day" } as const;

/** What a reader has to know about the periods, in words; nothing where points are days. */
export function periodWords(series: readonly TimeSeries[], period: Period, grouping?: Grouping): string {
  if (period === "day" || !grouping) return "";
  if (grouping === "last") return `Each point is the last day of its ${NAMES[period]}.`;
  const spans = series[0]?.points.flatMap(({ span }) => (span ? [span] : [])) ?? [];
  const [first, last] = [spans[0], spans.at(-1)];
  const parts = [
    first && isPart(first) ? `the first has ${first.days} of ${first.of} days` : null,
    last && last !== first && isPart(last) ? `the last ${last.days} of ${last.of}` : null,
  ].filter(Boolean);
  const begin = period === "week" ? "Weeks begin on Monday" : "Months are calendar months";
  return parts.length > 0 ? `${begin}; ${parts.join(", ")}.` : `${begin}.`;
}
