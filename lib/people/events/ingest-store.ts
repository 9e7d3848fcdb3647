import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { IngestEvent } from "./event.ts";
import type { NameCount } from "./rollups.ts";
import { textArray } from "./text-array.ts";

/** An event and the project it belongs to. */
export type ProjectEvent = { project_id: number; event: IngestEvent };

export const isoList = (moments: number[]) => sql.param(moments.map((at) => new Date(at).toISOString()));
export const projectsOf = (list: { project_id: number }[]) =>
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
