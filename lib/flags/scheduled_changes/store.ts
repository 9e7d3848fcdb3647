import { and, count, desc, eq, gte, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { scheduled_changes as changes, type ScheduledImpact } from "#lib/platform/db/tables/feature_flags.ts";

export type ScheduledRow = typeof changes.$inferSelect;
export type { ScheduledImpact };

type ScheduledInsert = typeof changes.$inferInsert;

const present = eq(changes.deleted, false);

/** The schedules of a project, or of one of its flags, newest first. */
export async function selectSchedules(
  db: Db,
  { project_id, flag_id }: { project_id: number; flag_id: number | null },
  page: { limit: number; offset: number },
): Promise<{ rows: ScheduledRow[]; total: number }> {
  const where = and(
    eq(changes.project_id, project_id),
    flag_id === null ? undefined : eq(changes.flag_id, flag_id),
    present,
  );
  const rows = await db
    .select()
    .from(changes)
    .where(where)
    .orderBy(desc(changes.created_at), desc(changes.id))
    .limit(page.limit)
    .offset(page.offset);
  const [found] = await db.select({ total: count() }).from(changes).where(where);
  return { rows, total: found?.total ?? 0 };
}

/** The schedules of a project whose last run, since a moment, changed nothing; newest first. */
export async function selectFailed(
  db: Db,
  { project_id, since, limit }: { project_id: number; since: Date; limit: number },
): Promise<ScheduledRow[]> {
  return db
    .select()
    .from(changes)
    .where(
      and(
        eq(changes.project_id, project_id),
        present,
        isNotNull(changes.failure_reason),
        gte(changes.updated_at, since),
      ),
    )
    .orderBy(desc(changes.updated_at), desc(changes.id))
    .limit(limit);
}

/** One schedule, a deleted one too. */
export async function selectSchedule(db: Db, id: number): Promise<ScheduledRow | null> {
  const [row] = await db.select().from(changes).where(eq(changes.id, id));
  return row ?? null;
}

/** The same, locked until the transaction ends. */
export async function lockSchedule(tx: Db, id: number): Promise<ScheduledRow | null> {
  const [row] = await tx.select().from(changes).where(eq(changes.id, id)).for("update");
  return row ?? null;
}

export async function insertSchedule(tx: Db, values: ScheduledInsert): Promise<ScheduledRow> {
  const [row] = await tx.insert(changes).values(values).returning();
  if (!row) throw new Error("A schedule was not stored.");
  return row;
}

export async function updateSchedule(
  tx: Db,
  id: number,
  values: Partial<ScheduledInsert>,
): Promise<ScheduledRow> {
  const [row] = await tx.update(changes).set(values).where(eq(changes.id, id)).returning();
  if (!row) throw new Error(`Schedule ${id} vanished while it was locked.`);
  return row;
}

/** The schedules that are due. */
export const selectDue = (db: Db, now: Date): Promise<{ id: number }[]> =>
  db
    .select({ id: changes.id })
    .from(changes)
    .where(
      and(
        present,
        isNull(changes.executed_at),
        lte(changes.scheduled_at, sql`${now.toISOString()}::timestamptz`),
        or(changes.is_recurring, and(isNull(changes.recurrence_interval), isNull(changes.cron_expression))),
      ),
    )
    .orderBy(changes.scheduled_at);
