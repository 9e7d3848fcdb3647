import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { moment as at, flagOf, groupOf, millisecondsOf, texts } from "./clauses-store.ts";
import { cursorRows } from "./cursor-store.ts";

/** Which stored events a plan reads. */
export type EventScope = {
  project_id: number;
  /** Null: every name. */
  names: string[] | null;
  columns: string[];
  /** Names of events whose properties are read; null: all. */
  carriers: string[] | null;
  exposure: { event: string; flag: string | null };
  /** Whether calls of other flags are not needed and can be skipped. */
  own_calls_only: boolean;
  /** Kind of group that is the unit; null for persons. */
  group_type: string | null;
  /** Milliseconds since 1970; `to` is exclusive. */
  from: number;
  to: number;
};

/** A stored event and whose it is. */
export type EventRow = {
  unit: string;
  at: number;
  event: string;
  /** Of events of groups; a person's own are the unit's. */
  person?: string | null;
  props: string | null;
};

const flagIs = (flag: string) => sql`${flagOf} = left(${flag}::text, 400)`;

/** Conditions on `e` that the indexes of events serve. */
function eventsOf(scope: EventScope, { from = scope.from, name = sql`e.event` } = {}): SQL {
  const { names, own_calls_only, exposure, to } = scope;
  const named = names === null ? sql`` : sql`and ${name} = any(${texts(names)})`;
  const own =
    own_calls_only && exposure.flag !== null
      ? sql`and (e.event <> '$feature_flag_called' or ${flagIs(exposure.flag)})`
      : sql``;
  return sql`e.project_id = ${scope.project_id} and e.timestamp >= ${at(from)} and e.timestamp < ${at(to)} ${named} ${own}`;
}

/** Whether `e` may be an exposure. */
function exposesIn({ exposure }: EventScope): SQL {
  const named = sql`e.event = ${exposure.event}::text`;
  return exposure.flag === null ? named : sql`(${named} and ${flagIs(exposure.flag)})`;
}

const ownerOf = sql`person_distinct_ids d on d.project_id = e.project_id and d.distinct_id = e.distinct_id`;

function fields({ columns, carriers }: EventScope): SQL {
  const picked = columns.map((name) => sql`e.properties -> ${name}::text`);
  const built = sql`json_build_array(${sql.join(picked, sql`, `)})::text`;
  const asked =
    carriers === null ? built : sql`case when e.event = any(${texts(carriers)}) then ${built} end`;
  const props = picked.length > 0 ? asked : sql`null::text`;
  return sql`${millisecondsOf(sql`e.timestamp`)} as at, e.event, ${props} as props`;
}

/**
 * Persons' events by their own index, whatever the planner thinks of the tables: it knows nothing of fresh ones, and
 * a range of time read once for each person would never end. `offset 0` keeps the lookups apart, and the names,
 * wrapped up, offer no other index.
 */
const ofPersons = (scope: EventScope, owners: SQL): SQL => sql`
  select d.person_id::text as unit, f.at, f.event, f.props
  from ${owners}
  join lateral (select d.person_id, d.distinct_id from person_distinct_ids d where d.person_id = owner.id offset 0) d
    on true
  join lateral (select ${fields(scope)}, e.uuid from events e
    where e.distinct_id = d.distinct_id and ${eventsOf(scope, { name: sql`(e.event || '')` })} offset 0) f on true
  order by d.person_id, f.at, f.uuid`;

/** The same of many persons at once. */
const ofManyPersons = (scope: EventScope, owners: SQL): SQL => sql`
  select d.person_id::text as unit, ${fields(scope)}
  from ${owners} join person_distinct_ids d on d.person_id = owner.id
  join events e on e.distinct_id = d.distinct_id and d.project_id = e.project_id
  where ${eventsOf(scope)} order by d.person_id, e.timestamp, e.uuid`;

const ofGroups = (scope: EventScope, type: string, owners: SQL): SQL => sql`
  select owner.id as unit, d.person_id::text as person, ${fields(scope)}
  from events e join ${owners} on owner.id = ${groupOf(type)} left join ${ownerOf}
  where ${eventsOf(scope)} order by 1, e.timestamp, e.uuid`;

/** All that some units did, unit by unit, in order; of groups, which have no index, by one look at all events. */
export async function* selectUnitEvents(
  db: Db,
  scope: EventScope,
  units: string[],
): AsyncGenerator<EventRow[]> {
  if (scope.group_type === null) {
    const query = ofPersons(scope, sql`unnest(${sql.param(units)}::bigint[]) as owner(id)`);
    yield (await db.execute<EventRow>(query)).rows;
    return;
  }
  await readsOnce(db, true);
  const query = ofGroups(scope, scope.group_type, sql`unnest(${texts(units)}) as owner(id)`);
  yield* cursorRows<EventRow>(db, query, ROWS, () => readsOnce(db, false));
}

