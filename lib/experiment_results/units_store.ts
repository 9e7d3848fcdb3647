import { sql } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import type { Totals } from "./sums.ts";

export type UnitRow = { unit: string; variant: string; first_at: number };
export type ValueRow = {
  series_id: number;
  unit: string;
  variant: string;
  value: number;
  other: number;
  covariate: number;
};
/** A value that enters the totals (1) or leaves them (-1). */
export type TotalChange = Omit<ValueRow, "unit"> & { step: number; sign: 1 | -1 };
export type DayChange = { variant: string; day: string; units: number };

const texts = (list: readonly string[]) => sql`${sql.param(list)}::text[]`;
const ints = (list: readonly number[]) => sql`${sql.param(list)}::int[]`;
const floats = (list: readonly number[]) => sql`${sql.param(list)}::float8[]`;

export async function selectUnits(db: Db, experimentId: number, units: string[]): Promise<UnitRow[]> {
  const { rows } = await db.execute<UnitRow>(sql`
    select u.unit, u.variant, date_part('epoch', u.first_at) * 1000 as first_at
    from unnest(${texts(units)}) wanted(unit) join lateral (
      select * from experiment_units u where u.experiment_id = ${experimentId} and u.unit = wanted.unit offset 0
    ) u on true`);
  return rows.map((row) => ({ ...row, first_at: Math.round(row.first_at) }));
}

export async function selectValues(db: Db, series: number[], units: string[]): Promise<ValueRow[]> {
  if (series.length === 0) return [];
  const { rows } = await db.execute<ValueRow>(sql`
    select v.series_id, v.unit, v.variant, v.value, v.other, v.covariate
    from unnest(${ints(series)}) s(id) cross join unnest(${texts(units)}) u(unit) join lateral (
      select * from experiment_values v where v.series_id = s.id and v.unit = u.unit offset 0) v on true`);
  return rows;
}

export async function writeUnits(tx: Db, experimentId: number, rows: UnitRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into experiment_units (experiment_id, unit, variant, first_at)
    select ${experimentId}::int, unit, variant, to_timestamp(first_at / 1000) from unnest(
      ${texts(rows.map((r) => r.unit))}, ${texts(rows.map((r) => r.variant))}, ${floats(rows.map((r) => r.first_at))}
    ) as v(unit, variant, first_at)
    on conflict (experiment_id, unit) do update set variant = excluded.variant, first_at = excluded.first_at`);
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

export async function writeValues(tx: Db, rows: ValueRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into experiment_values (series_id, unit, variant, value, other, covariate)
    select * from unnest(${ints(rows.map((r) => r.series_id))}, ${texts(rows.map((r) => r.unit))},
      ${texts(rows.map((r) => r.variant))}, ${floats(rows.map((r) => r.value))},
      ${floats(rows.map((r) => r.other))}, ${floats(rows.map((r) => r.covariate))})
    on conflict (series_id, unit) do update set variant = excluded.variant, value = excluded.value,
      other = excluded.other, covariate = excluded.covariate`);
}

