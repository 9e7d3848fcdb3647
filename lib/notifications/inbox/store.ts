import { and, count, eq, lt, notInArray, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import {
  inbox_announcements as announcements,
  inbox_dismissals as dismissals,
} from "#lib/platform/db/tables/notifications.ts";

type Owner = { project_id: number; user_id: number };
type Version = { item: string; version: string };

const ownedBy = ({ project_id, user_id }: Owner) =>
  and(eq(dismissals.project_id, project_id), eq(dismissals.user_id, user_id));

export async function selectDismissals(db: Db, owner: Owner): Promise<Map<string, string>> {
  const rows = await db
    .select({ item: dismissals.item, version: dismissals.version })
    .from(dismissals)
    .where(ownedBy(owner));
  return new Map(rows.map(({ item, version }) => [item, version]));
}

/** Sets an item aside. Of the oldest ones, those beyond a number are forgotten. */
export async function insertDismissal(
  tx: Db,
  { most, ...values }: Owner & Version & { created_at: Date; most: number },
): Promise<void> {
  const { version, created_at } = values;
  await tx
    .insert(dismissals)
    .values(values)
    .onConflictDoUpdate({
      target: [dismissals.project_id, dismissals.user_id, dismissals.item],
      set: { version, created_at },
    });
  const [found] = await tx.select({ n: count() }).from(dismissals).where(ownedBy(values));
  if ((found?.n ?? 0) <= most) return;
  const oldest = tx
    .select({ created_at: sql<Date>`min(kept.created_at)` })
    .from(
      sql`(select created_at from ${dismissals} where ${ownedBy(values)} order by created_at desc limit ${most}) kept`,
    );
  await tx.delete(dismissals).where(and(ownedBy(values), lt(dismissals.created_at, sql`(${oldest})`)));
}

export async function deleteDismissals(db: Db, owner: Owner): Promise<void> {
  await db.delete(dismissals).where(ownedBy(owner));
}

export async function selectAnnouncements(tx: Db, projectId: number): Promise<Map<string, string>> {
  const rows = await tx
    .select({ item: announcements.item, version: announcements.version })
    .from(announcements)
    .where(eq(announcements.project_id, projectId));
  return new Map(rows.map(({ item, version }) => [item, version]));
}

/** The name of no item: a project that has it has been looked at before. */
export const LOOKED_AT = "";

/** Notes which items a project has now, and forgets those that it has no more. */
export async function replaceAnnouncements(
  tx: Db,
  projectId: number,
  items: readonly Version[],
): Promise<void> {
  const names = items.map(({ item }) => item);
  await tx
    .delete(announcements)
    .where(
      and(
        eq(announcements.project_id, projectId),
        names.length > 0 ? notInArray(announcements.item, names) : undefined,
      ),
    );
  if (items.length === 0) return;
  await tx
    .insert(announcements)
    .values(items.map((each) => ({ ...each, project_id: projectId })))
    .onConflictDoUpdate({
      target: [announcements.project_id, announcements.item],
      set: { version: sql`excluded.version` },
    });
}

/** Forgets what was announced of some projects. */
export async function deleteAnnouncementsExcept(tx: Db, projectIds: readonly number[]): Promise<void> {
  await tx
    .delete(announcements)
    .where(projectIds.length > 0 ? notInArray(announcements.project_id, [...projectIds]) : undefined);
}

export const lockAnnouncements = (tx: Db, projectId: number) =>
  tx.execute(sql`select pg_advisory_xact_lock(7294309, ${projectId})`);
