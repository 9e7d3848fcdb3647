import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";

/** Which of an experiment's units: those that one figure counts. */
export type UnitFilter = {
  experiment_id: number;
  /** Null: any variant. */
  variant: string | null;
  /** Series whose value is shown; null for none. */
  series_id: number | null;
  /** Null: whether they have a value or not. */
  of: "value" | "steps" | null;
  steps: number;
};

export type FoundUnit = { unit: string; variant: string; first_at: number; value: number | null };

function whereOf({ experiment_id, variant, of, steps }: UnitFilter): SQL {
  const inVariant = variant === null ? sql`` : sql`and u.variant = ${variant}::text`;
  const counts =
    of === "value"
      ? sql`and v.value <> 0`
      : of === "steps"
        ? sql`and (v.other >= ${steps} or (${steps}::int = 1 and v.other <> 0))`
        : sql``;
  return sql`u.experiment_id = ${experiment_id} ${inVariant} ${counts}`;
}

/** A page of units in a fixed order, and how many there are. */
export async function selectUnitPage(
  db: Db,
  filter: UnitFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: FoundUnit[]; count: number }> {
  const join = filter.of === null ? sql`left join` : sql`join`;
  const from = sql`experiment_units u ${join} experiment_values v
    on v.series_id = ${filter.series_id ?? 0}::int and v.unit = u.unit`;
  const where = whereOf(filter);
  const [found, counted] = await Promise.all([
    db.execute<FoundUnit>(sql`
      select u.unit, u.variant, date_part('epoch', u.first_at) * 1000 as first_at, v.value
      from ${from} where ${where} order by u.unit limit ${page.limit} offset ${page.offset}`),
    db.execute<{ count: number }>(sql`
      select count(*)::float8 as count
      from ${filter.of === null ? sql`experiment_units u` : from} where ${where}`),
  ]);
  return { rows: found.rows, count: counted.rows[0]?.count ?? 0 };
}
