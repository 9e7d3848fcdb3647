import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { DAY_COLUMNS, type PersonDay, type SurveyScope } from "./ingest-store.ts";

/** The survey id under which people across surveys are counted; no survey has it. */
export const ACROSS_SURVEYS = "";

/** Greater than every person id. */
export const EVERYBODY = Number.MAX_SAFE_INTEGER;

/** A survey counted across surveys; see the table. */
export type Member = SurveyScope & { upto: number; leaving: boolean };

/** Whether a row `d` of people's days counts for the member `m`. */
export const countsAcrossSurveys: SQL = sql`case when m.leaving then d.person_id > m.upto else d.person_id <= m.upto end`;

const json = (rows: readonly object[]) => sql`${JSON.stringify(rows)}::jsonb`;

/** Locks the people of projects for writing, across all processes, until the transaction ends. */
export async function lockPeople(tx: Db, projectIds: readonly number[]): Promise<void> {
  const names = [...new Set(projectIds)].sort((a, b) => a - b).map((id) => `survey people ${id}`);
  for (const name of names) await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

export async function selectMembers(db: Db, projectIds: readonly number[]): Promise<Member[]> {
  const { rows } = await db.execute<Member>(sql`
    select project_id, survey_id, upto::float8 as upto, leaving from survey_people_members
    where project_id = any(${sql.param([...projectIds])}::int[]) order by survey_id`);
  return rows;
}

/** Adds surveys that were never counted before and are not archived. @returns them */
export async function insertNewMembers(tx: Db, scopes: readonly SurveyScope[]): Promise<Member[]> {
  if (scopes.length === 0) return [];
  const { rows } = await tx.execute<Member>(sql`
    insert into survey_people_members (project_id, survey_id, upto, leaving)
    select w.project_id, w.survey_id, ${EVERYBODY}, false
    from jsonb_to_recordset(${json(scopes)}) as w(project_id int, survey_id text)
    join surveys s on s.project_id = w.project_id and s.id::text = w.survey_id and not s.archived
    where not exists (select from survey_person_days d
      where d.project_id = w.project_id and d.survey_id = w.survey_id)
    returning project_id, survey_id, upto::float8 as upto, leaving`);
  return rows;
}

/** The person days in the surveys that are counted across surveys. */
export async function selectDaysAcrossSurveys(
  tx: Db,
  people: readonly { project_id: number; person_id: number }[],
): Promise<PersonDay[]> {
  if (people.length === 0) return [];
  const { rows } = await tx.execute<Omit<PersonDay, "person_id"> & { person_id: string }>(sql`
    select ${DAY_COLUMNS} from jsonb_to_recordset(${json(people)}) as w(project_id int, person_id bigint)
    join survey_people_members m using (project_id)
    join survey_person_days d using (project_id, survey_id, person_id) where ${countsAcrossSurveys}`);
  return rows.map((row) => ({ ...row, person_id: Number(row.person_id) }));
}

/** Surveys of a project that are not archived and have counts. */
export async function selectLiveCounted(db: Db, projectId: number): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select s.id::text as id from surveys s where s.project_id = ${projectId} and not s.archived
      and exists (select from survey_counts c where c.project_id = ${projectId} and c.survey_id = s.id::text)`);
  return rows.map((row) => row.id);
}

export async function upsertMember(tx: Db, { project_id, survey_id, upto, leaving }: Member): Promise<void> {
  await tx.execute(sql`
    insert into survey_people_members (project_id, survey_id, upto, leaving)
    values (${project_id}, ${survey_id}, ${upto}, ${leaving})
    on conflict (project_id, survey_id) do update set upto = excluded.upto, leaving = excluded.leaving`);
}

export async function deleteMember(tx: Db, { project_id, survey_id }: SurveyScope): Promise<void> {
  await tx.execute(
    sql`delete from survey_people_members where project_id = ${project_id} and survey_id = ${survey_id}`,
  );
}

/** The next persons with person days in a survey. */
export async function selectPersonsAfter(
  tx: Db,
  { project_id, survey_id, upto }: Member,
  limit: number,
): Promise<number[]> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select distinct d.person_id as id from survey_person_days d
    where d.project_id = ${project_id} and d.survey_id = ${survey_id} and d.person_id > ${upto}
    order by 1 limit ${limit}`);
  return rows.map(({ id }) => Number(id));
}
