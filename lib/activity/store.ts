import { and, count, desc, eq, gte, inArray, lt, type SQL } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { activity_log, users } from "#lib/db/tables/accounts.ts";

export type ActivityInsert = typeof activity_log.$inferInsert;

export type ActivityFilter = {
  project_id: number;
  scopes?: string[] | undefined;
  item_id?: string | undefined;
  user_id?: number | undefined;
  activity?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};

export async function insertActivity(db: Db, entries: ActivityInsert[]): Promise<void> {
  if (entries.length > 0) await db.insert(activity_log).values(entries);
}

const conditions = (f: ActivityFilter): SQL | undefined =>
  and(
    eq(activity_log.project_id, f.project_id),
    f.scopes && inArray(activity_log.scope, f.scopes),
    f.item_id ? eq(activity_log.item_id, f.item_id) : undefined,
    f.user_id ? eq(activity_log.user_id, f.user_id) : undefined,
    f.activity ? eq(activity_log.activity, f.activity) : undefined,
    f.from && gte(activity_log.created_at, f.from),
    f.to && lt(activity_log.created_at, f.to),
  );

export async function selectActivity(
  db: Db,
  filter: ActivityFilter,
  page: { limit: number; offset: number },
) {
  const where = conditions(filter);
  const [rows, [total]] = await Promise.all([
    db
      .select({ entry: activity_log, first_name: users.first_name, email: users.email })
      .from(activity_log)
      .leftJoin(users, eq(users.id, activity_log.user_id))
      .where(where)
      .orderBy(desc(activity_log.created_at), desc(activity_log.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: count() }).from(activity_log).where(where),
  ]);
  return { rows, count: total?.count ?? 0 };
}
