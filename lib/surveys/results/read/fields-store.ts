import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Row } from "#lib/surveys/results/count/responses-store.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";

const FIELDS_MAX = 100;
const NOT_FIELDS = ["token", "distinct_id", "api_key"];

/** Names of the hidden fields of a survey's responses: what their events carry besides what SDKs define. */
export async function selectFieldNames(db: Db, { project_id, survey_id }: SurveyScope): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select distinct k.name from survey_responses r
    join events e on e.project_id = r.project_id and e.uuid = r.uuid and e.timestamp = r.timestamp
    cross join lateral jsonb_object_keys(e.properties) k(name)
    where r.project_id = ${project_id} and r.survey_id = ${survey_id} and r.latest
      and left(k.name, 1) <> '$' and k.name <> all(${sql.param(NOT_FIELDS)}::text[])
    order by 1 limit ${FIELDS_MAX}`);
  return rows.map(({ name }) => name);
}

/** The values offered of a field, and the responses that are looked through for them: the latest. */
const VALUES_MAX = 20;
const LOOKED_THROUGH = 5_000;
const LONGEST_VALUE = 200;

/** The hidden fields of the latest responses to a survey, each with its most frequent values. */
export async function selectFieldValues(
  db: Db,
  { project_id, survey_id }: SurveyScope,
): Promise<{ name: string; values: string[] }[]> {
  const { rows } = await db.execute<{ name: string; values: string[] }>(sql`
    select name, coalesce(array_agg(value order by n desc, value) filter (where place <= ${VALUES_MAX}
      and value <> '' and char_length(value) <= ${LONGEST_VALUE}), '{}') as values
    from (
      select k.name, k.value, count(*) as n, row_number() over (partition by k.name order by count(*) desc, k.value) as place
      from (
        select r.project_id, r.uuid, r.timestamp from survey_responses r
        where r.project_id = ${project_id} and r.survey_id = ${survey_id} and r.latest and not r.archived
        order by r.timestamp desc limit ${LOOKED_THROUGH}
      ) r join events e on e.project_id = r.project_id and e.uuid = r.uuid and e.timestamp = r.timestamp
      cross join lateral jsonb_each_text(e.properties) k(name, value)
      where left(k.name, 1) <> '$' and k.name <> all(${sql.param(NOT_FIELDS)}::text[]) and k.value is not null
      group by 1, 2
    ) counted group by name order by name limit ${FIELDS_MAX}`);
  return rows;
}

export type Fields = Record<string, unknown>;

/** The hidden fields of some responses, by the uuid of each. */
export async function selectFields(
  db: Db,
  { project_id }: SurveyScope,
  names: readonly string[],
  responses: readonly Row[],
): Promise<Map<string, Fields>> {
  if (names.length === 0 || responses.length === 0) return new Map();
  const uuids = responses.map(({ uuid }) => uuid);
  const { rows } = await db.execute<{ uuid: string; fields: Fields }>(sql`
    select r.uuid, jsonb_object_agg(k.name, e.properties -> k.name) as fields from survey_responses r
    join events e on e.project_id = r.project_id and e.uuid = r.uuid and e.timestamp = r.timestamp
    cross join lateral unnest(${sql.param([...names])}::text[]) k(name)
    where r.project_id = ${project_id} and r.uuid = any(${sql.param(uuids)}::uuid[]) and r.latest
      and e.properties ? k.name
    group by r.uuid`);
  return new Map(rows.map(({ uuid, fields }) => [uuid, fields]));
}
