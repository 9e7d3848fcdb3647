import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { NameTally, ValueTally } from "./tally.ts";

/** How many different values of a property are stored. */
export const STORED_VALUES = 1_000;

type Name = Pick<NameTally, "project_id" | "type" | "group_type_index" | "name">;

const nameColumns = (list: Name[]) => sql`
  ${sql.param(list.map((t) => t.project_id))}::int[], ${sql.param(list.map((t) => t.type))}::text[],
  ${sql.param(list.map((t) => t.group_type_index))}::smallint[], ${sql.param(list.map((t) => t.name))}::text[]`;

const counts = (list: { by: number }[]) => sql`${sql.param(list.map((t) => t.by))}::bigint[]`;
const texts = (list: { value: string }[]) => sql`${sql.param(list.map((t) => t.value))}::text[]`;

/**
 * Adds to the properties' counts. The rows stay locked until the commit, so that one transaction at a time works on
 * the values of a property.
 *
 * @returns per property how many different values are stored
 */
export async function upsertNames(db: Db, names: NameTally[], at: Date) {
  if (names.length === 0) return [];
  const { rows } = await db.execute<Name & { distinct_values: number }>(sql`
    insert into property_definitions as p
      (project_id, type, group_type_index, name, property_type, count, last_seen_at)
    select v.project_id, v.type, v.group_type_index, v.name, v.property_type, v.by, ${at.toISOString()}::timestamptz
    from unnest(${nameColumns(names)}, ${sql.param(names.map((t) => t.property_type))}::text[], ${counts(names)})
      as v(project_id, type, group_type_index, name, property_type, by)
    on conflict (project_id, type, group_type_index, name) do update set
      count = greatest(p.count + excluded.count, 0),
      property_type = case when p.property_type = excluded.property_type then p.property_type else 'String' end,
      last_seen_at = greatest(p.last_seen_at, excluded.last_seen_at)
    returning project_id, type, group_type_index, name, distinct_values`);
  return rows;
}

/** Adds to the counts of stored values; values that nobody has any more are deleted. */
export async function updateValues(db: Db, values: ValueTally[]) {
  if (values.length === 0) return [];
  const { rows } = await db.execute<Name & { value: string; is_gone: boolean }>(sql`
    update property_values p set count = p.count + v.by
    from unnest(${nameColumns(values)}, ${texts(values)}, ${counts(values)})
      as v(project_id, type, group_type_index, name, value, by)
    where p.project_id = v.project_id and p.type = v.type and p.group_type_index = v.group_type_index
      and p.name = v.name and p.value = v.value
    returning p.project_id, p.type, p.group_type_index, p.name, p.value, p.count <= 0 as is_gone`);
  const gone = rows.filter((row) => row.is_gone);
  if (gone.length > 0)
    await db.execute(sql`
      delete from property_values p using unnest(${nameColumns(gone)}, ${texts(gone)})
        as v(project_id, type, group_type_index, name, value)
      where p.project_id = v.project_id and p.type = v.type and p.group_type_index = v.group_type_index
        and p.name = v.name and p.value = v.value`);
  return rows;
}

export async function insertValues(db: Db, values: ValueTally[]): Promise<void> {
  if (values.length === 0) return;
  await db.execute(sql`
    insert into property_values (project_id, type, group_type_index, name, value, count)
    select * from unnest(${nameColumns(values)}, ${texts(values)}, ${counts(values)})`);
}

/** Records how many different values of each property are stored. */
export async function updateDistinctCounts(
  db: Db,
  names: (Name & { distinct_values: number })[],
): Promise<void> {
  if (names.length === 0) return;
  await db.execute(sql`
    update property_definitions p set distinct_values = v.kept
    from unnest(${nameColumns(names)}, ${sql.param(names.map((n) => n.distinct_values))}::int[])
      as v(project_id, type, group_type_index, name, kept)
    where p.project_id = v.project_id and p.type = v.type and p.group_type_index = v.group_type_index
      and p.name = v.name`);
}
