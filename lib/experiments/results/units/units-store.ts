import { type SQL, sql } from "drizzle-orm";
import { ALL_STEPS, type UnitValue } from "#lib/experiments/metric_kinds/kind.ts";
import { millisecondsOf } from "#lib/experiments/results/events/clauses-store.ts";
import { textArray } from "#lib/people/events/text-array.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Slot } from "./layout.ts";
import type { Totals } from "./sums.ts";
import type { TotalChange } from "./totals.ts";

/** `cells`: what the unit adds to metrics, at their slots. */
export type UnitRow = { unit: string; variant: string; first_at: number; cells: number[] };
export type DayChange = { variant: string; day: string; units: number };

/** An array of numbers as PostgreSQL writes and reads it; what the driver does with arrays takes ten times as long. */
const written = (numbers: readonly number[]) => `{${numbers.join(",")}}`;
const texts = (list: readonly string[]) => sql`${sql.param(textArray(list))}::text[]`;
const ints = (list: readonly number[]) => sql`${sql.param(written(list))}::int[]`;
const floats = (list: readonly number[]) => sql`${sql.param(written(list))}::float8[]`;

/** Reads such an array; one that was begun in its middle says where: `[3:4]={5,6}`. */
export function parseCells(text: string): number[] {
  if (text === "{}") return [];
  const begin = text.indexOf("{");
  const missing = begin === 0 ? 0 : Number.parseInt(text.slice(1), 10) - 1;
  const cells = JSON.parse(`[${text.slice(begin + 1, -1).replaceAll("NULL", "0")}]`) as number[];
  return missing === 0 ? cells : [...Array<number>(missing).fill(0), ...cells];
}

export async function selectUnits(db: Db, experimentId: number, units: string[]): Promise<UnitRow[]> {
  const { rows } = await db.execute<Omit<UnitRow, "cells"> & { cells: string }>(sql`
    select u.unit, u.variant, ${millisecondsOf(sql`u.first_at`)} as first_at, u.cells::text as cells
    from unnest(${texts(units)}) wanted(unit) join lateral (
      select * from experiment_units u where u.experiment_id = ${experimentId} and u.unit = wanted.unit offset 0
    ) u on true`);
  return rows.map((row) => ({ ...row, cells: parseCells(row.cells) }));
}

const listed = (rows: UnitRow[]) => sql`unnest(
  ${texts(rows.map((r) => r.unit))}, ${texts(rows.map((r) => r.variant))}, ${floats(rows.map((r) => r.first_at))},
  ${texts(rows.map((r) => written(r.cells)))}) as v(unit, variant, first_at, cells)`;

const INTO = sql`insert into experiment_units (experiment_id, unit, variant, first_at, cells)`;

/** Adds units that are not stored yet. */
export async function insertUnits(tx: Db, experimentId: number, rows: UnitRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`${INTO} select ${experimentId}::int, unit, variant, to_timestamp(first_at / 1000),
    cells::float8[] from ${listed(rows)}`);
}

export async function writeUnits(tx: Db, experimentId: number, rows: UnitRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`${INTO} select ${experimentId}::int, unit, variant, to_timestamp(first_at / 1000),
    cells::float8[] from ${listed(rows)}
    on conflict (experiment_id, unit) do update set
      variant = excluded.variant, first_at = excluded.first_at, cells = excluded.cells`);
}

