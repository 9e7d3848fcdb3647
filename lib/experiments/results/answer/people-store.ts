import { type SQL, sql } from "drizzle-orm";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { millisecondsOf } from "#lib/experiments/results/events/clauses-store.ts";
import type { Slot } from "#lib/experiments/results/units/layout.ts";
import { valueSql } from "#lib/experiments/results/units/units-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";

/** The units of an experiment that one figure counts or adds up. */
export type UnitFilter = {
  experiment_id: number;
  /** Null: any variant. */
  variant: string | null;
  /** Slot of the metric whose values are shown; null for none. */
  slot: Slot | null;
  /**
   * Null: whether they have a value or not. `value` and `steps`: those who have one, or took the steps. `sum` and
   * `denominator`: those who add something to it, the most first.
   */
  of: "value" | "steps" | "sum" | "denominator" | null;
  steps: number;
  /** Bounds at which values are capped before they are added up; infinite where they are not. */
  bounds: { low: number; high: number };
};

export type FoundUnit = {
  unit: string;
  variant: string;
  first_at: number;
  value: number | null;
  /** The value before capping. */
  raw: number | null;
};

const adds = ({ of }: UnitFilter): boolean => of === "sum" || of === "denominator";

type Values = { value: SQL; other: SQL };

const valuesOf = ({ slot }: UnitFilter): Values =>
  slot ? valueSql(slot) : { value: sql`null::float8`, other: sql`null::float8` };

/** What a unit adds to a sum; the value 0 may be capped, too. */
const contribution = ({ of, bounds }: UnitFilter, { value, other }: Values): SQL =>
  of === "denominator"
    ? other
    : sql`least(${bounds.high}::float8, greatest(${bounds.low}::float8, ${value}))`;

function whereOf(filter: UnitFilter, values: Values): SQL {
  const { experiment_id, variant, of, steps } = filter;
  const { value, other } = values;
  const inVariant = variant === null ? sql`` : sql`and u.variant = ${variant}::text`;
  const counts =
    of === null
      ? sql``
      : of === "value"
        ? sql`and ${value} <> 0`
        : of === "steps"
          ? sql`and (${other} >= ${steps} or (${steps}::int = 1 and ${other} <> 0))`
          : sql`and u.variant <> ${MULTIPLE} and ${contribution(filter, values)} <> 0`;
  return sql`u.experiment_id = ${experiment_id} ${inVariant} ${counts}`;
}

/** A page of units in a fixed order, how many there are, and what all of them add up to (null unless they add). */
export async function selectUnitPage(
  db: Db,
  filter: UnitFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: FoundUnit[]; count: number; sum: number | null }> {
  const adding = adds(filter);
  const values = valuesOf(filter);
  const where = whereOf(filter, values);
  const value = adding ? contribution(filter, values) : values.value;
  const [found, counted] = await Promise.all([
    db.execute<FoundUnit>(sql`
      select u.unit, u.variant, ${millisecondsOf(sql`u.first_at`)} as first_at, ${value} as value,
        ${filter.of === "denominator" ? values.other : values.value} as raw
      from experiment_units u where ${where} order by ${adding ? sql`4 desc,` : sql``} u.unit
      limit ${page.limit} offset ${page.offset}`),
    db.execute<{ count: number; sum: string | null }>(sql`
      select count(*)::float8 as count, ${adding ? sql`sum((${value})::numeric)` : sql`null`} as sum
      from experiment_units u where ${where}`),
  ]);
  const [total] = counted.rows;
  return { rows: found.rows, count: total?.count ?? 0, sum: adding ? Number(total?.sum ?? 0) : null };
}
