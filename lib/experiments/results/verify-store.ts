import { eq, sql } from "drizzle-orm";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { Slot } from "#lib/experiments/results/units/layout.ts";
import { valueSql } from "#lib/experiments/results/units/units-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { experiment_states } from "#lib/platform/db/tables/experiment_results.ts";
import { experiments } from "#lib/platform/db/tables/experiments.ts";

/** Experiments with stored figures, and as of when. */
export async function selectStoredStates(db: Db) {
  const rows = await db
    .select({ experiment: experiments, state: experiment_states })
    .from(experiment_states)
    .innerJoin(experiments, eq(experiments.id, experiment_states.experiment_id))
    .where(eq(experiments.deleted, false))
    .orderBy(experiments.id);
  return rows;
}

async function countOf(db: Db, query: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::float8 as count from (${query}) d`,
  );
  return rows[0]?.count ?? 0;
}

export const countUnits = (db: Db, experimentId: number) =>
  countOf(db, sql`select 1 from experiment_units where experiment_id = ${experimentId}`);

/** Variants whose units by day do not add up to the units that there are. */
export const countDayDifferences = (db: Db, experimentId: number) =>
  countOf(
    db,
    sql`select 1 from
      (select variant, count(*) as units from experiment_units where experiment_id = ${experimentId} group by 1) u
      full join (select variant, sum(units) as units from experiment_unit_days
        where experiment_id = ${experimentId} group by 1) d using (variant)
      where u.units is distinct from d.units`,
  );

/** Totals of a series that are not the sums of what units add to it. */
export function countTotalDifferences(
  db: Db,
  experimentId: number,
  seriesId: number,
  slot: Slot,
  excluded: string,
): Promise<number> {
  const { value, other, covariate } = valueSql(slot);
  const step = METRIC_KINDS[slot.metric.type].sums.bySteps ? sql`other::int` : sql`0`;
  return countOf(
    db,
    sql`select 1 from (
        select variant, ${step} as step, count(*) as units,
          sum(value::numeric) as value, sum(value::numeric * value::numeric) as value_squares,
          sum(other::numeric) as other, sum(other::numeric * other::numeric) as other_squares,
          sum(value::numeric * other::numeric) as value_other, sum(covariate::numeric) as covariate,
          sum(covariate::numeric * covariate::numeric) as covariate_squares,
          sum(value::numeric * covariate::numeric) as value_covariate
        from (select u.variant, ${value} as value, ${other} as other, ${covariate} as covariate
          from experiment_units u where u.experiment_id = ${experimentId} and u.variant <> ${excluded}::text) u
        where value <> 0 or other <> 0 or covariate <> 0 group by 1, 2) v
      full join (select * from experiment_totals where series_id = ${seriesId}) t using (variant, step)
      where (v.units, v.value, v.value_squares, v.other, v.other_squares, v.value_other, v.covariate,
        v.covariate_squares, v.value_covariate) is distinct from (t.units, t.value, t.value_squares, t.other,
        t.other_squares, t.value_other, t.covariate, t.covariate_squares, t.value_covariate)`,
  );
}
