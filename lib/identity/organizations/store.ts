import { and, count, eq, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { organization_memberships, organizations, users } from "#lib/platform/db/tables/accounts.ts";
import type { MembershipRow, OrganizationRow, UserRow } from "#lib/platform/http/directory.ts";

export type Member = { user: UserRow; membership: MembershipRow };

const fields = { user: users, membership: organization_memberships };

export async function selectMembers(
  db: Db,
  organizationId: string,
  page: { limit: number; offset: number },
): Promise<{ rows: Member[]; count: number }> {
  const where = eq(organization_memberships.organization_id, organizationId);
  const [rows, [total]] = await Promise.all([
    db
      .select(fields)
      .from(organization_memberships)
      .innerJoin(users, eq(users.id, organization_memberships.user_id))
      .where(where)
      .orderBy(organization_memberships.joined_at, users.id)
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: count() }).from(organization_memberships).where(where),
  ]);
  return { rows, count: total?.count ?? 0 };
}

/** One change of members at a time in an organization: levels are read again behind this lock. */
export async function lockOrganization(db: Db, id: string): Promise<OrganizationRow | null> {
  const [row] = await db.select().from(organizations).where(eq(organizations.id, id)).for("update");
  return row ?? null;
}

export async function selectMember(
  db: Db,
  organizationId: string,
  who: { id: number } | { uuid: string },
): Promise<Member | null> {
  const [row] = await db
    .select(fields)
    .from(organization_memberships)
    .innerJoin(users, eq(users.id, organization_memberships.user_id))
    .where(
      and(
        eq(organization_memberships.organization_id, organizationId),
        "id" in who ? eq(users.id, who.id) : eq(users.uuid, who.uuid),
      ),
    );
  return row ?? null;
}

/** The user with an email address, created if there is none. */
export async function findOrInsertUser(db: Db, values: typeof users.$inferInsert): Promise<UserRow> {
  await db.insert(users).values(values).onConflictDoNothing();
  const [row] = await db
    .select()
    .from(users)
    .where(eq(sql`lower(${users.email})`, values.email.toLowerCase()));
  if (!row) throw new Error("The person was not written.");
  return row;
}

/** @returns null where the person is a member already */
export async function insertMembership(
  db: Db,
  values: typeof organization_memberships.$inferInsert,
): Promise<MembershipRow | null> {
  const [row] = await db.insert(organization_memberships).values(values).onConflictDoNothing().returning();
  return row ?? null;
}

export async function updateLevel(db: Db, membership: MembershipRow, level: number): Promise<void> {
  await db
    .update(organization_memberships)
    .set({ level })
    .where(
      and(
        eq(organization_memberships.organization_id, membership.organization_id),
        eq(organization_memberships.user_id, membership.user_id),
      ),
    );
}

export async function updateActive(db: Db, userId: number, isActive: boolean): Promise<void> {
  await db.update(users).set({ is_active: isActive }).where(eq(users.id, userId));
}
