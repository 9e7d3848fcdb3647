import { eq } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import {
  organization_memberships,
  organizations,
  personal_api_keys,
  projects,
  users,
} from "#lib/platform/db/tables/accounts.ts";
import type { KeyRow } from "#lib/platform/http/directory.ts";

export async function selectAccounts(db: Db) {
  const [organizationRows, projectRows, userRows, membershipRows] = await Promise.all([
    db.select().from(organizations).orderBy(organizations.created_at),
    db.select().from(projects).orderBy(projects.id),
    db.select().from(users).orderBy(users.id),
    db.select().from(organization_memberships),
  ]);
  return {
    organizations: organizationRows,
    projects: projectRows,
    users: userRows,
    memberships: membershipRows,
  };
}

export async function selectKeyByDigest(db: Db, secureValue: string): Promise<KeyRow | null> {
  const [row] = await db
    .select()
    .from(personal_api_keys)
    .where(eq(personal_api_keys.secure_value, secureValue));
  return row ?? null;
}

export async function touchKey(db: Db, id: string, at: Date): Promise<void> {
  await db.update(personal_api_keys).set({ last_used_at: at }).where(eq(personal_api_keys.id, id));
}
