import { type SQL, sql } from "drizzle-orm";
import type { Sample } from "#lib/engines/statistics/types.ts";
import { flagOf, millisecondsOf, moment, texts } from "#lib/experiments/results/events/clauses-store.ts";
import type { Merge } from "#lib/experiments/results/events/events-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";

/** The people of a run. */
export type RunKey = { ramp_id: number; run: number };

/** Which events are new to a run. Moments in milliseconds since 1970. */
export type FreshScope = RunKey & {
  project_id: number;
  flag_key: string;
  /** Names of events that count; null: all. */
  names: string[] | null;
  from: number;
  /** Exclusive. */
  to: number;
  /** What the figures contain: events that `seen` sees, before `cut`; null: none. */
  since: { seen: string; cut: number } | null;
};

/** The run of those for whom the flag was called before. */
const EARLIER = 0;

const isCall = (flagKey: string): SQL =>
  sql`(e.event = '$feature_flag_called' and ${flagOf} = left(${flagKey}::text, 400))`;

/** Remembers for whom the flag was called before a run began. */
export async function insertEarlier(
  tx: Db,
  { ramp_id, project_id, flag_key, from }: Pick<FreshScope, "ramp_id" | "project_id" | "flag_key" | "from">,
): Promise<void> {
  await tx.execute(sql`
    insert into ramp_people (ramp_id, run, person_id, stratum, exposed_at)
    select ${ramp_id}::int, ${EARLIER}::int, d.person_id, 0, min(e.timestamp)
    from events e join person_distinct_ids d on d.project_id = e.project_id and d.distinct_id = e.distinct_id
    where e.project_id = ${project_id} and ${isCall(flag_key)} and e.timestamp < ${moment(from)}
    group by d.person_id on conflict do nothing`);
}

/** Somebody with new events. */
export type FreshPerson = {
  person_id: number;
  is_known: boolean;
  /** The id with which somebody was exposed who is not known yet, and when. */
  distinct_id: string | null;
  at: number | null;
};

/**
 * People of the run with new events that count, and people who are exposed since the figures were last brought up to
 * date: by the first call of the flag or, where it was called for them before, by whatever they did first. SDKs report a
 * value once: whoever keeps theirs is not heard of again, but whoever is let in is, and only counting both alike keeps
 * the arms comparable. Some of the events may be old ones: whoever is found is counted again from the beginning.
 */
export async function selectFresh(tx: Db, scope: FreshScope): Promise<FreshPerson[]> {
  const { ramp_id, run, project_id, flag_key, names, from, to, since } = scope;
  const counts = names === null ? sql`true` : sql`e.event = any(${texts(names)})`;
  const inTime = (first: number) =>
    sql`e.project_id = ${project_id} and e.timestamp >= ${moment(first)} and e.timestamp < ${moment(to)}`;
  const xmin = sql`pg_snapshot_xmin(${since?.seen ?? ""}::pg_snapshot)`;
  const fields = sql`e.distinct_id, e.timestamp, e.uuid, ${isCall(flag_key)} as calls, ${counts} as counts`;
  const fresh =
    since === null
      ? sql`select ${fields} from events e where ${inTime(from)}`
      : sql`select ${fields} from events e where ${inTime(from)} and e.ingested >= ${xmin}
        union all
        select ${fields} from events e where ${inTime(Math.max(from, since.cut))} and e.ingested < ${xmin}`;
  const first = (of: SQL, filter: SQL) =>
    sql`(array_agg(${of} order by n.timestamp, n.uuid) filter (where ${filter}))[1]`;
  const { rows } = await tx.execute<FreshPerson>(sql`
    with fresh as (
      select d.person_id, bool_or(n.counts) as counts, bool_or(n.calls) as calls, bool_or(q.person_id is not null) as earlier,
        ${first(sql`n.distinct_id`, sql`n.calls or q.person_id is not null`)} as distinct_id,
        ${first(millisecondsOf(sql`n.timestamp`), sql`n.calls or q.person_id is not null`)} as at
      from (${fresh}) n
      join person_distinct_ids d on d.project_id = ${project_id} and d.distinct_id = n.distinct_id
      left join ramp_people q
        on q.ramp_id = ${ramp_id} and q.run = ${EARLIER} and q.person_id = d.person_id
      group by d.person_id
    )
    select f.person_id::float8 as person_id, p.person_id is not null as is_known, f.distinct_id, f.at::float8 as at
    from fresh f
    left join ramp_people p on p.ramp_id = ${ramp_id} and p.run = ${run} and p.person_id = f.person_id
    where case when p.person_id is null then f.calls or f.earlier else f.counts and p.is_treated is not null end
    order by f.person_id`);
  return rows;
}

/** Gives people of a run to those into whom they were merged; who was in both arms is in none. */
async function mergeIn(tx: Db, { ramp_id, run }: RunKey, merges: readonly Merge[]): Promise<void> {
  for (const { loser, winner } of merges) {
    const own = sql`ramp_id = ${ramp_id} and run = ${run}`;
    await tx.execute(sql`
      update ramp_people w set is_treated = null from ramp_people l
      where w.ramp_id = ${ramp_id} and w.run = ${run} and w.person_id = ${winner}::bigint
        and l.ramp_id = ${ramp_id} and l.run = ${run} and l.person_id = ${loser}::bigint
        and (l.is_treated is distinct from w.is_treated or l.stratum <> w.stratum)`);
    await tx.execute(sql`
      update ramp_people set person_id = ${winner}::bigint where ${own} and person_id = ${loser}::bigint
        and not exists (select from ramp_people where ${own} and person_id = ${winner}::bigint)`);
    await tx.execute(sql`delete from ramp_people where ${own} and person_id = ${loser}::bigint`);
  }
}

