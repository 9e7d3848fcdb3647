import { count, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import { secureValueOf } from "#lib/identity/accounts/directory.ts";
import { maskOf, randomCredential } from "#lib/identity/projects/bootstrap.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { personal_api_keys } from "#lib/platform/db/tables/accounts.ts";
import type { KeyRow } from "#lib/platform/http/directory.ts";

/** Every key of some people, newest first. */
export async function selectKeysOf(db: Db, userIds: number[]): Promise<KeyRow[]> {
  return db
    .select()
    .from(personal_api_keys)
    .where(inArray(personal_api_keys.user_id, userIds))
    .orderBy(desc(personal_api_keys.created_at), desc(personal_api_keys.id));
}

export async function countKeysOf(db: Db, userId: number): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(personal_api_keys)
    .where(eq(personal_api_keys.user_id, userId));
  return row?.count ?? 0;
}

export async function selectKey(db: Db, id: string): Promise<KeyRow | null> {
  const [row] = await db.select().from(personal_api_keys).where(eq(personal_api_keys.id, id));
  return row ?? null;
}

export async function lockKey(db: Db, id: string): Promise<KeyRow | null> {
  const [row] = await db.select().from(personal_api_keys).where(eq(personal_api_keys.id, id)).for("update");
  return row ?? null;
}

/** The keys of all users that do not expire. */
export async function selectEverlastingKeys(db: Db): Promise<KeyRow[]> {
  return db.select().from(personal_api_keys).where(isNull(personal_api_keys.expires_at));
}

/** Serializes changes that remove rights: two could each rely on the key that the other removes. */
export async function lockFullKeys(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(7294305)`);
}

export async function insertKey(db: Db, values: typeof personal_api_keys.$inferInsert): Promise<KeyRow> {
  const [row] = await db.insert(personal_api_keys).values(values).returning();
  if (!row) throw new Error("The key was not written.");
  return row;
}

export async function updateKey(
  db: Db,
  id: string,
  changes: Partial<typeof personal_api_keys.$inferInsert>,
): Promise<KeyRow> {
  const [row] = await db
    .update(personal_api_keys)
    .set(changes)
    .where(eq(personal_api_keys.id, id))
    .returning();
  if (!row) throw new Error("The key is gone.");
  return row;
}

export async function deleteKey(db: Db, id: string): Promise<void> {
  await db.delete(personal_api_keys).where(eq(personal_api_keys.id, id));
}

/**
 * For a copy of a database, of this or another version: a key with every scope for an owner of each organization. It
 * names only columns that every version has.
 *
 * @returns the keys
 */
export async function insertOwnerKeys(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ user_id: number }>(sql`
    select distinct user_id from (
      select distinct on (m.organization_id) m.user_id
        from organization_memberships m join users u on u.id = m.user_id where u.is_active
       order by m.organization_id, m.level desc, m.user_id) owners
     order by user_id`);
  const keys = rows.map(({ user_id }) => ({ user_id, key: randomCredential("phx") }));
  for (const { user_id, key } of keys)
    await db.execute(sql`
      insert into personal_api_keys (user_id, label, secure_value, mask_value, scopes)
      values (${user_id}, 'Rehearsal', ${secureValueOf(key)}, ${maskOf(key)}, '{*}')`);
  return keys.map(({ key }) => key);
}
