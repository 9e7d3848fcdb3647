import { and, eq, gte, lte, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { events } from "#lib/platform/db/tables/events.ts";
import { feature_flag_calls_daily } from "#lib/platform/db/tables/feature_flags.ts";

/** How often something happened on a UTC day (YYYY-MM-DD). */
export type DayCount = { day: string; label: string; count: number };

/** Calls of a flag by day and response, from the daily rollup. */
export async function selectCalls(
  db: Db,
  projectId: number,
  key: string,
  from: string,
  to: string,
): Promise<DayCount[]> {
  const table = feature_flag_calls_daily;
  return db
    .select({ day: table.day, label: table.response, count: table.calls })
    .from(table)
    .where(
      and(
        eq(table.project_id, projectId),
        eq(table.feature_flag_key, key),
        gte(table.day, from),
        lte(table.day, to),
      ),
    );
}

/** Events of some names about a flag, by day, from the index on exactly those. */
export function selectFlagEvents(
  db: Db,
  projectId: number,
  names: readonly string[],
  key: string,
  from: string,
  to: string,
) {
  const day = sql<string>`to_char(${events.timestamp} at time zone 'UTC', 'YYYY-MM-DD')`;
  return db
    .select({ day, label: sql<string>`'total'`, count: sql<number>`count(*)::int` })
    .from(events)
    .where(
      and(
        eq(events.project_id, projectId),
        sql`${events.event} = any(${sql.param([...names])}::text[])`,
        sql`${events.event} in ('$feature_view', 'Feature Viewed', '$feature_interaction')`,
        sql`left(${events.properties} ->> 'feature_flag', 400) = ${key}`,
        sql`${events.timestamp} >= (${from}::date)::timestamp at time zone 'UTC'`,
        sql`${events.timestamp} < (${to}::date + 1)::timestamp at time zone 'UTC'`,
      ),
    )
    .groupBy(sql`1`);
}
