import { and, eq, inArray, isNotNull, or, sql } from "drizzle-orm";
import { type ExperimentRow, readExperiment } from "#lib/experiments/experiments/store.ts";
import { millisecondsOf } from "#lib/experiments/results/events/clauses-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { experiments } from "#lib/platform/db/tables/experiments.ts";

type PersonUnit = { experiment_id: number; variant: string; first_at: number };

/** What the stored results of a project's experiments have under a unit: one look into the index for each of them. */
export async function selectPersonUnits(db: Db, projectId: number, unit: string): Promise<PersonUnit[]> {
  const { rows } = await db.execute<PersonUnit>(sql`
    select e.id as experiment_id, u.variant, ${millisecondsOf(sql`u.first_at`)} as first_at
    from experiments e cross join lateral (
      select * from experiment_units u where u.experiment_id = e.id and u.unit = ${unit} offset 0
    ) u where e.project_id = ${projectId} and not e.deleted`);
  return rows;
}

/** The launched experiments with these ids, and those on these flags. */
export async function selectLaunched(
  db: Db,
  projectId: number,
  { ids, flag_ids }: { ids: number[]; flag_ids: number[] },
): Promise<ExperimentRow[]> {
  const rows = await db
    .select()
    .from(experiments)
    .where(
      and(
        eq(experiments.project_id, projectId),
        eq(experiments.deleted, false),
        isNotNull(experiments.start_date),
        or(inArray(experiments.id, ids), inArray(experiments.feature_flag_id, flag_ids)),
      ),
    );
  return rows.map(readExperiment);
}
