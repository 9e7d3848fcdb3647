import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";

type Counted = {
  project_id: number;
  event: string;
  /** Properties that equal the value, or one of the values. */
  filters: readonly { key: string; value?: unknown }[];
  from: Date;
  to: Date;
};

/** How often an event happened. */
export async function countEvents(
  db: Db,
  { project_id, event, filters, from, to }: Counted,
): Promise<number> {
  const conditions = filters.map(({ key, value }) => {
    const texts = [value].flat().map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
    return sql`and properties ->> ${key} = any(${sql.param(texts)}::text[])`;
  });
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::float8 as count from events
    where project_id = ${project_id} and event = ${event}
      and timestamp >= ${from.toISOString()}::timestamptz and timestamp < ${to.toISOString()}::timestamptz
      ${sql.join(conditions, sql` `)}`);
  return rows[0]?.count ?? 0;
}
