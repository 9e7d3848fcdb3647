import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { type ChoiceHistory, withRecords } from "#lib/surveys/surveys/questions/choices.ts";
import type { CodedQuestion } from "./answer-codes.ts";
import { PERSON_FIGURES, type PersonFigures, type ResponseState, type Tally } from "./response-history.ts";

/** A survey of a project, by the id in events (whether it exists or not). */
export type SurveyScope = { project_id: number; survey_id: string };
/** A distinct id of a project. */
export type Respondent = { project_id: number; distinct_id: string };
export type PersonDay = SurveyScope & { person_id: number; day: string; iteration: number } & PersonFigures;

const PAIR = "\u0000";

const json = (rows: readonly object[]) => sql`${JSON.stringify(rows)}::jsonb`;

/**
 * The persons of distinct ids, locked: until the transaction ends none of them can be merged, so that what is
 * stored of them moves to the merged person.
 */
export async function lockPersonIds(
  tx: Db,
  respondents: readonly Respondent[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  let waiting = [...respondents];
  while (waiting.length > 0) {
    const { rows } = await tx.execute<Respondent & { person_id: string }>(sql`
      select w.project_id, w.distinct_id, p.id as person_id
      from jsonb_to_recordset(${json(waiting)}) as w(project_id int, distinct_id text)
      join person_distinct_ids d using (project_id, distinct_id) join persons p on p.id = d.person_id
      order by p.id for key share of p`);
    for (const row of rows) found.set(`${row.project_id}${PAIR}${row.distinct_id}`, Number(row.person_id));
    if (rows.length === 0) throw new Error("A distinct id has no person.");
    waiting = waiting.filter((one) => !found.has(`${one.project_id}${PAIR}${one.distinct_id}`));
  }
  return found;
}

/** Locks surveys for writing, across all processes, until the transaction ends. */
export async function lockSurveys(tx: Db, scopes: readonly SurveyScope[]): Promise<void> {
  const names = [...new Set(scopes.map((s) => `survey ${s.project_id} ${s.survey_id}`))];
  if (names.length === 0) return;
  await tx.execute(sql`
    select pg_advisory_xact_lock(k) from (
      select distinct hashtextextended(name, 0) as k from unnest(${sql.param(names)}::text[]) as name order by 1
    ) keys`);
}

/** Prevents a rebuild of the rollups until the transaction ends. */
export async function holdRebuilds(tx: Db): Promise<void> {
  await tx.execute(sql`lock table event_uuids in row exclusive mode`);
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The questions of existing surveys with the records of their choices, by survey. */
export async function selectQuestions(
  db: Db,
  scopes: readonly SurveyScope[],
): Promise<Map<string, CodedQuestion[]>> {
  const known = scopes.filter((scope) => UUID.test(scope.survey_id));
  if (known.length === 0) return new Map();
  const { rows } = await db.execute<{
    project_id: number;
    id: string;
    questions: CodedQuestion[] | null;
    choice_history: ChoiceHistory | null;
  }>(sql`
    select s.project_id, s.id::text as id, s.questions, s.choice_history
    from jsonb_to_recordset(${json(known)}) as w(project_id int, survey_id text)
    join surveys s on s.id = w.survey_id::uuid and s.project_id = w.project_id and s.id::text = w.survey_id`);
  return new Map(
    rows.map((row) => [
      `${row.project_id}${PAIR}${row.id}`,
      withRecords(row.questions ?? [], row.choice_history),
    ]),
  );
}

type StateRow = Omit<ResponseState, "at" | "next_at" | "started_at" | "person_id"> & {
  at: number;
  next: number | null;
  started: number;
  person_id: string;
};

const STATE_COLUMNS = sql`r.project_id, r.survey_id, r.key, r.uuid, r.latest, r.distinct_id, r.person_id, r.iteration,
  r.completed, r.archived, r.codes, r.path, r.answers,
  (extract(epoch from r.timestamp) * 1000)::float8 as at, (extract(epoch from r.next_at) * 1000)::float8 as next,
  (extract(epoch from r.started_at) * 1000)::float8 as started`;

const toState = ({ next, started, person_id, ...row }: StateRow): ResponseState => ({
  ...row,
  person_id: Number(person_id),
  next_at: next,
  started_at: started,
});

/** All states of the responses with these keys. */
export async function selectHistories(
  tx: Db,
  keys: readonly (SurveyScope & { key: string })[],
): Promise<ResponseState[]> {
  if (keys.length === 0) return [];
  const { rows } = await tx.execute<StateRow>(sql`
    select ${STATE_COLUMNS} from jsonb_to_recordset(${json(keys)}) as w(project_id int, survey_id text, key uuid)
    join survey_responses r using (project_id, survey_id, key)`);
  return rows.map(toState);
}

/** All states of the responses that have a state of one of these persons. */
export async function selectHistoriesOf(tx: Db, personIds: readonly number[]): Promise<ResponseState[]> {
  const { rows } = await tx.execute<StateRow>(sql`
    select ${STATE_COLUMNS} from survey_responses r where (r.project_id, r.survey_id, r.key) in (
      select project_id, survey_id, key from survey_responses
      where person_id = any(${sql.param([...personIds])}::bigint[]))`);
  return rows.map(toState);
}

/** Whether a survey has any response, archived ones included. */
export async function selectHasResponses(db: Db, { project_id, survey_id }: SurveyScope): Promise<boolean> {
  const { rows } = await db.execute<{ found: boolean }>(sql`
    select exists (select from survey_responses r where r.project_id = ${project_id}
      and r.survey_id = ${survey_id}) as found`);
  return rows[0]?.found ?? false;
}

/** States of a survey, ordered by response, after a key. */
export async function selectHistoryPage(
  tx: Db,
  scope: SurveyScope,
  after: string | null,
  limit: number,
): Promise<ResponseState[]> {
  const { rows } = await tx.execute<StateRow>(sql`
    select ${STATE_COLUMNS} from survey_responses r where r.project_id = ${scope.project_id}
      and r.survey_id = ${scope.survey_id} and r.key in (
        select distinct key from survey_responses where project_id = ${scope.project_id}
          and survey_id = ${scope.survey_id} and (${after}::uuid is null or key > ${after}::uuid)
        order by key limit ${limit})
    order by r.key`);
  return rows.map(toState);
}

/** The surveys with events or responses of some persons. */
export async function selectScopesOf(tx: Db, personIds: readonly number[]): Promise<SurveyScope[]> {
  const people = sql`any(${sql.param([...personIds])}::bigint[])`;
  const { rows } = await tx.execute<SurveyScope>(sql`
    select distinct project_id, survey_id from survey_person_days where person_id = ${people}
    union select distinct project_id, survey_id from survey_responses where person_id = ${people}`);
  return rows;
}

/** Those of these events whose responses are archived. */
export async function selectArchived(
  tx: Db,
  events: readonly { project_id: number; uuid: string }[],
): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  const { rows } = await tx.execute<{ uuid: string }>(sql`
    select a.uuid from jsonb_to_recordset(${json(events)}) as w(project_id int, uuid uuid)
    join survey_archived_responses a using (project_id, uuid)`);
  return new Set(rows.map((row) => row.uuid));
}

export async function deleteStates(tx: Db, states: readonly ResponseState[]): Promise<void> {
  if (states.length === 0) return;
  const keys = states.map(({ project_id, uuid, latest }) => ({ project_id, uuid, latest }));
  await tx.execute(sql`
    delete from survey_responses r
    using jsonb_to_recordset(${json(keys)}) as w(project_id int, uuid uuid, latest boolean)
    where r.project_id = w.project_id and r.uuid = w.uuid and r.latest = w.latest`);
}

const iso = (at: number) => new Date(at).toISOString();

export async function insertStates(tx: Db, states: readonly ResponseState[]): Promise<void> {
  if (states.length === 0) return;
  const rows = states.map(({ at, ...state }) => ({
    ...state,
    timestamp: iso(at),
    next_at: state.next_at === null ? null : iso(state.next_at),
    started_at: iso(state.started_at),
  }));
  await tx.execute(sql`
    insert into survey_responses (project_id, survey_id, key, uuid, latest, timestamp, next_at, started_at,
      person_id, distinct_id, iteration, completed, archived, codes, path, answers)
    select * from jsonb_to_recordset(${json(rows)}) as w(project_id int, survey_id text, key uuid, uuid uuid,
      latest boolean, timestamp timestamptz, next_at timestamptz, started_at timestamptz, person_id bigint,
      distinct_id text, iteration int, completed boolean, archived boolean, codes text[], path smallint[],
      answers jsonb)`);
}

/** Columns of a row `d` of people's days. */
export const DAY_COLUMNS = sql`d.project_id, d.survey_id, d.person_id, d.day::text as day, d.iteration, d.shown,
  d.dismissed, d.quit, d.abandoned, d.answering, d.answered, d.completed`;

/** Rows of person days, by day and iteration. */
export async function selectPersonDays(
  tx: Db,
  people: readonly (SurveyScope & { person_id: number })[],
): Promise<PersonDay[]> {
  if (people.length === 0) return [];
  const { rows } = await tx.execute<Omit<PersonDay, "person_id"> & { person_id: string }>(sql`
    select ${DAY_COLUMNS} from jsonb_to_recordset(${json(people)}) as w(project_id int, survey_id text, person_id bigint)
    join survey_person_days d using (project_id, survey_id, person_id)`);
  return rows.map((row) => ({ ...row, person_id: Number(row.person_id) }));
}

const FIGURES = sql.raw(PERSON_FIGURES.join(", "));
const FIGURE_TYPES = sql.raw(PERSON_FIGURES.map((name) => `${name} int`).join(", "));
const FIGURE_SETS = sql.raw(
  PERSON_FIGURES.map((name) => `${name} = d.${name} + excluded.${name}`).join(", "),
);
const FIGURE_ZEROS = sql.raw(PERSON_FIGURES.map((name) => `${name} = 0`).join(" and "));

/** Adds to person days, and deletes empty ones. */
export async function addPersonDays(tx: Db, days: readonly PersonDay[]): Promise<void> {
  if (days.length === 0) return;
  await tx.execute(sql`
    insert into survey_person_days as d (project_id, survey_id, person_id, day, iteration, ${FIGURES})
    select * from jsonb_to_recordset(${json(days)}) as w(project_id int, survey_id text, person_id bigint, day date,
      iteration int, ${FIGURE_TYPES})
    on conflict (project_id, survey_id, person_id, day, iteration) do update set ${FIGURE_SETS}`);
  const lessened = days.filter((day) => PERSON_FIGURES.some((name) => day[name] < 0));
  if (lessened.length === 0) return;
  await tx.execute(sql`
    delete from survey_person_days d
    using jsonb_to_recordset(${json(lessened)}) as w(project_id int, survey_id text, person_id bigint, day date,
      iteration int)
    where d.project_id = w.project_id and d.survey_id = w.survey_id and d.person_id = w.person_id
      and d.day = w.day and d.iteration = w.iteration and ${FIGURE_ZEROS}`);
}

export type CountChange = SurveyScope & { kind: string; item: string; day: string; until: string; n: number };

/** Changes of counts as rows of project, survey, kind, item, day and until. */
export const countChangesOf = (counts: Tally): CountChange[] =>
  counts.changes().map(([[project, survey_id = "", kind = "", item = "", day = "", until = ""], n]) => ({
    project_id: Number(project),
    survey_id,
    kind,
    item,
    day,
    until,
    n,
  }));

/** Adds to counts, and deletes those that reach 0. */
export async function addCounts(tx: Db, changes: readonly CountChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.execute(sql`
    insert into survey_counts as c (project_id, survey_id, kind, item, day, until, n)
    select * from jsonb_to_recordset(${json(changes)}) as w(project_id int, survey_id text, kind text, item text,
      day date, until date, n bigint)
    on conflict (project_id, survey_id, kind, item, day, until) do update set n = c.n + excluded.n`);
  const lessened = changes.filter((change) => change.n < 0);
  if (lessened.length === 0) return;
  await tx.execute(sql`
    delete from survey_counts c
    using jsonb_to_recordset(${json(lessened)}) as w(project_id int, survey_id text, kind text, item text,
      day date, until date)
    where c.project_id = w.project_id and c.survey_id = w.survey_id and c.kind = w.kind and c.item = w.item
      and c.day = w.day and c.until = w.until and c.n = 0`);
}

type DurationChange = SurveyScope & { width: number; tenths: number; day: string; until: string; n: number };

/** Changes of durations as rows. */
export const durationChangesOf = (durations: Tally): DurationChange[] =>
  durations.changes().map(([[project, survey_id = "", width, tenths, day = "", until = ""], n]) => ({
    project_id: Number(project),
    survey_id,
    width: Number(width),
    tenths: Number(tenths),
    day,
    until,
    n,
  }));

/** Adds to counts of durations, and deletes those that reach 0. */
export async function addDurations(tx: Db, changes: readonly DurationChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.execute(sql`
    insert into survey_durations as c (project_id, survey_id, width, tenths, day, until, n)
    select * from jsonb_to_recordset(${json(changes)}) as w(project_id int, survey_id text, width smallint,
      tenths bigint, day date, until date, n bigint)
    on conflict (project_id, survey_id, width, tenths, day, until) do update set n = c.n + excluded.n`);
  const lessened = changes.filter((change) => change.n < 0);
  if (lessened.length === 0) return;
  await tx.execute(sql`
    delete from survey_durations c
    using jsonb_to_recordset(${json(lessened)}) as w(project_id int, survey_id text, width smallint, tenths bigint,
      day date, until date)
    where c.project_id = w.project_id and c.survey_id = w.survey_id and c.width = w.width and c.tenths = w.tenths
      and c.day = w.day and c.until = w.until and c.n = 0`);
}

export type Moments = SurveyScope & { kind: string; day: string; first: number; last: number };

/** Widens the time spans of events of a kind by day. */
export async function widenMoments(tx: Db, moments: readonly Moments[]): Promise<void> {
  if (moments.length === 0) return;
  const rows = moments.map(({ first, last, ...of }) => ({ ...of, first_at: iso(first), last_at: iso(last) }));
  await tx.execute(sql`
    insert into survey_moments as m (project_id, survey_id, kind, day, first_at, last_at)
    select * from jsonb_to_recordset(${json(rows)}) as w(project_id int, survey_id text, kind text, day date,
      first_at timestamptz, last_at timestamptz)
    on conflict (project_id, survey_id, kind, day) do update set
      first_at = least(m.first_at, excluded.first_at), last_at = greatest(m.last_at, excluded.last_at)`);
}

/** Recounts the time spans of shown and dismissed events of some surveys and days from the events that are left. */
export async function recountMoments(
  tx: Db,
  days: readonly (SurveyScope & { day: string })[],
): Promise<void> {
  const keys = [...new Map(days.map((row) => [`${row.survey_id}${PAIR}${row.day}`, row])).values()].map(
    ({ project_id, survey_id, day }) => ({ project_id, survey_id, day }),
  );
  if (keys.length === 0) return;
  const wanted = sql`jsonb_to_recordset(${json(keys)}) as w(project_id int, survey_id text, day date)`;
  await tx.execute(sql`
    delete from survey_moments m using ${wanted}
    where m.project_id = w.project_id and m.survey_id = w.survey_id and m.day = w.day`);
  await tx.execute(sql`
    insert into survey_moments (project_id, survey_id, kind, day, first_at, last_at)
    select w.project_id, w.survey_id, k.kind, w.day, min(e.timestamp), max(e.timestamp)
    from ${wanted} cross join (values ('shown'), ('dismissed')) as k(kind)
    join events e on e.project_id = w.project_id and e.event = 'survey ' || k.kind
      and left(e.properties ->> '$survey_id', 36) = left(w.survey_id, 36)
      and e.properties ->> '$survey_id' = w.survey_id and jsonb_typeof(e.properties -> '$survey_id') = 'string'
      and e.timestamp >= w.day::timestamp at time zone 'UTC'
      and e.timestamp < (w.day + 1)::timestamp at time zone 'UTC'
      and (k.kind = 'shown' or coalesce(e.properties ->> '$survey_partially_completed', '') <> 'true')
    group by 1, 2, 3, 4`);
}

/** Forgets that responses were archived. */
export async function deleteArchived(tx: Db, states: readonly ResponseState[]): Promise<void> {
  const archived = states
    .filter((state) => state.archived)
    .map(({ project_id, uuid }) => ({ project_id, uuid }));
  if (archived.length === 0) return;
  await tx.execute(sql`
    delete from survey_archived_responses a using jsonb_to_recordset(${json(archived)}) as w(project_id int, uuid uuid)
    where a.project_id = w.project_id and a.uuid = w.uuid`);
}

/** The answers of some persons, oldest first. */
export async function selectAnswersOf(db: Db, personIds: readonly number[]) {
  const { rows } = await db.execute<{ uuid: string; survey_id: string; answers: object }>(sql`
    select r.uuid, r.survey_id, to_char(r.timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as timestamp,
      r.distinct_id, r.iteration, r.completed, r.archived, r.answers
    from survey_responses r where r.person_id = any(${sql.param([...personIds])}::bigint[])
    order by r.timestamp, r.uuid`);
  return rows;
}
