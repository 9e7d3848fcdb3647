import { and, asc, count, eq, ilike, or, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { group_types, groups } from "#lib/platform/db/tables/events.ts";

const escapeLike = (text: string) => text.replace(/[\\%_]/g, "\\$&");

export async function selectTypes(db: Db, projectId: number) {
  return db
    .select()
    .from(group_types)
    .where(eq(group_types.project_id, projectId))
    .orderBy(asc(group_types.group_type_index));
}

export async function selectGroups(
  db: Db,
  filter: { project_id: number; group_type_index: number; search?: string | undefined },
  page: { limit: number; offset: number },
) {
  const pattern = filter.search ? `%${escapeLike(filter.search)}%` : null;
  const where = and(
    eq(groups.project_id, filter.project_id),
    eq(groups.group_type_index, filter.group_type_index),
    pattern
      ? or(ilike(groups.group_key, pattern), sql`${groups.properties} ->> 'name' ilike ${pattern}`)
      : undefined,
  );
  const [rows, [total]] = await Promise.all([
    db
      .select()
      .from(groups)
      .where(where)
      .orderBy(asc(groups.group_key))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: count() }).from(groups).where(where),
  ]);
  return { rows, count: total?.count ?? 0 };
}
