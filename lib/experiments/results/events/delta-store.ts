import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { flagOf, groupOf, millisecondsOf, moment, texts } from "./clauses-store.ts";
import { cursorRows } from "./cursor-store.ts";

/** Which events are new to some experiments of a project, and which of their properties are read. */
export type DeltaScope = {
  project_id: number;
  /** Kind of group that is the unit; null for persons. */
  group_type: string | null;
  /** Null: every name. */
  names: string[] | null;
  columns: string[];
  /** Names of events whose properties are read; null: all. */
  carriers: string[] | null;
  /** Flags whose calls are read; null: all. */
  flags: string[] | null;
  /** Names of events that expose, other than calls of flags. */
  exposing: string[];
  /** Milliseconds since 1970; `to` is exclusive. */
  from: number;
  to: number;
  /** What is not new: events of transactions before `transaction` that happened before `cut`. */
  since: { transaction: string; cut: number };
};

/** A unit with new events. `variant` is null for one that is not stored yet. */
export type DeltaRow = {
  unit: string;
  /** Its events in any order, as JSON without the outer brackets: moment, transaction, index of its name, … */
  encoded: string;
  tid: string | null;
  variant: string | null;
  first_at: number | null;
  /** As PostgreSQL writes arrays. */
  cells: string | null;
};

/** From so many events on, their units are stored in a temporary table that several experiments read. */
export const MANY_EVENTS = 5_000;
const ROWS = 4_000;
const CALLED = "$feature_flag_called";

/** What an event that exposes is known by. */
export const exposureKey = (exposure: { event: string; flag: string | null }): string =>
  exposure.flag === null ? `event:${exposure.event}` : `flag:${[...exposure.flag].slice(0, 400).join("")}`;

function wanted({ project_id, names, flags, from, to }: DeltaScope, since = from): SQL {
  const named = names === null ? sql`` : sql`and e.event = any(${texts(names)})`;
  const own = flags === null ? sql`` : sql`and (e.event <> ${CALLED} or ${flagOf} = any(${texts(flags)}))`;
  return sql`e.project_id = ${project_id} and e.timestamp >= ${moment(since)} and e.timestamp < ${moment(to)}
    ${named} ${own}`;
}

/** Events that arrived since, and older ones that happen only now. */
const arrived = (scope: DeltaScope) =>
  sql`${wanted(scope)} and e.ingested >= ${scope.since.transaction}::text::xid8`;
const happened = (scope: DeltaScope) =>
  sql`${wanted(scope, Math.max(scope.from, scope.since.cut))} and e.ingested < ${scope.since.transaction}::text::xid8`;

/** An event as one JSON array. */
function encodedEvent({ names, columns, carriers, group_type }: DeltaScope): SQL {
  const name =
    names === null
      ? sql`to_json(e.event)::text`
      : sql`coalesce(array_position(${texts(names)}, e.event), 0)::text`;
  const person = group_type === null ? sql`` : sql`|| ',' || coalesce('"' || d.person_id || '"', 'null')`;
  const values = columns.map(
    (column) => sql`|| ',' || coalesce((e.properties -> ${column}::text)::text, 'null')`,
  );
  const listed = sql`''${sql.join(values, sql` `)}`;
  const props =
    values.length === 0
      ? sql``
      : carriers === null
        ? sql`|| ${listed}`
        : sql`|| case when e.event = any(${texts(carriers)}) then ${listed} else '' end`;
  return sql`'[' || ${millisecondsOf(sql`e.timestamp`)}::bigint || ',' || e.ingested::text || ','
    || ${name} ${person} ${props} || ']'`;
}

function exposesOf({ flags, exposing }: DeltaScope): SQL {
  const calls = flags?.length === 0 ? sql`` : sql`when e.event = ${CALLED} then 'flag:' || ${flagOf}`;
  return sql`case ${calls} when e.event = any(${texts(exposing)}) then 'event:' || e.event end`;
}