export async function deleteValues(tx: Db, rows: { series_id: number; unit: string }[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    delete from experiment_values v using unnest(
      ${ints(rows.map((r) => r.series_id))}, ${texts(rows.map((r) => r.unit))}) as gone(series_id, unit)
    where v.series_id = gone.series_id and v.unit = gone.unit`);
}

const SUMS = sql`units, value, value_squares, other, other_squares, value_other,
  covariate, covariate_squares, value_covariate`;

/** Decimal sums, in which nothing gets lost whatever the order. */
const summed = sql`sum(v.value::numeric * v.sign), sum(v.value::numeric * v.value::numeric * v.sign),
  sum(v.other::numeric * v.sign), sum(v.other::numeric * v.other::numeric * v.sign),
  sum(v.value::numeric * v.other::numeric * v.sign), sum(v.covariate::numeric * v.sign),
  sum(v.covariate::numeric * v.covariate::numeric * v.sign), sum(v.value::numeric * v.covariate::numeric * v.sign)`;

export async function addTotals(tx: Db, changes: TotalChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.execute(sql`
    insert into experiment_totals as t (series_id, variant, step, ${SUMS})
    select v.series_id, v.variant, v.step, sum(v.sign), ${summed}
    from unnest(${ints(changes.map((c) => c.series_id))}, ${texts(changes.map((c) => c.variant))},
      ${ints(changes.map((c) => c.step))}, ${ints(changes.map((c) => c.sign))},
      ${floats(changes.map((c) => c.value))}, ${floats(changes.map((c) => c.other))},
      ${floats(changes.map((c) => c.covariate))}) as v(series_id, variant, step, sign, value, other, covariate)
    group by 1, 2, 3
    on conflict (series_id, variant, step) do update set
      units = t.units + excluded.units, value = t.value + excluded.value,
      value_squares = t.value_squares + excluded.value_squares, other = t.other + excluded.other,
      other_squares = t.other_squares + excluded.other_squares,
      value_other = t.value_other + excluded.value_other, covariate = t.covariate + excluded.covariate,
      covariate_squares = t.covariate_squares + excluded.covariate_squares,
      value_covariate = t.value_covariate + excluded.value_covariate`);
  const series = [...new Set(changes.map((change) => change.series_id))];
  await tx.execute(sql`delete from experiment_totals where series_id = any(${ints(series)}) and units = 0`);
}

/** Forgets who was exposed. */
export async function clearUnits(tx: Db, experimentId: number): Promise<void> {
  await tx.execute(sql`delete from experiment_units where experiment_id = ${experimentId}`);
  await tx.execute(sql`delete from experiment_unit_days where experiment_id = ${experimentId}`);
}

/** Forgets what units add to metrics. */
export async function clearValues(tx: Db, series: number[]): Promise<void> {
  if (series.length === 0) return;
  await tx.execute(sql`delete from experiment_values where series_id = any(${ints(series)})`);
  await tx.execute(sql`delete from experiment_totals where series_id = any(${ints(series)})`);
}

/** Sums up what is stored of one metric, from nothing. */
export async function sumTotals(tx: Db, seriesId: number, isFunnel: boolean): Promise<void> {
  await tx.execute(sql`
    insert into experiment_totals (series_id, variant, step, ${SUMS})
    select ${seriesId}::int, v.variant, v.step, count(*), ${summed}
    from (select variant, value, other, covariate, 1 as sign, ${isFunnel ? sql`other::int` : sql`0`} as step
      from experiment_values where series_id = ${seriesId}) v
    group by v.variant, v.step`);
}

type TotalRow = { [Name in keyof Totals]: Totals[Name] | string } & { series_id: number };

export async function selectTotals(db: Db, series: number[]): Promise<(Totals & { series_id: number })[]> {
  if (series.length === 0) return [];
  const { rows } = await db.execute<TotalRow>(sql`
    select series_id, variant, step, ${SUMS} from experiment_totals
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

/** Exposed units by variant and day. */
export async function selectUnitDays(db: Db, experimentId: number): Promise<DayChange[]> {
  const { rows } = await db.execute<{ variant: string; day: string; units: string }>(sql`
    select variant, day::text, units from experiment_unit_days
    where experiment_id = ${experimentId} order by day, variant`);
  return rows.map((row) => ({ ...row, units: Number(row.units) }));
}

/** Units of a variant and their values, those that are not 0, for quantiles. */
export async function selectSpread(
  db: Db,
  seriesId: number,
): Promise<{ variant: string; value: number; covariate: number }[]> {
  const { rows } = await db.execute<{ variant: string; value: number; covariate: number }>(
    sql`select variant, value, covariate from experiment_values where series_id = ${seriesId}`,
  );
  return rows;
}
