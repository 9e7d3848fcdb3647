import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";

/** An experiment with some of the units that are asked for, and whether it was sealed. */
export type Affected = { experiment_id: number; units: number; sealed: boolean };

/** The experiments of a project with some of these units. */
export async function selectExperimentsOf(
  tx: Db,
  projectId: number,
  units: readonly string[],
): Promise<Affected[]> {
  const { rows } = await tx.execute<Affected>(sql`
    select u.experiment_id, count(*)::int as units, coalesce(bool_or(s.sealed), false) as sealed from experiments e
    join experiment_units u on u.experiment_id = e.id and u.unit = any(${sql.param([...units])}::text[])
    left join experiment_states s on s.experiment_id = e.id
    where e.project_id = ${projectId} group by 1 order by 1`);
  return rows;
}

/** Makes the figures of experiments worthless: they are computed from the events when they are next read. */
export async function forgetFigures(tx: Db, experimentIds: readonly number[]): Promise<void> {
  const ids = sql`any(${sql.param([...experimentIds])}::int[])`;
  await tx.execute(
    sql`update experiment_states set seen = null, sealed = false where experiment_id = ${ids}`,
  );
  await tx.execute(sql`
    delete from experiment_days d using experiment_series s where s.id = d.series_id and s.experiment_id = ${ids}`);
}

/** The series of experiments that have recorded days. */
export async function selectRecorded(tx: Db, experimentIds: readonly number[]) {
  const { rows } = await tx.execute<{ id: number; experiment_id: number; fingerprint: string }>(sql`
    select s.id, s.experiment_id, s.fingerprint from experiment_series s
    where s.experiment_id = any(${sql.param([...experimentIds])}::int[])
      and exists (select from experiment_days d where d.series_id = s.id) order by s.id`);
  return rows;
}

/** What experiments keep of some units. */
export async function selectUnitsOf(db: Db, projectId: number, units: readonly string[]) {
  const { rows } = await db.execute<{ experiment_id: number; variant: string; first_exposed_at: string }>(sql`
    select e.id as experiment_id, e.name as experiment, u.variant,
      to_char(u.first_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as first_exposed_at
    from experiments e join experiment_units u on u.experiment_id = e.id
      and u.unit = any(${sql.param([...units])}::text[])
    where e.project_id = ${projectId} order by e.id`);
  return rows;
}
