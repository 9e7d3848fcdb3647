import { and, count, desc, eq } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { notification_subscriptions as subscriptions } from "#lib/platform/db/tables/notifications.ts";

export type SubscriptionRow = typeof subscriptions.$inferSelect;
export type Owner = { project_id: number; user_id: number };
export type Resource = Pick<SubscriptionRow, "resource_type" | "resource_id">;

const ownedBy = ({ project_id, user_id }: Owner) =>
  and(eq(subscriptions.project_id, project_id), eq(subscriptions.user_id, user_id));
const about = ({ resource_type, resource_id }: Resource) =>
  and(eq(subscriptions.resource_type, resource_type), eq(subscriptions.resource_id, resource_id));

export async function selectSubscriptions(
  db: Db,
  owner: Owner,
  filter: Partial<Resource>,
  page: { limit: number; offset: number },
): Promise<{ rows: SubscriptionRow[]; total: number }> {
  const where = and(
    ownedBy(owner),
    filter.resource_type && eq(subscriptions.resource_type, filter.resource_type),
    filter.resource_id === undefined ? undefined : eq(subscriptions.resource_id, filter.resource_id),
  );
  const rows = await db
    .select()
    .from(subscriptions)
    .where(where)
    .orderBy(desc(subscriptions.created_at), subscriptions.resource_type, subscriptions.resource_id)
    .limit(page.limit)
    .offset(page.offset);
  const [found] = await db.select({ total: count() }).from(subscriptions).where(where);
  return { rows, total: found?.total ?? 0 };
}

/** Stores a subscription; one that is there keeps its beginning. */
export async function upsertSubscription(
  tx: Db,
  values: Owner & Resource & { digest: boolean; created_at: Date },
): Promise<SubscriptionRow> {
  const [row] = await tx
    .insert(subscriptions)
    .values(values)
    .onConflictDoUpdate({
      target: [
        subscriptions.project_id,
        subscriptions.user_id,
        subscriptions.resource_type,
        subscriptions.resource_id,
      ],
      set: { digest: values.digest },
    })
    .returning();
  if (!row) throw new Error("A subscription was not stored.");
  return row;
}

/** @returns whether there was one */
export async function deleteSubscription(tx: Db, owner: Owner, resource: Resource): Promise<boolean> {
  const { rowCount } = await tx.delete(subscriptions).where(and(ownedBy(owner), about(resource)));
  return (rowCount ?? 0) > 0;
}
