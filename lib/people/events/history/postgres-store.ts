import { type SQL, sql } from "drizzle-orm";
import { HASH } from "#lib/people/event_deletions/retained-store.ts";
import { selectEvents } from "#lib/people/events/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type { DayFigures, HistoryStore, Period } from "./store.ts";

/** The figures of days; of what matches the condition on `e` alone. */
export async function selectDayFigures(
  db: Db,
  { project_id, from, to }: Period,
  condition: SQL = sql`true`,
): Promise<DayFigures[]> {
  const { rows } = await db.execute<DayFigures>(sql`
    select (e.timestamp at time zone 'UTC')::date::text as day, e.event, count(*)::float8 as count,
      count(distinct d.person_id)::float8 as people, sum(${HASH})::text as hash
    from events e
    left join person_distinct_ids d on d.project_id = e.project_id and d.distinct_id = e.distinct_id
    where e.project_id = ${project_id} and e.timestamp >= ${new Date(from).toISOString()}::timestamptz
      and e.timestamp < ${new Date(to).toISOString()}::timestamptz and ${condition}
    group by 1, 2 order by 1, e.event collate "C"`);
  return rows;
}

/** The history as PostgreSQL has it. */
export const postgresHistory = (db: Db): HistoryStore => ({
  page: (filter, limit) => selectEvents(db, filter, limit),
  days: (period) => selectDayFigures(db, period),
});
