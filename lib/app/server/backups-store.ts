import { and, desc, gte, isNotNull } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { backups } from "#lib/platform/db/tables/backups.ts";

type Backup = typeof backups.$inferInsert;

export async function insertBackup(db: Db, backup: Backup): Promise<void> {
  await db.insert(backups).values(backup);
}

/** Whether a backup was made and verified since a moment. */
export async function hasVerified(db: Db, since: Date): Promise<boolean> {
  const [row] = await db
    .select({ id: backups.id })
    .from(backups)
    .where(and(isNotNull(backups.verified_at), gte(backups.created_at, since)))
    .orderBy(desc(backups.created_at))
    .limit(1);
  return row !== undefined;
}
