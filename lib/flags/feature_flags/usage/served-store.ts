import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";

/** The newest call of a flag; `at` in milliseconds. */
export type ServedRow = {
  key: string;
  value: unknown;
  at: number;
  distinct_id: string;
  lib: unknown;
  lib_version: unknown;
  flag_version: unknown;
};

/**
 * The newest call of each flag among the newest `limit` events under some distinct ids. `since` is where these events
 * begin, in milliseconds; null: there are no more of them. What it costs follows the limit, not the history.
 */
export async function selectServed(
  db: Db,
  { project_id, distinct_ids }: { project_id: number; distinct_ids: string[] },
  limit: number,
): Promise<{ rows: ServedRow[]; since: number | null }> {
  const { rows } = await db.execute<ServedRow & { count: number; since: number | null }>(sql`
    with latest as materialized (
      select l.* from unnest(${sql.param(distinct_ids)}::text[]) as k(id) cross join lateral (
        select e.event, e.distinct_id, e.timestamp, e.uuid,
          case when e.event = '$feature_flag_called' then e.properties end as properties
        from events e where e.project_id = ${project_id} and e.distinct_id = k.id
        order by e.timestamp desc limit ${limit}
      ) l order by l.timestamp desc limit ${limit}
    ),
    served as (
      select distinct on (key) * from (
        select properties ->> '$feature_flag' as key, properties -> '$feature_flag_response' as value, distinct_id,
          (extract(epoch from timestamp) * 1000)::float8 as at, uuid, properties -> '$lib' as lib,
          properties -> '$lib_version' as lib_version, properties -> '$feature_flag_version' as flag_version
        from latest where event = '$feature_flag_called'
      ) c where key is not null order by key, at desc, uuid desc
    )
    select n.count, n.since, s.* from (
      select count(*)::int as count, (extract(epoch from min(timestamp)) * 1000)::float8 as since from latest
    ) n left join served s on true`);
  const [first] = rows;
  return {
    rows: rows.filter((row) => row.key !== null),
    since: first && first.count >= limit ? first.since : null,
  };
}
