import { and, eq, ne, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { users } from "#lib/platform/db/tables/accounts.ts";
import type { UserRow } from "#lib/platform/http/directory.ts";

export async function isAddressTaken(db: Db, email: string, byOtherThan: number): Promise<boolean> {
  const [row] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(sql`lower(${users.email})`, email.toLowerCase()), ne(users.id, byOtherThan)));
  return row !== undefined;
}

export async function selectUser(db: Db, id: number): Promise<UserRow | null> {
  const [row] = await db.select().from(users).where(eq(users.id, id));
  return row ?? null;
}

export async function updateUser(
  db: Db,
  id: number,
  changes: Partial<typeof users.$inferInsert>,
): Promise<void> {
  await db.update(users).set(changes).where(eq(users.id, id));
}