export async function mergePeople(tx: Db, { ramp_id, run }: RunKey, merges: readonly Merge[]): Promise<void> {
  await mergeIn(tx, { ramp_id, run: EARLIER }, merges);
  await mergeIn(tx, { ramp_id, run }, merges);
}

/** When those of some people were exposed who are compared in a run, by the number of the person. */
export async function selectCompared(
  tx: Db,
  { ramp_id, run }: RunKey,
  ids: readonly (number | string)[],
): Promise<Map<string, number>> {
  const { rows } = await tx.execute<{ person_id: string; at: number }>(sql`
    select person_id::text as person_id, ${millisecondsOf(sql`exposed_at`)} as at from ramp_people
    where ramp_id = ${ramp_id} and run = ${run} and is_treated is not null
      and person_id = any(${sql.param(ids.map(String))}::bigint[]) order by ramp_people.person_id`);
  return new Map(rows.map(({ person_id, at }) => [person_id, at]));
}

type NewPerson = { person_id: number; at: number; is_treated: boolean | null; stratum: number };

export async function insertPeople(tx: Db, { ramp_id, run }: RunKey, people: readonly NewPerson[]) {
  await tx.execute(sql`
    insert into ramp_people (ramp_id, run, person_id, is_treated, stratum, exposed_at)
    select ${ramp_id}::int, ${run}::int, person_id, is_treated, stratum, to_timestamp(at / 1000)
    from json_to_recordset(${JSON.stringify(people)}::json)
      as x(person_id bigint, is_treated boolean, stratum smallint, at float8)`);
}

export type PersonCells = { person_id: string; cells: number[] };

export async function updateCells(tx: Db, { ramp_id, run }: RunKey, list: readonly PersonCells[]) {
  if (list.length === 0) return;
  await tx.execute(sql`
    update ramp_people p set cells = x.cells
    from json_to_recordset(${JSON.stringify(list)}::json) as x(person_id bigint, cells float8[])
    where p.ramp_id = ${ramp_id} and p.run = ${run} and p.person_id = x.person_id`);
}

/** Sums over the people of one stratum and arm: for each guardrail those of its two numbers. */
export type ArmSums = {
  stratum: number;
  is_treated: boolean;
  n: number;
  sums: (Required<Pick<Sample, "sum" | "sum_squares">> & {
    other: number;
    other_squares: number;
    products: number;
  })[];
};

/** Adds up the people of a run, for so many guardrails. */
export async function sumPeople(tx: Db, { ramp_id, run }: RunKey, guardrails: number): Promise<ArmSums[]> {
  const sums = Array.from({ length: guardrails }, (_, i) => {
    const value = sql`coalesce(cells[${sql.raw(String(2 * i + 1))}], 0)`;
    const other = sql`coalesce(cells[${sql.raw(String(2 * i + 2))}], 0)`;
    return sql`json_build_object('sum', sum(${value}), 'sum_squares', sum(${value} * ${value}), 'other', sum(${other}),
      'other_squares', sum(${other} * ${other}), 'products', sum(${value} * ${other}))`;
  });
  const { rows } = await tx.execute<ArmSums>(sql`
    select stratum, is_treated, count(*)::float8 as n, json_build_array(${sql.join(sums, sql`, `)}) as sums
    from ramp_people where ramp_id = ${ramp_id} and run = ${run} and is_treated is not null
    group by stratum, is_treated order by stratum, is_treated`);
  return rows;
}

/** How many people were treated in any run of a ramp. */
export async function countTreated(tx: Db, rampId: number): Promise<number> {
  const { rows } = await tx.execute<{ count: number }>(sql`
    select count(distinct person_id)::float8 as count from ramp_people where ramp_id = ${rampId} and is_treated`);
  return rows[0]?.count ?? 0;
}

export async function deletePeople(tx: Db, rampId: number): Promise<void> {
  await tx.execute(sql`delete from ramp_people where ramp_id = ${rampId}`);
}

/** What ramps keep of somebody. */
export async function selectPeopleOf(db: Db, projectId: number, ids: readonly number[]) {
  const { rows } = await db.execute<{
    ramp_id: number;
    step: number | null;
    is_treated: boolean | null;
    exposed_at: string;
  }>(sql`
    select p.ramp_id, u.step::int as step, p.is_treated,
      to_char(p.exposed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as exposed_at
    from ramps r join ramp_people p on p.ramp_id = r.id and p.person_id = any(${sql.param([...ids])}::bigint[])
    left join ramp_runs u on u.ramp_id = p.ramp_id and u.run = p.run
    where r.project_id = ${projectId} order by p.ramp_id, p.run`);
  return rows;
}

/**
 * Removes somebody from the ramps of a project. The ramps are written to as well, so that figures that are brought up
 * to date meanwhile, and have read the person before, begin again.
 *
 * @returns how many rows went
 */
export async function erasePeople(tx: Db, projectId: number, ids: readonly number[]): Promise<number> {
  const erased = sql`any(${sql.param([...ids])}::bigint[])`;
  await tx.execute(sql`
    update ramps set updated_at = updated_at where project_id = ${projectId} and ended_at is null`);
  const { rowCount } = await tx.execute(sql`
    delete from ramp_people p using ramps r
    where r.id = p.ramp_id and r.project_id = ${projectId} and p.person_id = ${erased}`);
  return rowCount ?? 0;
}
