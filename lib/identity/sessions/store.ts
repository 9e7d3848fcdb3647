import { eq, lte } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { dashboard_sessions } from "#lib/platform/db/tables/accounts.ts";

export type SessionRow = typeof dashboard_sessions.$inferSelect;

export async function selectSession(db: Db, digest: string): Promise<SessionRow | null> {
  const [row] = await db.select().from(dashboard_sessions).where(eq(dashboard_sessions.digest, digest));
  return row ?? null;
}

export async function insertSession(db: Db, row: SessionRow): Promise<void> {
  await db.insert(dashboard_sessions).values(row);
}

export async function touchSession(db: Db, digest: string, at: Date): Promise<void> {
  await db.update(dashboard_sessions).set({ last_used_at: at }).where(eq(dashboard_sessions.digest, digest));
}

export async function deleteSession(db: Db, digest: string): Promise<void> {
  await db.delete(dashboard_sessions).where(eq(dashboard_sessions.digest, digest));
}

export async function deleteExpiredSessions(db: Db, now: Date): Promise<void> {
  await db.delete(dashboard_sessions).where(lte(dashboard_sessions.expires_at, now));
}