/** Events read at once: few enough that other requests are served in between. */
const ROWS = 4_000;

/** Exposures from which one look at all events is cheaper than one at each unit's. */
const MANY_EXPOSURES = 50_000;

/** One unit of so many, the same ones each time. */
export type Sampling = { one_in: number };

const exposedPersons = (scope: EventScope, { one_in }: Sampling): SQL => sql`
  select distinct d.person_id as id from events e join ${ownerOf}
  where ${eventsOf(scope)} and ${exposesIn(scope)}
  ${one_in > 1 ? sql`and hashint8(d.person_id)% ${one_in} = 0` : sql``}`;

const exposedGroups = (scope: EventScope, type: string, { one_in }: Sampling): SQL => sql`
  select distinct ${groupOf(type)} as id from events e
  where ${eventsOf(scope)} and ${exposesIn(scope)} and ${groupOf(type)} is not null
  ${one_in > 1 ? sql`and hashtext(${groupOf(type)})% ${one_in} = 0` : sql``}`;

/** Joins by hash only: however wrong the planner's guesses are, each table is read once. */
async function readsOnce(tx: Db, isSo: boolean): Promise<void> {
  await tx.execute(sql`set local work_mem = '256MB'`);
  await tx.execute(sql`set local enable_nestloop = ${sql.raw(isSo ? "off" : "on")}`);
}

/** Exposed persons, where they are few enough to be looked at one by one; null where not. */
export async function selectFewExposed(
  tx: Db,
  scope: EventScope,
  sampling: Sampling,
): Promise<string[] | null> {
  if (scope.group_type !== null) return null;
  const { rows } = await tx.execute<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from events e where ${eventsOf(scope)} and ${exposesIn(scope)} limit ${MANY_EXPOSURES}) exposures`);
  if ((rows[0]?.count ?? 0) >= MANY_EXPOSURES) return null;
  await readsOnce(tx, true);
  const found = await tx.execute<{ id: string }>(
    sql`select id::text from (${exposedPersons(scope, sampling)}) owner order by 1`,
  );
  await readsOnce(tx, false);
  return found.rows.map(({ id }) => id);
}

/** All that all exposed units did, unit by unit, so many events at a time. */
export async function* selectExposedEvents(
  tx: Db,
  scope: EventScope,
  sampling: Sampling,
): AsyncGenerator<EventRow[]> {
  const { group_type } = scope;
  const query =
    group_type === null
      ? ofManyPersons(scope, sql`(${exposedPersons(scope, sampling)}) as owner`)
      : ofGroups(scope, group_type, sql`(${exposedGroups(scope, group_type, sampling)}) as owner`);
  await readsOnce(tx, true);
  yield* cursorRows<EventRow>(tx, query, ROWS, () => readsOnce(tx, false));
}

/** What the present snapshot sees. */
export async function selectSeen(tx: Db): Promise<string> {
  const { rows } = await tx.execute<{ seen: string }>(sql`select pg_current_snapshot()::text as seen`);
  const [row] = rows;
  if (!row) throw new Error("The database returned no snapshot.");
  return row.seen;
}

export type Merge = { loser: string; winner: string };

/** Persons merged into others, by transactions from one on. */
export async function selectMerges(tx: Db, projectId: number, transaction: string): Promise<Merge[]> {
  const { rows } = await tx.execute<Merge>(sql`
    select loser::text, winner::text from person_merges
    where project_id = ${projectId} and ingested >= ${transaction}::text::xid8 order by id`);
  return rows;
}

export async function selectGroupTypes(db: Db, projectId: number): Promise<Map<number, string>> {
  const { rows } = await db.execute<{ group_type_index: number; group_type: string }>(
    sql`select group_type_index, group_type from group_types where project_id = ${projectId}`,
  );
  return new Map(rows.map((row) => [row.group_type_index, row.group_type]));
}

/** Conditions that events of real users fulfil, as the project says. */
export async function selectTestAccountFilters(
  db: Db,
  projectId: number,
): Promise<Record<string, unknown>[]> {
  const { rows } = await db.execute<{ filters: Record<string, unknown>[] }>(
    sql`select test_account_filters as filters from projects where id = ${projectId}`,
  );
  return rows[0]?.filters ?? [];
}

/** How many events of these names are stored, as far as is known; null: of all names. */
export async function selectEventCount(db: Db, projectId: number, names: string[] | null): Promise<number> {
  const named = names === null ? sql`` : sql`and name = any(${texts(names)})`;
  const { rows } = await db.execute<{ count: number }>(
    sql`select coalesce(sum(count), 0)::float8 as count from event_definitions where project_id = ${projectId} ${named}`,
  );
  return rows[0]?.count ?? 0;
}
