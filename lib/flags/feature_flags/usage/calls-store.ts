import { type SQL, sql } from "drizzle-orm";
import { isoList, projectsOf } from "#lib/people/events/ingest-store.ts";
import { countRows } from "#lib/people/events/rebuild-store.ts";
import { horizonSql } from "#lib/people/retention/horizons-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";

/** Calls of one flag with one response on one UTC day; `at` is the latest of them, in milliseconds. */
export type FlagCalls = {
  project_id: number;
  feature_flag_key: string;
  day: string;
  response: string;
  calls: number;
  at: number;
};

export const FLAG_KEY_LIMIT = 400;
export const RESPONSE_LIMIT = 200;

/** Adds to the daily figures of flags; sorted by the caller. */
export async function addFlagCalls(db: Db, calls: FlagCalls[]): Promise<void> {
  if (calls.length === 0) return;
  await db.execute(sql`
    insert into feature_flag_calls_daily as c
      (project_id, feature_flag_key, day, response, calls, last_called_at)
    select * from unnest(
      ${projectsOf(calls)}, ${sql.param(calls.map((c) => c.feature_flag_key))}::text[],
      ${sql.param(calls.map((c) => c.day))}::date[], ${sql.param(calls.map((c) => c.response))}::text[],
      ${sql.param(calls.map((c) => c.calls))}::bigint[], ${isoList(calls.map((c) => c.at))}::timestamptz[])
    on conflict (project_id, feature_flag_key, day, response) do update set
      calls = c.calls + excluded.calls, last_called_at = greatest(c.last_called_at, excluded.last_called_at)`);
}

/**
 * Notes when flags were last called, where that is a minute or more later than what is noted. Flags that somebody
 * is changing now are passed over.
 *
 * @returns the flags noted; `matters` where the note was empty or more than an hour old
 */
export async function noteLastCalls(db: Db, calls: FlagCalls[]) {
  const { rows } = await db.execute<{ id: number; project_id: number; matters: boolean }>(sql`
    with due as (
      select f.id, v.at, f.last_called_at as before
      from unnest(
        ${projectsOf(calls)}, ${sql.param(calls.map((c) => c.feature_flag_key))}::text[],
        ${isoList(calls.map((c) => c.at))}::timestamptz[]
      ) as v(project_id, key, at)
      join feature_flags f on f.project_id = v.project_id and f.key = v.key
      where f.last_called_at is null or f.last_called_at <= v.at - interval '1 minute'
      order by f.id for no key update of f skip locked
    )
    update feature_flags f set last_called_at = due.at from due where f.id = due.id
    returning f.id, f.project_id, (due.before is null or due.before < due.at - interval '1 hour') as matters`);
  return rows;
}

/** The response of a call, as it is counted, from the JSON that was sent. */
export const responseOf = (value: SQL): SQL => sql`
  case jsonb_typeof(${value})
    when 'string' then left(${value} #>> '{}', ${sql.raw(String(RESPONSE_LIMIT))})
    when 'boolean' then ${value} #>> '{}'
    when 'number' then
      case when (${value})::numeric % 1 = 0 and abs((${value})::numeric) <= 9007199254740991
        then trunc((${value})::numeric)::text else '' end
    else '' end`;

export const SENT_RESPONSE = responseOf(sql`properties -> '$feature_flag_response'`);

/** The daily figures of flags, counted from the events. */
const countedCalls = sql`
  select project_id, properties ->> '$feature_flag' as feature_flag_key,
    (timestamp at time zone 'UTC')::date as day,
    ${SENT_RESPONSE} as response,
    count(*) as calls, max(timestamp) as last_called_at
  from events
  where event = '$feature_flag_called' and jsonb_typeof(properties -> '$feature_flag') = 'string'
    and properties ->> '$feature_flag' <> ''
    and char_length(properties ->> '$feature_flag') <= ${sql.raw(String(FLAG_KEY_LIMIT))}
  group by 1, 2, 3, 4`;

/**
 * Subtracts calls whose events are deleted; sorted by the caller. That locks the figures, so the latest calls that are
 * left are looked for afterwards.
 */
export async function subtractFlagCalls(tx: Db, projectId: number, calls: FlagCalls[]): Promise<void> {
  await addFlagCalls(
    tx,
    calls.map((call) => ({ ...call, calls: -call.calls })),
  );
  const touched = sql`unnest(
    ${sql.param(calls.map((c) => c.feature_flag_key))}::text[], ${sql.param(calls.map((c) => c.day))}::date[],
    ${sql.param(calls.map((c) => c.response))}::text[]) as v(feature_flag_key, day, response)`;
  await tx.execute(sql`
    delete from feature_flag_calls_daily c using ${touched} where c.project_id = ${projectId} and c.calls <= 0
      and c.feature_flag_key = v.feature_flag_key and c.day = v.day and c.response = v.response`);
  await tx.execute(sql`
    update feature_flag_calls_daily c set last_called_at = e.timestamp
    from ${touched} cross join lateral (
      select timestamp from events where project_id = ${projectId} and event = '$feature_flag_called'
        and left(properties ->> '$feature_flag', 400) = v.feature_flag_key
        and timestamp >= v.day::timestamp at time zone 'UTC' and timestamp < (v.day + 1)::timestamp at time zone 'UTC'
        and ${SENT_RESPONSE} = v.response
      order by timestamp desc limit 1) e
    where c.project_id = ${projectId} and c.feature_flag_key = v.feature_flag_key and c.day = v.day
      and c.response = v.response`);
}

/** Notes earlier last calls of flags whose last one is deleted. @returns their ids */
export async function noteEarlierCalls(
  tx: Db,
  projectId: number,
  keys: readonly string[],
): Promise<number[]> {
  const { rows } = await tx.execute<{ id: number }>(sql`
    update feature_flags f set last_called_at = l.at
    from unnest(${sql.param([...keys])}::text[]) as k(key) cross join lateral (
      select max(c.last_called_at) as at from feature_flag_calls_daily c
      where c.project_id = ${projectId} and c.feature_flag_key = k.key) l
    where f.project_id = ${projectId} and f.key = k.key and f.last_called_at > coalesce(l.at, '-infinity')
    returning f.id`);
  return rows.map(({ id }) => id);
}

/** Whether the calls of a day are still stored: days are deleted as a whole, and their figures stay. */
const isStored = (projectId: SQL, day: SQL): SQL =>
  sql`${day} >= coalesce((${horizonSql(projectId, sql`'$feature_flag_called'`)} at time zone 'UTC')::date, '-infinity'::date)`;

/** How many daily figures of flags differ from the events, as far as these are stored. */
export const countCallDifferences = (db: Db) =>
  countRows(
    db,
    sql`select 1 from (${countedCalls}) c
      full join feature_flag_calls_daily s using (project_id, feature_flag_key, day, response)
      where (c.calls is distinct from s.calls or c.last_called_at is distinct from s.last_called_at)
        and ${isStored(sql`project_id`, sql`day`)}`,
  );

export async function rewriteCalls(tx: Db): Promise<void> {
  await tx.execute(
    sql`delete from feature_flag_calls_daily s where ${isStored(sql`s.project_id`, sql`s.day`)}`,
  );
  await tx.execute(sql`
    insert into feature_flag_calls_daily (project_id, feature_flag_key, day, response, calls, last_called_at)
    select * from (${countedCalls}) c where exists (select from projects p where p.id = c.project_id)
      and ${isStored(sql`c.project_id`, sql`c.day`)}`);
}
