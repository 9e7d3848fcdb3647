import { sql } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import type { IngestEvent } from "./event.ts";
import type { FlagCalls, NameCount } from "./rollups.ts";
import { textArray } from "./text_array.ts";

/** An event and the project it belongs to. */
export type ProjectEvent = { project_id: number; event: IngestEvent };

const isoList = (moments: number[]) => sql.param(moments.map((at) => new Date(at).toISOString()));
const projectsOf = (list: { project_id: number }[]) =>
  sql`${sql.param(list.map((row) => row.project_id))}::int[]`;

/**
 * Takes the uuids of events that are not stored yet.
 *
 * @param events sorted by project and uuid, each once
 * @returns those whose uuid is new
 */
export async function takeUuids(
  db: Db,
  events: ProjectEvent[],
): Promise<{ project_id: number; uuid: string }[]> {
  const { rows } = await db.execute<{ project_id: number; uuid: string }>(sql`
    insert into event_uuids (project_id, uuid)
    select * from unnest(${projectsOf(events)}, ${sql.param(events.map((e) => e.event.uuid))}::uuid[])
    on conflict do nothing returning project_id, uuid`);
  return rows;
}

export async function insertEvents(db: Db, events: ProjectEvent[], now: Date): Promise<void> {
  if (events.length === 0) return;
  await db.execute(sql`
    insert into events (project_id, uuid, event, distinct_id, timestamp, properties, created_at)
    select project_id, uuid, event, distinct_id, timestamp, properties::jsonb, ${now.toISOString()}::timestamptz
    from unnest(
      ${projectsOf(events)}, ${sql.param(events.map((e) => e.event.uuid))}::uuid[],
      ${sql.param(textArray(events.map((e) => e.event.event)))}::text[], ${sql.param(textArray(events.map((e) => e.event.distinct_id)))}::text[],
      ${isoList(events.map((e) => e.event.at))}::timestamptz[], ${sql.param(textArray(events.map((e) => e.event.json)))}::text[]
    ) as v(project_id, uuid, event, distinct_id, timestamp, properties)`);
}

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

/** Adds to the counts of event names; sorted by the caller. */
export async function addNames(db: Db, names: NameCount[]): Promise<void> {
  if (names.length === 0) return;
  await db.execute(sql`
    insert into event_definitions as d (project_id, name, count, last_seen_at)
    select * from unnest(
      ${projectsOf(names)}, ${sql.param(names.map((n) => n.name))}::text[],
      ${sql.param(names.map((n) => n.count))}::bigint[], ${isoList(names.map((n) => n.at))}::timestamptz[])
    on conflict (project_id, name) do update set
      count = d.count + excluded.count, last_seen_at = greatest(d.last_seen_at, excluded.last_seen_at)`);
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

/** Notes that projects have events. @returns whether that was news */
export async function noteFirstEvents(db: Db, projectIds: number[]): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    update projects set ingested_event = true
    where id = any(${sql.param(projectIds)}::int[]) and not ingested_event`);
  return (rowCount ?? 0) > 0;
}
