import { and, desc, eq, gt, inArray, lte, or } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { dashboard_sessions, personal_api_keys } from "#lib/platform/db/tables/accounts.ts";

export type SessionRow = typeof dashboard_sessions.$inferSelect;

export async function selectSession(db: Db, digest: string): Promise<SessionRow | null> {
  const [row] = await db.select().from(dashboard_sessions).where(eq(dashboard_sessions.digest, digest));
  return row ?? null;
}

/** Sessions of a key, and of every other key of its owner; the last used one first. */
export async function selectSessionsBeside(db: Db, keyDigest: string, now: Date): Promise<SessionRow[]> {
  const owner = db
    .select({ id: personal_api_keys.user_id })
    .from(personal_api_keys)
    .where(eq(personal_api_keys.secure_value, keyDigest));
  const keys = db
    .select({ digest: personal_api_keys.secure_value })
    .from(personal_api_keys)
    .where(inArray(personal_api_keys.user_id, owner));
  return db
    .select()
    .from(dashboard_sessions)
    .where(
      and(
        gt(dashboard_sessions.expires_at, now),
        or(eq(dashboard_sessions.key_digest, keyDigest), inArray(dashboard_sessions.key_digest, keys)),
      ),
    )
    .orderBy(desc(dashboard_sessions.last_used_at), desc(dashboard_sessions.created_at));
}

/** Who has a key, by its digest; null for a key of another Switchyard. */
export async function selectKeyOwner(db: Db, keyDigest: string): Promise<number | null> {
  const [row] = await db
    .select({ user_id: personal_api_keys.user_id })
    .from(personal_api_keys)
    .where(eq(personal_api_keys.secure_value, keyDigest));
  return row?.user_id ?? null;
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
