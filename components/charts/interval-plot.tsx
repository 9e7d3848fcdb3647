"use client";

import type { Route } from "next";
import { formatInterval, formatValue, type Measure } from "#lib/platform/format.ts";
import { colorOf } from "./colors.ts";
import type { TableData } from "./csv.ts";
import { ChartFigure, type FigureProps, type LegendEntry } from "./figure.tsx";
import { Dot, Whisker } from "./marks.tsx";
import { type PlotRow, rowPlotHeight } from "./rows/row-layout.ts";
import { RowPlot } from "./rows/row-plot.tsx";
import { computeNiceTicks } from "./scale.ts";

export type IntervalDatum = {
  key: string;
  label: string;
  /** Rows of one group are listed together under its name, for example a metric. */
  group?: string;
  /** Null where it could not be computed; `note` says why. */
  estimate: number | null;
  interval: readonly [number, number] | null;
  /** Place of the variant in its flag: decides colour and shape. */
  colorIndex?: number;
  href?: Route;
  /** More figures in words: "chance to win 97.2%". */
  detail?: string;
  note?: string;
};

export type IntervalPlotProps = FigureProps & {
  rows: readonly IntervalDatum[];
  measure: Measure;
  /** What the estimate is: "Lift over control". */
  valueName: string;
  /** What the interval is called: "95% confidence interval", "95% credible interval". */
  intervalName: string;
  /** Where nothing differs; a dot is filled where its interval leaves it out. */
  reference?: number;
};

/** Estimates with their intervals on one scale: a dot and whiskers per row. */
export function IntervalPlot(props: IntervalPlotProps) {
  const { rows, measure, reference = 0 } = props;
  const values = rows.flatMap((row) => [
    ...(row.interval ?? []),
    ...(row.estimate === null ? [] : [row.estimate]),
  ]);
  const ticks = computeNiceTicks(Math.min(reference, ...values), Math.max(reference, ...values), 6);
  const drawn = rowsOf(props);
  const byKey = new Map(rows.map((row) => [rowKey(row), row]));
  return (
    <ChartFigure
      {...props}
      legend={legendOf(rows)}
      table={intervalTable(props)}
      tableLinks={(row, column) => (column === 0 ? rows[row]?.href : undefined)}
      height={(width) => rowPlotHeight(drawn, width, true)}
    >
      {(width) => (
        <RowPlot
          rows={drawn}
          width={width}
          measure={measure}
          ticks={ticks}
          reference={reference}
          mark={(row, _, place) => {
            const datum = byKey.get(row.key);
            if (!datum || datum.estimate === null) return null;
            const color = colorOf(datum.key, datum.colorIndex);
            const { interval } = datum;
            const apart = interval !== null && (interval[0] > reference || interval[1] < reference);
            return (
              <>
                {interval ? <Whisker interval={interval} place={place} color={color} strong /> : null}
                <Dot
                  x={place.x(datum.estimate)}
                  y={place.y}
                  radius={5}
                  shape={datum.colorIndex ?? 0}
                  color={color}
                  open={!apart}
                />
              </>
            );
          }}
        />
      )}
    </ChartFigure>
  );
}

const rowKey = (row: IntervalDatum) => `${row.group ?? ""}\u0000${row.key}`;

function legendOf(rows: readonly IntervalDatum[]): LegendEntry[] {
  const grouped = new Map(rows.filter((row) => row.group).map((row) => [row.key, row]));
  if (grouped.size < 2) return [];
  return [...grouped.values()].map((row) => {
    const color = colorOf(row.key, row.colorIndex);
    return {
      key: row.key,
      name: row.label,
      color,
      mark: (
        <svg aria-hidden="true" width="12" height="12" className="shrink-0">
          <Dot x={6} y={6} radius={4} shape={row.colorIndex ?? 0} color={color} />
        </svg>
      ),
    };
  });
}

function rowsOf({ rows, measure, valueName, intervalName }: IntervalPlotProps): PlotRow[] {
  const drawn: PlotRow[] = [];
  let group: string | undefined;
  for (const row of rows) {
    if (row.group !== undefined && row.group !== group)
      drawn.push({
        key: `group ${row.group}`,
        label: row.group,
        heading: true,
        text: "",
        spoken: "",
        tip: [],
      });
    group = row.group;
    const text = row.estimate === null ? "–" : formatValue(row.estimate, measure);
    const range = row.interval ? formatInterval(row.interval, measure) : undefined;
    drawn.push({
      key: rowKey(row),
      label: row.label,
      text,
      detail: [range, row.detail].filter(Boolean).join(" · ") || undefined,
      note: row.note,
      spoken: [
        row.group,
        `${row.label}: ${valueName} ${text}`,
        range && `${intervalName} ${range}`,
        row.detail,
        row.note,
      ]
        .filter(Boolean)
        .join(", "),
      href: row.href,
      tip: [{ name: valueName, value: text }, ...(range ? [{ name: intervalName, value: range }] : [])],
    });
  }
  return drawn;
}

function intervalTable({ rows, measure, valueName, intervalName }: IntervalPlotProps): TableData {
  const cell = (value: number | null | undefined) =>
    value === null || value === undefined ? null : { text: formatValue(value, measure), value };
  const grouped = rows.some((row) => row.group);
  return {
    columns: [
      { label: "Name" },
      ...(grouped ? [{ label: "Of" }] : []),
      { label: valueName, numeric: true },
      { label: `${intervalName} from`, numeric: true },
      { label: `${intervalName} to`, numeric: true },
      { label: "Note" },
    ],
    rows: rows.map((row) => [
      row.label,
      ...(grouped ? [row.group ?? null] : []),
      cell(row.estimate),
      cell(row.interval?.[0]),
      cell(row.interval?.[1]),
      [row.detail, row.note].filter(Boolean).join(", ") || null,
    ]),
  };
}
