import type { Route } from "next";
import { colorOf, dashOf } from "./colors.ts";
import type { TableData } from "./csv.ts";
import { formatFullDay, formatInterval, formatValue, type Measure } from "./format.ts";
import type { Tip } from "./point.tsx";

export type TimePoint = {
  /** ISO date or moment; days are read as UTC. */
  at: string;
  /** Null leaves a gap. */
  value: number | null;
  interval?: readonly [number, number] | null;
  href?: Route;
};

export type TimeSeries = {
  key: string;
  name: string;
  points: readonly TimePoint[];
  /** Place of the variant in its flag: decides colour, dashes and shape. */
  colorIndex?: number;
  /** Decides dashes and shape where the key alone decides the colour; its place in the list otherwise. */
  dashIndex?: number;
};

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
  /** What the bands are; "95 % interval" where absent. */
  intervalName?: string;
};

const INTERVAL = "95 % interval";

export const timeOf = (at: string) => Date.parse(at.length === 10 ? `${at}T00:00:00Z` : at);

export const timesOf = (series: readonly TimeSeries[]): number[] =>
  [...new Set(series.flatMap((each) => each.points.map((point) => timeOf(point.at))))].sort((a, b) => a - b);

const pointAt = (series: TimeSeries, time: number) =>
  series.points.find((point) => timeOf(point.at) === time);

export const styleOf = (series: TimeSeries, place: number) => ({
  color: colorOf(series.key, series.colorIndex),
  dash: dashOf(series.dashIndex ?? series.colorIndex ?? place),
  shape: series.dashIndex ?? series.colorIndex ?? place,
});

export function rangeOf({ series, fromZero = true, reference }: TimeData): [number, number] {
  const values = series.flatMap((each) =>
    each.points.flatMap((point) => (point.value === null ? [] : [point.value, ...(point.interval ?? [])])),
  );
  const always = [...(fromZero ? [0] : []), ...(reference === undefined ? [] : [reference])];
  const all = [...values, ...always];
  return all.length > 0 ? [Math.min(...all), Math.max(...all)] : [0, 1];
}

export function valuesAt(series: readonly TimeSeries[], time: number) {
  const cells: Record<string, number | [number, number] | null> = {};
  series.forEach((each, place) => {
    const point = pointAt(each, time);
    cells[`v${place}`] = point?.value ?? null;
    cells[`i${place}`] = point?.interval ? [point.interval[0], point.interval[1]] : null;
  });
  return cells;
}

export function spokenOf(
  series: TimeSeries,
  point: TimePoint,
  { measure, intervalName = INTERVAL }: Pick<TimeData, "measure" | "intervalName">,
): string {
  const interval = point.interval ? `, ${intervalName} ${formatInterval(point.interval, measure)}` : "";
  return `${formatFullDay(timeOf(point.at))}, ${series.name}: ${formatValue(point.value ?? 0, measure)}${interval}`;
}

export function tipAt({ series, measure, events = [] }: TimeData, time: number, x: number, y: number): Tip {
  const happened = events.filter((event) => formatFullDay(timeOf(event.at)) === formatFullDay(time));
  return {
    x,
    y,
    title: [formatFullDay(time), ...happened.map((event) => event.label)].join(" · "),
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

/** Columns of the table twin: the day, then each series with its bounds where it has any. */
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

export function timeTable({ series, measure, intervalName }: TimeData, times: readonly number[]): TableData {
  const columns = columnsOf(series, intervalName);
  return {
    columns: [{ label: "Day" }, ...columns.map(({ label }) => ({ label, numeric: true }))],
    rows: times.map((time) => [
      { text: formatFullDay(time), value: new Date(time).toISOString().slice(0, 10) },
      ...columns.map(({ series: each, kind }) => {
        const point = pointAt(each, time);
        const value = kind === "value" ? point?.value : point?.interval?.[kind === "low" ? 0 : 1];
        return value === null || value === undefined ? null : { text: formatValue(value, measure), value };
      }),
    ]),
  };
}

export function linkOf({ series }: TimeData, time: number | undefined, column: number): Route | undefined {
  const found = columnsOf(series)[column - 1];
  return time !== undefined && found?.kind === "value" ? pointAt(found.series, time)?.href : undefined;
}
