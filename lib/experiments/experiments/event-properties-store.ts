import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";

/** Number of newest events sampled. */
const EVENTS_SAMPLED = 1_000;
const PROPERTIES_MAX = 200;
const EXAMPLES_MAX = 8;
const EXAMPLE_LENGTH = 200;

export type SeenProperty = { name: string; count: number; numeric: number; examples: string[] };

/**
 * Properties of the newest events of a name, the most frequent first: how many of the events carry each, how many
 * hold a number, and the most frequent values.
 *
 * @param event null: events of every name
 */
export async function selectEventProperties(
  db: Db,
  projectId: number,
  event: string | null,
): Promise<{ properties: SeenProperty[]; sampled: number }> {
  const named = event === null ? sql`` : sql`and event = ${event}`;
  const { rows } = await db.execute<SeenProperty & { sampled: number }>(sql`
    with sample as (
      select properties from events where project_id = ${projectId} ${named}
      order by timestamp desc limit ${EVENTS_SAMPLED}),
    pairs as (
      select key, left(value #>> '{}', ${EXAMPLE_LENGTH}) as value, jsonb_typeof(value) = 'number' as is_number
      from sample, jsonb_each(properties) where jsonb_typeof(value) <> 'null'),
    ranked as (
      select key, value, count(*) as times, count(*) filter (where is_number) as numbers,
        row_number() over (partition by key order by count(*) desc, value) as place
      from pairs group by key, value)
    select key as name, sum(times)::int as count, sum(numbers)::int as numeric,
      coalesce(array_agg(value order by place) filter (where place <= ${EXAMPLES_MAX}), '{}') as examples,
      (select count(*)::int from sample) as sampled
    from ranked group by key order by sum(times) desc, key limit ${PROPERTIES_MAX}`);
  return {
    properties: rows.map(({ name, count, numeric, examples }) => ({ name, count, numeric, examples })),
    sampled: rows[0]?.sampled ?? 0,
  };
}
