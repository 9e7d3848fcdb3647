import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { MULTIPLE } from "#lib/statistics/sample_ratio.ts";

/** Which of an experiment's units: those that one figure counts, or adds up. */
export type UnitFilter = {
  experiment_id: number;
  /** Null: any variant. */
  variant: string | null;
  /** Series whose value is shown; null for none. */
  series_id: number | null;
  /**
   * Null: whether they have a value or not. `value` and `steps`: those who have one, or took the steps. `sum` and
   * `denominator`: those who add something to it, the most first.
   */
  of: "value" | "steps" | "sum" | "denominator" | null;
  steps: number;
  /** What values are pulled in to before they are added up; infinite where they are not. */
  bounds: { low: number; high: number };
};

export type FoundUnit = {
  unit: string;
  variant: string;
  first_at: number;
  value: number | null;
  /** The value before it was pulled in. */
  raw: number | null;
};

const adds = ({ of }: UnitFilter): boolean => of === "sum" || of === "denominator";

/** What a unit adds to a sum; without a row it has the value 0, which bounds may pull in, too. */
const contribution = ({ of, bounds }: UnitFilter): SQL =>
  of === "denominator"
    ? sql`coalesce(v.other, 0)`
    : sql`least(${bounds.high}::float8, greatest(${bounds.low}::float8, coalesce(v.value, 0)))`;

function whereOf(filter: UnitFilter): SQL {
  const { experiment_id, variant, of, steps } = filter;
  const inVariant = variant === null ? sql`` : sql`and u.variant = ${variant}::text`;
  const counts =
    of === null
      ? sql``
      : of === "value"
        ? sql`and v.value <> 0`
        : of === "steps"
          ? sql`and (v.other >= ${steps} or (${steps}::int = 1 and v.other <> 0))`
          : sql`and u.variant <> ${MULTIPLE} and ${contribution(filter)} <> 0`;
  return sql`u.experiment_id = ${experiment_id} ${inVariant} ${counts}`;
}

/** A page of units in a fixed order, how many there are, and what all of them add up to (null unless they add). */
export async function selectUnitPage(
  db: Db,
  filter: UnitFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: FoundUnit[]; count: number; sum: number | null }> {
  const adding = adds(filter);
  const join = filter.of === null || adding ? sql`left join` : sql`join`;
  const from = sql`experiment_units u ${join} experiment_values v
    on v.series_id = ${filter.series_id ?? 0}::int and v.unit = u.unit`;
  const where = whereOf(filter);
  const value = adding ? contribution(filter) : sql`v.value`;
  const [found, counted] = await Promise.all([
    db.execute<FoundUnit>(sql`
      select u.unit, u.variant, date_part('epoch', u.first_at) * 1000 as first_at, ${value} as value,
        ${filter.of === "denominator" ? sql`v.other` : sql`v.value`} as raw
      from ${from} where ${where} order by ${adding ? sql`4 desc,` : sql``} u.unit
      limit ${page.limit} offset ${page.offset}`),
    db.execute<{ count: number; sum: string | null }>(sql`
      select count(*)::float8 as count, ${adding ? sql`sum((${value})::numeric)` : sql`null`} as sum
      from ${filter.of === null ? sql`experiment_units u` : from} where ${where}`),
  ]);
  const [total] = counted.rows;
  return { rows: found.rows, count: total?.count ?? 0, sum: adding ? Number(total?.sum ?? 0) : null };
}
