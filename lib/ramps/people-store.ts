import { sql } from "drizzle-orm";
import type { Sample } from "#lib/engines/statistics/types.ts";
import { flagOf, moment, texts } from "#lib/experiments/results/events/clauses-store.ts";
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

/** Somebody with new events. */
export type FreshPerson = {
  person_id: number;
  /** The id and the moment of the first new call of the flag; null where only other events are new. */
  distinct_id: string | null;
  at: number | null;
  is_known: boolean;
  is_compared: boolean;
};

/**
 * People who have called the flag since the figures were last brought up to date, and people of the run with other new
 * events. Some of the events may be old ones: whoever is found is counted anew.
 */
export async function selectFresh(tx: Db, scope: FreshScope): Promise<FreshPerson[]> {
  const { ramp_id, run, project_id, flag_key, names, from, to, since } = scope;
  const called = sql`(e.event = '$feature_flag_called' and ${flagOf} = left(${flag_key}::text, 400))`;
  const named = names === null ? sql`` : sql`and e.event = any(${texts(names)})`;
  const inTime = (first: number) =>
    sql`e.project_id = ${project_id} and e.timestamp >= ${moment(first)} and e.timestamp < ${moment(to)} ${named}`;
  const xmin = sql`pg_snapshot_xmin(${since?.seen ?? ""}::pg_snapshot)`;
  const fields = sql`e.distinct_id, e.timestamp, e.uuid, ${called} as calls`;
  const fresh =
    since === null
      ? sql`select ${fields} from events e where ${inTime(from)}`
      : sql`select ${fields} from events e where ${inTime(from)} and e.ingested >= ${xmin}
        union all
        select ${fields} from events e where ${inTime(Math.max(from, since.cut))} and e.ingested < ${xmin}`;
  const { rows } = await tx.execute<FreshPerson>(sql`
    with fresh as (
      select d.person_id,
        (array_agg(n.distinct_id order by n.timestamp, n.uuid) filter (where n.calls))[1] as distinct_id,
        extract(epoch from min(n.timestamp) filter (where n.calls))::float8 * 1000 as at
      from (${fresh}) n
      join person_distinct_ids d on d.project_id = ${project_id} and d.distinct_id = n.distinct_id
      group by d.person_id
    )
    select f.person_id::float8 as person_id, f.distinct_id, f.at, p.person_id is not null as is_known,
      p.is_treated is not null as is_compared
    from fresh f
    left join ramp_people p on p.ramp_id = ${ramp_id} and p.run = ${run} and p.person_id = f.person_id
    where f.distinct_id is not null or p.person_id is not null
    order by f.person_id`);
  return rows;
}

/** Gives people of a run to those into whom they were merged; who was in both arms is in none. */
export async function mergePeople(tx: Db, { ramp_id, run }: RunKey, merges: readonly Merge[]): Promise<void> {
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

/** Those of some people who are compared in a run. */
export async function selectCompared(
  tx: Db,
  { ramp_id, run }: RunKey,
  ids: readonly string[],
): Promise<number[]> {
  const { rows } = await tx.execute<{ person_id: number }>(sql`
    select person_id::float8 as person_id from ramp_people
    where ramp_id = ${ramp_id} and run = ${run} and is_treated is not null
      and person_id = any(${sql.param([...ids])}::bigint[])`);
  return rows.map(({ person_id }) => person_id);
}

type NewPerson = { person_id: number; is_treated: boolean | null; stratum: number };

export async function insertPeople(tx: Db, { ramp_id, run }: RunKey, people: readonly NewPerson[]) {
  await tx.execute(sql`
    insert into ramp_people (ramp_id, run, person_id, is_treated, stratum)
    select ${ramp_id}::int, ${run}::int, person_id, is_treated, stratum
    from json_to_recordset(${JSON.stringify(people)}::json)
      as x(person_id bigint, is_treated boolean, stratum smallint)`);
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
  const { rows } = await db.execute<{ ramp_id: number; step: number; is_treated: boolean | null }>(sql`
    select p.ramp_id, u.step::int as step, p.is_treated, u.started_at
    from ramps r join ramp_people p on p.ramp_id = r.id and p.person_id = any(${sql.param([...ids])}::bigint[])
    join ramp_runs u on u.ramp_id = p.ramp_id and u.run = p.run
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
