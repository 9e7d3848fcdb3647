import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { responseOf } from "./calls-store.ts";

/** Calls of one flag in a time, `to` exclusive. */
export type CallSpan = { project_id: number; key: string; from: Date; to: Date };

/** Some of them; absent: all. */
export type CallChoice = {
  response?: string | undefined;
  lib?: string | undefined;
  lib_version?: string | undefined;
};

/** What a client sends as its SDK has no size limit; what an SDK is called is short. */
const SDK_LIMIT = 100;

const textOf = (column: string) =>
  sql.raw(
    `left(case jsonb_typeof(${column}) when 'null' then '' else coalesce(${column} #>> '{}', '') end, ${SDK_LIMIT})`,
  );

/**
 * The calls by value, SDK and distinct id, found through the index on calls of a flag. What was sent is read as text
 * once for each group, not for each call.
 */
const calledBy = ({ project_id, key, from, to }: CallSpan): SQL => sql`
  select ${responseOf(sql`value`)} as response, ${textOf("lib")} as lib, ${textOf("lib_version")} as lib_version,
    distinct_id, calls, last
  from (
    select properties -> '$feature_flag_response' as value, properties -> '$lib' as lib,
      properties -> '$lib_version' as lib_version, distinct_id, count(*) as calls, max(timestamp) as last
    from events
    where project_id = ${project_id} and event = '$feature_flag_called'
      and left(properties ->> '$feature_flag', 400) = ${key}
      and timestamp >= ${from.toISOString()}::timestamptz and timestamp < ${to.toISOString()}::timestamptz
    group by 1, 2, 3, 4
  ) sent`;

/** Whoever called: a person under all of their ids, or an id that belongs to nobody who is stored. */
const WHO = sql`coalesce(p.person_id::text, 'id ' || c.distinct_id)`;

const joinPeople = (projectId: number) => sql`
  left join person_distinct_ids p on p.project_id = ${projectId} and p.distinct_id = c.distinct_id`;

type Counted = {
  kind: "all" | "response" | "sdk";
  response: string;
  lib: string;
  lib_version: string;
  calls: number;
  people: number;
  last: number;
};

/** Calls, people and the latest call: of all, of each value, of each version of an SDK. */
export async function countCallers(db: Db, span: CallSpan): Promise<Counted[]> {
  const { rows } = await db.execute<Counted>(sql`
    with c as (${calledBy(span)}),
    who as (select response, lib, lib_version, ${WHO} as who, calls, last from c ${joinPeople(span.project_id)})
    select case when grouping(response) = 0 then 'response' when grouping(lib) = 0 then 'sdk' else 'all' end as kind,
      response, lib, lib_version, sum(calls)::float8 as calls, count(distinct who)::float8 as people,
      (extract(epoch from max(last)) * 1000)::float8 as last
    from who group by grouping sets ((), (response), (lib, lib_version))`);
  return rows;
}

export type Caller = { person_id: number | null; distinct_id: string; calls: number; last: number };

/** Whoever made some of the calls, most calls first, and how many they are. */
export async function selectCallers(
  db: Db,
  span: CallSpan,
  { response, lib, lib_version }: CallChoice,
  page: { limit: number; offset: number },
): Promise<{ count: number; callers: Caller[] }> {
  const chosen = sql.join(
    Object.entries({ response, lib, lib_version }).flatMap(([name, value]) =>
      value === undefined ? [] : sql`and ${sql.identifier(name)} = ${value}`,
    ),
    sql` `,
  );
  const { rows } = await db.execute<Caller & { count: number }>(sql`
    with c as (${calledBy(span)}),
    who as (
      select ${WHO} as who, max(p.person_id)::float8 as person_id, min(c.distinct_id) as distinct_id,
        sum(c.calls)::float8 as calls, (extract(epoch from max(c.last)) * 1000)::float8 as last
      from c ${joinPeople(span.project_id)} where true ${chosen} group by 1
    ),
    page as (select * from who order by calls desc, who limit ${page.limit} offset ${page.offset})
    select n.count, person_id, distinct_id, calls, last
    from (select count(*)::float8 as count from who) n left join page on true
    order by calls desc nulls last, who`);
  return {
    count: rows[0]?.count ?? 0,
    callers: rows.filter((row) => row.distinct_id !== null),
  };
}
