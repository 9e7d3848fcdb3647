import { and, asc, eq, gt, or, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { groups, persons, property_definitions, property_values } from "#lib/platform/db/tables/events.ts";

const CHUNK = 2_000;

/** Somebody who carries properties; `group_type_index` is -1 for persons. */
export type Carrier = {
  project_id: number;
  type: "person" | "group";
  group_type_index: number;
  properties: Record<string, unknown>;
};

/** Every person and every group of all projects, a chunk at a time. */
export async function* scanCarriers(db: Db): AsyncGenerator<Carrier[]> {
  for (let after = 0; ; ) {
    const rows = await db
      .select({ id: persons.id, project_id: persons.project_id, properties: persons.properties })
      .from(persons)
      .where(gt(persons.id, after))
      .orderBy(asc(persons.id))
      .limit(CHUNK);
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
    yield rows.map(({ id: _, ...row }) => ({ ...row, type: "person", group_type_index: -1 }));
  }
  for (let after = { project_id: -1, group_type_index: -1, group_key: "" }; ; ) {
    const rows = await db
      .select()
      .from(groups)
      .where(
        or(
          gt(groups.project_id, after.project_id),
          and(
            eq(groups.project_id, after.project_id),
            or(
              gt(groups.group_type_index, after.group_type_index),
              and(eq(groups.group_type_index, after.group_type_index), gt(groups.group_key, after.group_key)),
            ),
          ),
        ),
      )
      .orderBy(asc(groups.project_id), asc(groups.group_type_index), asc(groups.group_key))
      .limit(CHUNK);
    const last = rows.at(-1);
    if (!last) return;
    after = last;
    yield rows.map(({ project_id, group_type_index, properties }) => ({
      project_id,
      type: "group",
      group_type_index,
      properties,
    }));
  }
}

export async function selectAllDefinitions(db: Db) {
  return db.select().from(property_definitions);
}

export async function selectAllValues(db: Db) {
  return db.select().from(property_values);
}

export async function deleteDefinitions(tx: Db): Promise<void> {
  await tx.execute(sql`delete from property_values`);
  await tx.execute(sql`delete from property_definitions`);
}
