import { and, eq, gte, inArray, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { activity_log } from "#lib/platform/db/tables/accounts.ts";
import { approved_states } from "#lib/platform/db/tables/approvals.ts";

/** A record that policies protect, as far as one can see whether it has changed. */
export type Trace = {
  resource: "feature_flag" | "cohort" | "experiment" | "survey";
  id: string;
  name: string;
  /** Differs where anything of it was edited. */
  fingerprint: string;
  /** Differs where anything differs that policies care about. */
  served: string;
  /** Of experiments and surveys: launched, or scheduled to be, and not at their end. Of flags: on. */
  is_running: boolean;
};

/** Every protected record of a project; by `resource/id`. */
export async function selectTraces(tx: Db, projectId: number, now: Date): Promise<Map<string, Trace>> {
  const open = sql`start_date is not null and (end_date is null or end_date > ${now.toISOString()}::timestamptz)`;
  const cohort = sql`concat_ws('|', deleted, is_static, filters::text, case when is_static then xmin::text end)`;
  const { rows } = await tx.execute<Trace>(sql`
    select 'feature_flag' as resource, id::text, key as name, active and not deleted as is_running,
      concat_ws('|', version, md5(nullif(pins, '[]')::text)) as fingerprint,
      md5(concat_ws('|', key, active, deleted, ensure_experience_continuity, evaluation_runtime, filters::text, nullif(pins, '[]')::text)) as served
    from feature_flags where project_id = ${projectId}
    union all
    select 'cohort', id::text, name, false, md5(concat_ws('|', name, description, ${cohort})), md5(${cohort})
    from cohorts where project_id = ${projectId}
    union all
    select 'experiment', id::text, name, ${open} and not archived and not deleted, version::text, version::text
    from experiments where project_id = ${projectId}
    union all
    select 'survey', id::text, name, ${open} and not archived, version::text, version::text
    from surveys where project_id = ${projectId}`);
  return new Map(rows.map((row) => [`${row.resource}/${row.id}`, row]));
}

/** The flags of surveys that are going to start. */
export async function selectFlagsOfScheduled(tx: Db, projectId: number, now: Date): Promise<Set<number>> {
  const { rows } = await tx.execute<{ id: number }>(sql`
    select flag.id from surveys,
      unnest(array[targeting_flag_id, internal_targeting_flag_id, internal_response_sampling_flag_id]) as flag(id)
    where project_id = ${projectId} and start_date > ${now.toISOString()}::timestamptz and not archived and flag.id is not null`);
  return new Set(rows.map(({ id }) => id));
}

/** Records that differ between two states of a project: in anything, or in what policies care about. */
export const writtenBetween = (
  before: Map<string, Trace>,
  after: Map<string, Trace>,
  what: "fingerprint" | "served",
): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name)?.[what] !== after.get(name)?.[what],
  );

/** One writer at a time in a project with policies: each is judged by what the others have left behind. */
export const lockGate = async (tx: Db, projectId: number): Promise<void> =>
  void (await tx.execute(sql`select pg_advisory_xact_lock(7294303, ${projectId})`));

/** The members of a static cohort. */
export async function selectMembers(db: Db, cohortId: number): Promise<Set<number>> {
  const { rows } = await db.execute<{ person_id: number }>(
    sql`select person_id::int as person_id from cohort_people where cohort_id = ${cohortId}`,
  );
  return new Set(rows.map((row) => row.person_id));
}

export async function selectApproved(
  tx: Db,
  projectId: number,
): Promise<Map<string, Record<string, unknown>>> {
  const rows = await tx.select().from(approved_states).where(eq(approved_states.project_id, projectId));
  return new Map(rows.map((row) => [row.resource, row.state]));
}

/** Whether a state is among those that were approved. */
export async function hasApproved(tx: Db, projectId: number, resource: string): Promise<boolean> {
  const rows = await tx
    .select({ resource: approved_states.resource })
    .from(approved_states)
    .where(and(eq(approved_states.project_id, projectId), eq(approved_states.resource, resource)));
  return rows.length > 0;
}

const PART = 500;

export async function saveApproved(
  tx: Db,
  projectId: number,
  states: ReadonlyMap<string, Record<string, unknown>>,
): Promise<void> {
  const rows = [...states].map(([resource, state]) => ({ project_id: projectId, resource, state }));
  for (let at = 0; at < rows.length; at += PART)
    await tx
      .insert(approved_states)
      .values(rows.slice(at, at + PART))
      .onConflictDoUpdate({
        target: [approved_states.project_id, approved_states.resource],
        set: { state: sql`excluded.state` },
      });
}

/** Of records that do not exist any more, nothing is approved. */
export async function deleteApproved(tx: Db, projectId: number, resources: readonly string[]): Promise<void> {
  if (resources.length > 0)
    await tx
      .delete(approved_states)
      .where(
        and(eq(approved_states.project_id, projectId), inArray(approved_states.resource, [...resources])),
      );
}

/** Log entries that a transaction has written in somebody's name. */
export async function selectOwnEntries(
  tx: Db,
  { project_id, user_id, since }: { project_id: number; user_id: number; since: Date },
) {
  return tx
    .select({
      scope: activity_log.scope,
      item_id: activity_log.item_id,
      activity: activity_log.activity,
      detail: activity_log.detail,
    })
    .from(activity_log)
    .where(
      and(
        eq(activity_log.project_id, project_id),
        eq(activity_log.user_id, user_id),
        gte(activity_log.created_at, since),
        // Parts of a transaction have numbers of their own, after its first.
        sql`activity_log.xmin::text::bigint >= (pg_current_xact_id()::text::bigint & 4294967295)`,
      ),
    )
    .orderBy(activity_log.created_at);
}
