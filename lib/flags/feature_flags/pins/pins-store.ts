import { and, eq, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { persons } from "#lib/platform/db/tables/events.ts";
import { feature_flags } from "#lib/platform/db/tables/feature_flags.ts";

/** Keeps a person from being erased until the transaction ends. @returns their UUID; null where they are gone */
export async function holdPerson(tx: Db, projectId: number, id: number): Promise<string | null> {
  const [row] = await tx
    .select({ uuid: persons.uuid })
    .from(persons)
    .where(and(eq(persons.project_id, projectId), eq(persons.id, id)))
    .for("key share");
  return row?.uuid ?? null;
}

/** Flags with a pin that has expired, deleted flags included. */
export const selectExpired = (db: Db, now: Date) =>
  db
    .select({ id: feature_flags.id, project_id: feature_flags.project_id })
    .from(feature_flags)
    .where(sql`${feature_flags.pins} <> '[]'::jsonb and exists (
      select from jsonb_array_elements(${feature_flags.pins}) pin
      where (pin->>'until')::timestamptz <= ${now.toISOString()}::timestamptz)`);

const names = (distinctIds: readonly string[]) =>
  sql`jsonb_exists_any(pin->'distinct_ids', ${sql.param([...distinctIds])}::text[])`;

/** The pins of a project that concern somebody. */
export async function selectPinsOf(db: Db, projectId: number, distinctIds: readonly string[]) {
  const { rows } = await db.execute<{
    flag_key: string;
    value: boolean | string;
    until: string | null;
    reason: string;
    distinct_ids: string[];
    created_at: string;
  }>(sql`
    select key as flag_key, pin->'value' as value, pin->>'until' as until, pin->>'reason' as reason,
      pin->'distinct_ids' as distinct_ids, pin->>'created_at' as created_at
    from feature_flags cross join lateral jsonb_array_elements(pins) pin
    where project_id = ${projectId} and pins <> '[]'::jsonb and ${names(distinctIds)} order by id`);
  return rows;
}

/** Removes the pins of a project that concern somebody. @returns the flags, and how many pins each had */
export async function deletePinsOf(tx: Db, projectId: number, distinctIds: readonly string[]) {
  const { rows } = await tx.execute<{ id: number; removed: number }>(sql`
    with found as (
      select id, jsonb_array_length(pins) as had from feature_flags
      where project_id = ${projectId} and pins <> '[]'::jsonb
        and exists (select from jsonb_array_elements(pins) pin where ${names(distinctIds)})
      order by id for update
    )
    update feature_flags f set pins = (
      select coalesce(jsonb_agg(pin), '[]') from jsonb_array_elements(f.pins) pin where not ${names(distinctIds)}
    ) from found where f.id = found.id
    returning f.id, found.had - jsonb_array_length(f.pins) as removed`);
  return rows;
}
