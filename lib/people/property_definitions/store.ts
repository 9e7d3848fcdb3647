import { and, asc, count, desc, eq, gt, ilike, inArray } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { descending } from "#lib/platform/db/descending.ts";
import { event_definitions, property_definitions, property_values } from "#lib/platform/db/tables/events.ts";

/** Whose properties; `group_type_index` is -1 for persons. */
export type Owner = { project_id: number; type: "person" | "group"; group_type_index: number };
type Page = { limit: number; offset: number };

const containing = (text: string | undefined) => (text ? `%${text.replace(/[\\%_]/g, "\\$&")}%` : null);

export async function selectDefinitions(db: Db, owner: Owner, search: string | undefined, page: Page) {
  const table = property_definitions;
  const pattern = containing(search);
  const where = and(
    eq(table.project_id, owner.project_id),
    eq(table.type, owner.type),
    eq(table.group_type_index, owner.group_type_index),
    gt(table.count, 0),
    pattern ? ilike(table.name, pattern) : undefined,
  );
  const [rows, [total]] = await Promise.all([
    db
      .select()
      .from(table)
      .where(where)
      .orderBy(desc(table.count), asc(table.name))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: count() }).from(table).where(where),
  ]);
  return { rows, count: total?.count ?? 0 };
}

/** Which of these properties some person or group has, as `name` and `group_type_index` (-1 for persons). */
export async function selectSeen(db: Db, projectId: number, names: readonly string[]) {
  const table = property_definitions;
  return db
    .select({ name: table.name, group_type_index: table.group_type_index })
    .from(table)
    .where(and(eq(table.project_id, projectId), inArray(table.name, [...names]), gt(table.count, 0)));
}

/** For whom properties are known at all, by `group_type_index` (-1 for persons). */
export async function selectOwners(db: Db, projectId: number) {
  const table = property_definitions;
  return db
    .selectDistinct({ group_type_index: table.group_type_index })
    .from(table)
    .where(and(eq(table.project_id, projectId), gt(table.count, 0)));
}

/** How many different values of a property are stored; null for an unknown property. */
export async function selectKept(db: Db, owner: Owner, name: string): Promise<number | null> {
  const table = property_definitions;
  const [row] = await db
    .select({ kept: table.distinct_values })
    .from(table)
    .where(
      and(
        eq(table.project_id, owner.project_id),
        eq(table.type, owner.type),
        eq(table.group_type_index, owner.group_type_index),
        eq(table.name, name),
      ),
    );
  return row?.kept ?? null;
}

export async function selectValues(
  db: Db,
  owner: Owner,
  name: string,
  search: string | undefined,
  limit: number,
) {
  const table = property_values;
  const pattern = containing(search);
  return db
    .select({ name: table.value, count: table.count })
    .from(table)
    .where(
      and(
        eq(table.project_id, owner.project_id),
        eq(table.type, owner.type),
        eq(table.group_type_index, owner.group_type_index),
        eq(table.name, name),
        pattern ? ilike(table.value, pattern) : undefined,
      ),
    )
    .orderBy(descending(table.count), asc(table.value))
    .limit(limit);
}

export async function selectEventNames(db: Db, projectId: number, search: string | undefined, page: Page) {
  const table = event_definitions;
  const pattern = containing(search);
  const where = and(
    eq(table.project_id, projectId),
    gt(table.count, 0),
    pattern ? ilike(table.name, pattern) : undefined,
  );
  const [rows, [total]] = await Promise.all([
    db
      .select()
      .from(table)
      .where(where)
      .orderBy(desc(table.count), asc(table.name))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: count() }).from(table).where(where),
  ]);
  return { rows, count: total?.count ?? 0 };
}
