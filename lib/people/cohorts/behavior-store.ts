import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Behavior } from "./behavior.ts";

/** Someone who performed the event, with the requested properties. */
export type Performance = { person_id: number; properties: Record<string, unknown> };

const isPlain = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);

/** Equalities are settled in the database, which then hands out far fewer rows; letter case does not count. */
function equalities(rows: Behavior["rows"]): SQL[] {
  return rows.flatMap((row) => {
    const values: unknown[] = Array.isArray(row.value) ? row.value : [row.value];
    const exact = (row.operator ?? "exact") === "exact" && values.every(isPlain);
    if (!exact || typeof row.key !== "string" || row.negation) return [];
    const texts = values.map((value) => String(value).toLowerCase());
    return [sql`and lower(e.properties ->> ${row.key}) = any(${sql.param(texts)}::text[])`];
  });
}

/** Who of the persons (persons.id) performed an event, with each distinct set of the requested properties. */
export async function selectPerformances(
  db: Db,
  projectId: number,
  { event, since, rows }: Behavior,
  personIds: number[],
): Promise<Performance[]> {
  const names = sql.param(rows.map((row) => String(row.key)));
  const { rows: found } = await db.execute<Performance>(sql`
    select distinct d.person_id, coalesce((select jsonb_object_agg(name, e.properties -> name)
        from unnest(${names}::text[]) as name where e.properties ? name), '{}'::jsonb) as properties
    from person_distinct_ids d
    join events e on e.project_id = d.project_id and e.distinct_id = d.distinct_id
    where d.project_id = ${projectId} and d.person_id = any(${sql.param(personIds)}::bigint[])
      ${event === null ? sql`` : sql`and e.event = ${event}`}
      ${since ? sql`and e.timestamp >= ${since.toISOString()}::timestamptz` : sql``}
      ${sql.join(equalities(rows), sql` `)}`);
  return found;
}
