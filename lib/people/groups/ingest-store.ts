import { sql } from "drizzle-orm";
import type { GroupType } from "#lib/identity/projects/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";

export type GroupKey = { project_id: number; group_type_index: number; group_key: string };

const keyArrays = (keys: GroupKey[]) => sql`unnest(
  ${sql.param(keys.map((k) => k.project_id))}::int[], ${sql.param(keys.map((k) => k.group_type_index))}::smallint[],
  ${sql.param(keys.map((k) => k.group_key))}::text[])`;

export async function selectGroupTypes(db: Db, projectId: number): Promise<GroupType[]> {
  const { rows } = await db.execute<GroupType>(sql`
    select project_id, group_type_index, group_type from group_types
    where project_id = ${projectId} order by group_type_index`);
  return rows;
}

/** Creates missing groups and locks all of them; sorted by the caller. */
export async function lockGroups(db: Db, keys: GroupKey[]) {
  if (keys.length === 0) return [];
  await db.execute(sql`
    insert into groups (project_id, group_type_index, group_key) select * from ${keyArrays(keys)}
    on conflict do nothing`);
  const { rows } = await db.execute<GroupKey & { properties: Record<string, unknown> }>(sql`
    select g.project_id, g.group_type_index, g.group_key, g.properties
    from ${keyArrays(keys)} as wanted(project_id, group_type_index, group_key)
    join groups g using (project_id, group_type_index, group_key)
    order by 1, 2, 3 for update of g`);
  return rows;
}

export async function updateGroups(db: Db, groups: (GroupKey & { json: string })[]): Promise<void> {
  if (groups.length === 0) return;
  await db.execute(sql`
    update groups g set properties = v.properties::jsonb
    from unnest(
      ${sql.param(groups.map((g) => g.project_id))}::int[], ${sql.param(groups.map((g) => g.group_type_index))}::smallint[],
      ${sql.param(groups.map((g) => g.group_key))}::text[], ${sql.param(groups.map((g) => g.json))}::text[]
    ) as v(project_id, group_type_index, group_key, properties)
    where g.project_id = v.project_id and g.group_type_index = v.group_type_index and g.group_key = v.group_key`);
}
