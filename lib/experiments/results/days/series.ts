import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { calendarOf, nameOfDay } from "#lib/experiments/metric_kinds/calendar.ts";
import type { PlannedMetric } from "#lib/experiments/metric_kinds/kind.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import type { Prepared, PreparedMetric } from "#lib/experiments/results/prepare.ts";
import { slotAt } from "#lib/experiments/results/units/layout.ts";
import { toColumns, winsorise } from "#lib/experiments/results/units/outliers.ts";
import type { Totals } from "#lib/experiments/results/units/sums.ts";
import {
  clearTotals,
  type DayChange,
  selectPhaseUnits,
  selectTotals,
  selectUnitDays,
  selectUnitValues,
} from "#lib/experiments/results/units/units-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { analyse, wireResult } from "./result.ts";
import { insertSeries, type SeriesRow, selectSeries, updateSeries, writeDays } from "./store.ts";
import { countedUnits } from "./timeline.ts";

/** A metric with stored figures: a series. */
export type StoredMetric = PreparedMetric & { planned: PlannedMetric; series: SeriesRow };

/** An experiment's figures as of one moment. */
export type Figures = {
  /** Exclusive, in milliseconds since 1970. */
  cut: number;
  /** Exposed units by variant; "$multiple" among them. */
  units: Map<string, number>;
  unit_days: DayChange[];
  /** The same units by the phase of the split in which they were first exposed, in the order of the phases. */
  phase_units: Map<string, number>[];
  storedMetrics: StoredMetric[];
  /** By id of the series. */
  totals: Map<number, Totals[]>;
};

const keyOf = (uuid: string, fingerprint: string) => `${fingerprint}:${uuid}`;

/** Metrics that can be computed and named, each configuration once. */
function wantedOf(prepared: Prepared): Map<string, PreparedMetric> {
  const wanted = new Map<string, PreparedMetric>();
  for (const metric of prepared.metrics)
    if (metric.planned && metric.uuid !== "") wanted.set(keyOf(metric.uuid, metric.fingerprint), metric);
  return wanted;
}

/** The present metrics of an experiment that have stored figures. */
export async function matchSeries(tx: Db, prepared: Prepared): Promise<StoredMetric[]> {
  const wanted = wantedOf(prepared);
  const stored = joinMetrics(wanted, await selectSeries(tx, prepared.experiment.id));
  return stored.filter(({ series }) => series.place !== null);
}

const joinMetrics = (wanted: Map<string, PreparedMetric>, rows: SeriesRow[]): StoredMetric[] =>
  rows.flatMap((series) => {
    const metric = wanted.get(keyOf(series.metric_uuid, series.fingerprint));
    return metric?.planned ? [{ ...metric, planned: metric.planned, series }] : [];
  });

/** The series of an experiment's present metrics; others give up their slot and keep their recorded days. */
export async function syncSeries(tx: Db, prepared: Prepared): Promise<StoredMetric[]> {
  const experiment_id = prepared.experiment.id;
  const wanted = wantedOf(prepared);
  let rows = await selectSeries(tx, experiment_id);
  const known = new Set(rows.map((row) => keyOf(row.metric_uuid, row.fingerprint)));
  const missing = [...wanted].filter(([key]) => !known.has(key)).map(([, metric]) => metric);
  if (missing.length > 0) {
    const made = missing.map(({ uuid, fingerprint, raw }) => ({
      experiment_id,
      metric_uuid: uuid,
      fingerprint,
      metric: raw,
    }));
    await insertSeries(tx, made);
    rows = await selectSeries(tx, experiment_id);
  }
  const isWanted = (row: SeriesRow) => wanted.has(keyOf(row.metric_uuid, row.fingerprint));
  const stale = rows.filter((row) => row.place !== null && !isWanted(row)).map(({ id }) => id);
  await clearTotals(tx, stale);
  await updateSeries(tx, stale, { place: null });
  return joinMetrics(wanted, rows);
}