/** Rows by where they lie, which nothing but the holder of the experiment's state changes. */
export async function writeCells(tx: Db, rows: { tid: string; cells: number[] }[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    update experiment_units u set cells = v.cells::float8[]
    from unnest(${sql.param(rows.map((r) => r.tid))}::tid[], ${texts(rows.map((r) => written(r.cells)))})
      as v(tid, cells) where u.ctid = v.tid`);
}

/** Appends numbers to those of stored units. @param from the slot of the first one, counted from 0 */
export async function appendCells(
  tx: Db,
  experimentId: number,
  from: number,
  rows: { unit: string; cells: number[] }[],
): Promise<void> {
  const width = rows[0]?.cells.length ?? 0;
  if (width === 0) return;
  await tx.execute(sql`
    update experiment_units u set cells = u.cells[1:${from}::int]
      || array_fill(0::float8, array[greatest(0, ${from}::int - cardinality(u.cells))])
      || v.cells::float8[] || u.cells[${from + width + 1}::int:]
    from unnest(${texts(rows.map((r) => r.unit))}, ${texts(rows.map((r) => written(r.cells)))}) as v(unit, cells)
    where u.experiment_id = ${experimentId} and u.unit = v.unit`);
}

export async function deleteUnits(tx: Db, experimentId: number, units: string[]): Promise<void> {
  if (units.length === 0) return;
  await tx.execute(
    sql`delete from experiment_units where experiment_id = ${experimentId} and unit = any(${texts(units)})`,
  );
}

export async function addUnitDays(tx: Db, experimentId: number, changes: DayChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.execute(sql`
    insert into experiment_unit_days as d (experiment_id, variant, day, units)
    select ${experimentId}::int, variant, day, units from unnest(
      ${texts(changes.map((c) => c.variant))}, ${sql.param(changes.map((c) => c.day))}::date[],
      ${sql.param(changes.map((c) => c.units))}::bigint[]) as v(variant, day, units)
    on conflict (experiment_id, variant, day) do update set units = d.units + excluded.units`);
  await tx.execute(sql`delete from experiment_unit_days where experiment_id = ${experimentId} and units = 0`);
}

const SUMS = [
  "value",
  "value_squares",
  "other",
  "other_squares",
  "value_other",
  "covariate",
  "covariate_squares",
  "value_covariate",
].map((name) => sql.identifier(name));
const names = sql.join(SUMS, sql`, `);

export async function addTotals(tx: Db, changes: TotalChange[]): Promise<void> {
  if (changes.length === 0) return;
  const sums = SUMS.map((_, i) => sql`${sql.param(changes.map((c) => c.sums[i]))}::numeric[]`);
  const added = SUMS.map((name) => sql`${name} = t.${name} + excluded.${name}`);
  await tx.execute(sql`
    insert into experiment_totals as t (series_id, variant, step, units, ${names})
    select * from unnest(${ints(changes.map((c) => c.series_id))}, ${texts(changes.map((c) => c.variant))},
      ${ints(changes.map((c) => c.step))}, ${ints(changes.map((c) => c.units))}, ${sql.join(sums, sql`, `)})
    on conflict (series_id, variant, step) do update set
      units = t.units + excluded.units, ${sql.join(added, sql`, `)}`);
  const series = [...new Set(changes.map((change) => change.series_id))];
  await tx.execute(sql`delete from experiment_totals where series_id = any(${ints(series)}) and units = 0`);
}

/** Forgets who was exposed. */
export async function clearUnits(tx: Db, experimentId: number): Promise<void> {
  await tx.execute(sql`delete from experiment_units where experiment_id = ${experimentId}`);
  await tx.execute(sql`delete from experiment_unit_days where experiment_id = ${experimentId}`);
}

/** Forgets what units add up to. */
export async function clearTotals(tx: Db, series: number[]): Promise<void> {
  if (series.length === 0) return;
  await tx.execute(sql`delete from experiment_totals where series_id = any(${ints(series)})`);
}

/** What a unit `u` adds to a metric, in SQL: value, other and covariate. */
export function valueSql({ metric, offset, layout }: Slot): Record<keyof Omit<UnitValue, "mark">, SQL> {
  const at = (place: number | null) =>
    place === null ? sql`0::float8` : sql`coalesce(u.cells[${offset + place + 1}::int], 0)`;
  const { value, other, covariate } = layout;
  const reached = sql`(${at(other)} = ${metric.sources.length}::int)::int::float8`;
  return {
    value: value === ALL_STEPS ? reached : at(value),
    other: at(other),
    covariate: at(covariate),
  };
}

type TotalRow = { [Name in keyof Totals]: Totals[Name] | string } & { series_id: number };

export async function selectTotals(db: Db, series: number[]): Promise<(Totals & { series_id: number })[]> {
  if (series.length === 0) return [];
  const { rows } = await db.execute<TotalRow>(sql`
    select series_id, variant, step, units, ${names} from experiment_totals
    where series_id = any(${ints(series)}) order by 1, 2, 3`);
  return rows.map((row) => ({
    series_id: row.series_id,
    variant: String(row.variant),
    step: Number(row.step),
    units: Number(row.units),
    value: Number(row.value),
    value_squares: Number(row.value_squares),
    other: Number(row.other),
    other_squares: Number(row.other_squares),
    value_other: Number(row.value_other),
    covariate: Number(row.covariate),
    covariate_squares: Number(row.covariate_squares),
    value_covariate: Number(row.value_covariate),
  }));
}

/** Exposed units of several experiments by variant, and up to when each one's figures are. */
export async function selectExposed(
  db: Db,
  experimentIds: readonly number[],
): Promise<Map<number, { cut_at: Date; units: Map<string, number> }>> {
  if (experimentIds.length === 0) return new Map();
  const { rows } = await db.execute<{ id: number; cut_at: string; units: Record<string, number> | null }>(sql`
    select s.experiment_id as id, s.cut_at, (
      select json_object_agg(variant, n) from (
        select variant, sum(units)::float8 as n from experiment_unit_days d
        where d.experiment_id = s.experiment_id group by variant) counted) as units
    from experiment_states s
    where s.experiment_id = any(${sql.param([...experimentIds])}::int[]) and s.seen is not null`);
  return new Map(
    rows.map(({ id, cut_at, units }) => [
      id,
      { cut_at: new Date(cut_at), units: new Map(Object.entries(units ?? {})) },
    ]),
  );
}

/** Exposed units by variant and day. */
export async function selectUnitDays(db: Db, experimentId: number): Promise<DayChange[]> {
  const { rows } = await db.execute<{ variant: string; day: string; units: string }>(sql`
    select variant, day::text, units from experiment_unit_days
    where experiment_id = ${experimentId} order by day, variant`);
  return rows.map((row) => ({ ...row, units: Number(row.units) }));
}

/**
 * Exposed units by variant and by the phase of their first exposure.
 *
 * @param starts of the second phase and the later ones, ascending; phases are numbered from 0
 */
export async function selectPhaseUnits(
  db: Db,
  experimentId: number,
  starts: readonly Date[],
): Promise<{ phase: number; variant: string; units: number }[]> {
  const bounds = starts.map((start) => start.toISOString());
  const { rows } = await db.execute<{ phase: number; variant: string; units: string }>(sql`
    select width_bucket(first_at, ${sql.param(bounds)}::timestamptz[]) as phase, variant, count(*) as units
    from experiment_units where experiment_id = ${experimentId} group by 1, 2`);
  return rows.map((row) => ({ ...row, units: Number(row.units) }));
}

/** Values of units by variant, those that are not 0, for quantiles. */
export async function selectUnitValues(
  db: Db,
  experimentId: number,
  slot: Slot,
  excluded: string,
): Promise<{ variant: string; value: number; covariate: number }[]> {
  const { value, covariate } = valueSql(slot);
  const { rows } = await db.execute<{ variant: string; value: number; covariate: number }>(sql`
    select u.variant, ${value} as value, ${covariate} as covariate from experiment_units u
    where u.experiment_id = ${experimentId} and u.variant <> ${excluded}::text
      and (${value} <> 0 or ${covariate} <> 0)`);
  return rows;
}