/** Whose event it is: looked up one by one, or with a table read as a whole. */
function ownedBy(scope: DeltaScope, where: SQL, few: boolean): SQL {
  const fields = sql`${encodedEvent(scope)} as encoded, ${exposesOf(scope)} as exposes`;
  const ids = sql`person_distinct_ids d`;
  const match = sql`d.project_id = e.project_id and d.distinct_id = e.distinct_id`;
  const one = sql`lateral (select d.person_id from ${ids} where ${match} offset 0) d on true`;
  const all = sql`${ids} on ${match}`;
  const joined = few ? one : all;
  return scope.group_type === null
    ? sql`select d.person_id::text as unit, ${fields} from events e join ${joined} where ${where}`
    : sql`select ${groupOf(scope.group_type)} as unit, ${fields} from events e left join ${joined}
        where ${where} and ${groupOf(scope.group_type)} is not null`;
}

/** Units with their new events. */
function selectDeltaSql(scope: DeltaScope, few: boolean): SQL {
  const later = scope.since.cut < scope.to ? sql`union all ${ownedBy(scope, happened(scope), few)}` : sql``;
  return sql`select unit, string_agg(encoded, ',') as encoded,
      array_agg(distinct exposes) filter (where exposes is not null) as exposes
    from (${ownedBy(scope, arrived(scope), few)} ${later}) n group by unit`;
}

/** How many events are new, counted up to where they are many. */
export async function countNewEvents(tx: Db, scope: DeltaScope): Promise<number> {
  const later =
    scope.since.cut < scope.to ? sql`union all select 1 from events e where ${happened(scope)}` : sql``;
  const { rows } = await tx.execute<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from events e where ${arrived(scope)} ${later} limit ${MANY_EVENTS + 1}) n`);
  return rows[0]?.count ?? 0;
}

const TABLE = sql.raw("experiment_delta");

/** Stores units with their new events until the transaction ends. @returns how many units */
export async function storeDelta(tx: Db, scope: DeltaScope): Promise<number> {
  await tx.execute(sql`drop table if exists ${TABLE}`);
  await tx.execute(sql`set local work_mem = '256MB'`);
  // Joined by hash only: however wrong the planner's guesses are, each table is read once.
  await tx.execute(sql`set local enable_nestloop = off`);
  await tx.execute(sql`set local enable_mergejoin = off`);
  const { rowCount } = await tx.execute(
    sql`create temporary table ${TABLE} on commit drop as ${selectDeltaSql(scope, false)}`,
  );
  await tx.execute(sql`set local enable_mergejoin = on`);
  await tx.execute(sql`set local enable_nestloop = on`);
  return rowCount ?? 0;
}

const STORED = sql`u.ctid::text as tid, u.variant, ${millisecondsOf(sql`u.first_at`)} as first_at,
  u.cells::text as cells`;

/** Units with new events that are stored for an experiment, or that may be exposed to it now, each looked up. */
const lookedUp = (experimentId: number, key: string, delta: SQL) => sql`
  select n.unit, n.encoded, ${STORED} from (${delta}) n
  left join lateral (select u.ctid, u.* from experiment_units u
    where u.experiment_id = ${experimentId} and u.unit = n.unit offset 0) u on true
  where u.unit is not null or n.exposes @> array[${key}::text]`;

/** New events of one experiment's units, where they are few. */
export async function selectSmallDelta(
  tx: Db,
  scope: DeltaScope,
  experimentId: number,
  key: string,
): Promise<DeltaRow[]> {
  return (await tx.execute<DeltaRow>(lookedUp(experimentId, key, selectDeltaSql(scope, true)))).rows;
}

/** The same from the temporary table, so many at a time. */
export async function* selectStoredDelta(
  tx: Db,
  experimentId: number,
  key: string,
  { sparse }: { sparse: boolean },
): AsyncGenerator<DeltaRow[]> {
  if (sparse) {
    yield* cursorRows<DeltaRow>(tx, lookedUp(experimentId, key, sql`select * from ${TABLE}`), ROWS);
    return;
  }
  await tx.execute(sql`set local enable_nestloop = off`);
  await tx.execute(sql`set local enable_mergejoin = off`);
  const query = sql`select n.unit, n.encoded, ${STORED} from ${TABLE} n
    left join experiment_units u on u.experiment_id = ${experimentId} and u.unit = n.unit
    where u.unit is not null or n.exposes @> array[${key}::text]`;
  yield* cursorRows<DeltaRow>(tx, query, ROWS, async () => {
    await tx.execute(sql`set local enable_mergejoin = on`);
    await tx.execute(sql`set local enable_nestloop = on`);
  });
}