/** Totals by series, outliers capped if the metric says so. */
async function totalsOf(
  tx: Db,
  { experiment }: Prepared,
  storedMetrics: StoredMetric[],
  units: Map<string, number>,
) {
  const totals = new Map<number, Totals[]>(storedMetrics.map(({ series }) => [series.id, []]));
  for (const row of await selectTotals(tx, [...totals.keys()])) totals.get(row.series_id)?.push(row);
  for (const { series, planned } of storedMetrics) {
    if (!planned.winsor || series.place === null) continue;
    const columns = await selectUnitValues(tx, experiment.id, slotAt(planned, series.place), MULTIPLE);
    totals.set(series.id, winsorise(toColumns(columns), countedUnits(units), planned.winsor));
  }
  return totals;
}

/** Units by the phase of their first exposure. */
async function phaseUnits(tx: Db, { experiment, phases }: Prepared, units: Map<string, number>) {
  if (phases.length === 1) return [units];
  const starts = phases.slice(1).map(({ from }) => from);
  const rows = await selectPhaseUnits(tx, experiment.id, starts);
  return phases.map(
    (_, i) => new Map(rows.filter(({ phase }) => phase === i).map((row) => [row.variant, row.units])),
  );
}

/** The stored figures of an experiment. */
export async function readFigures(
  tx: Db,
  prepared: Prepared,
  storedMetrics: StoredMetric[],
  cut: number,
): Promise<Figures> {
  const unit_days = await selectUnitDays(tx, prepared.experiment.id);
  const units = new Map<string, number>();
  for (const { variant, units: more } of unit_days) units.set(variant, (units.get(variant) ?? 0) + more);
  const totals = await totalsOf(tx, prepared, storedMetrics, units);
  return { cut, units, unit_days, phase_units: await phaseUnits(tx, prepared, units), storedMetrics, totals };
}

/** The result of a metric. */
export function computeResult(
  prepared: Prepared,
  { planned, raw }: Pick<StoredMetric, "planned" | "raw">,
  units: ReadonlyMap<string, number>,
  totals: readonly Totals[],
) {
  const keys = { variants: prepared.plan.variants, baseline: prepared.baseline };
  const analysed = analyse(planned, keys, units, totals, prepared.settings);
  return { analysed, wire: wireResult(raw, analysed) };
}

/** A day of a series as it is recorded. `cut`: the moment that its figures are of, exclusive. */
export function buildDayRow(
  prepared: Prepared,
  storedMetric: StoredMetric,
  day: string,
  cut: number,
  figures: { units: ReadonlyMap<string, number>; totals: readonly Totals[] },
  now: Date,
) {
  return {
    series_id: storedMetric.series.id,
    day,
    state: "completed" as const,
    query_to: new Date(cut),
    result: computeResult(prepared, storedMetric, figures.units, figures.totals).wire,
    error: null,
    completed_at: now,
  };
}

/** Records the current figures as those of the day that ends at `cut`. */
export async function recordDay(
  tx: Db,
  prepared: Prepared,
  storedMetrics: StoredMetric[],
  at: { day: string; cut: number },
  now: Date,
) {
  if (storedMetrics.length === 0) return;
  const figures = await readFigures(tx, prepared, storedMetrics, at.cut);
  const rows = storedMetrics.map((storedMetric) => {
    const totals = figures.totals.get(storedMetric.series.id) ?? [];
    return buildDayRow(prepared, storedMetric, at.day, at.cut, { units: figures.units, totals }, now);
  });
  await writeDays(tx, rows);
}

/** The name of the day that a moment lies on, by the project's clock. */
export const dayAt = (plan: Plan, at: number): string => nameOfDay(calendarOf(plan.timezone).dayOf(at));

/** The ends of days that lie after one moment and not after another; a day's end is the next one's beginning. */
export function dayEnds(plan: Plan, from: number, to: number): number[] {
  const calendar = calendarOf(plan.timezone);
  const ends: number[] = [];
  for (let day = calendar.dayOf(Math.max(from, plan.start)); ; day += 1) {
    const end = calendar.startOf(day + 1);
    if (end > to) return ends;
    if (end > from) ends.push(end);
  }
}
