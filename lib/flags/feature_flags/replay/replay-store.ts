import { type SQL, sql } from "drizzle-orm";
import { SENT_RESPONSE } from "#lib/flags/feature_flags/usage/calls-store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";

/** Calls of one distinct id that are alike: same day, version and recorded value. Times in milliseconds. */
export type CallRow = {
  person_id: number | null;
  distinct_id: string;
  /** Place of the version that was stored then, counted from the oldest. */
  period: number;
  response: string;
  lib: string | null;
  /** Group keys as JSON; null where nobody asked. */
  groups: string | null;
  calls: number;
  first: number;
  last: number;
};

export type CallFilter = {
  project_id: number;
  keys: readonly string[];
  from: Date;
  /** When each version but the oldest was stored, in order. */
  changes: readonly Date[];
  /** Whether the moment of each call decides, so that none are alike. */
  by_moment: boolean;
  with_lib: boolean;
  with_groups: boolean;
};

const callsOf = (filter: CallFilter): SQL => sql`
  select distinct_id,
    width_bucket(timestamp, ${sql.param(filter.changes.map((at) => at.toISOString()))}::timestamptz[]) as period,
    ${SENT_RESPONSE} as response,
    ${filter.with_lib ? sql`left(properties ->> '$lib', 100)` : sql`null::text`} as lib,
    ${filter.with_groups ? sql`(properties -> '$groups')::text` : sql`null::text`} as groups,
    ${filter.by_moment ? sql`timestamp` : sql`date_trunc('day', timestamp)`} as moment,
    count(*)::int as calls, min(timestamp) as first, max(timestamp) as last
  from events
  where project_id = ${filter.project_id} and event = '$feature_flag_called'
    and left(properties ->> '$feature_flag', 400) = any(${sql.param([...filter.keys])}::text[])
    and timestamp >= ${filter.from.toISOString()}::timestamptz
  group by 1, 2, 3, 4, 5, 6`;

const ROWS_AT_ONCE = 1_000;

/**
 * The calls of a flag, those of one person (or of a distinct id without a person) together, some at a time and never all
 * in memory. The next are read meanwhile.
 */
export async function* streamCalls(db: Db, filter: CallFilter): AsyncGenerator<CallRow[]> {
  const opened = Promise.withResolvers<Db>();
  const closed = Promise.withResolvers<void>();
  const transaction = inTransaction(
    db,
    async (tx) => {
      await tx.execute(
        sql`select set_config('cursor_tuple_fraction', '1', true), set_config('work_mem', '32MB', true)`,
      );
      await tx.execute(sql`declare replayed_calls no scroll cursor for
        select d.person_id::float8 as person_id, c.distinct_id, c.period, c.response, c.lib, c.groups, c.calls,
          extract(epoch from c.first)::float8 * 1000 as first, extract(epoch from c.last)::float8 * 1000 as last
        from (${callsOf(filter)}) c
        left join person_distinct_ids d
          on d.project_id = ${filter.project_id} and d.distinct_id = c.distinct_id
        order by d.person_id, c.distinct_id, c.groups, c.first`);
      opened.resolve(tx);
      await closed.promise;
    },
    { accessMode: "read only" },
  );
  transaction.catch(opened.reject);
  const tx = await opened.promise;
  const read = async () =>
    (await tx.execute<CallRow>(sql`fetch forward ${sql.raw(String(ROWS_AT_ONCE))} from replayed_calls`)).rows;
  let next = read();
  try {
    for (;;) {
      const rows = await next;
      if (rows.length === 0) break;
      next = read();
      // A reader that stops early does not see a failed one.
      next.catch(() => undefined);
      yield rows;
    }
  } finally {
    await next.catch(() => undefined);
    closed.resolve();
    await transaction;
  }
}

/** How many calls there are, and their most frequent values: from the daily figures. */
export async function selectRecorded(
  db: Db,
  { project_id, keys, from }: Pick<CallFilter, "project_id" | "keys" | "from">,
  limit: number,
) {
  const { rows } = await db.execute<{ response: string; calls: number; of: number }>(sql`
    select response, sum(calls)::float8 as calls, (sum(sum(calls)) over ())::float8 as of
    from feature_flag_calls_daily
    where project_id = ${project_id} and feature_flag_key = any(${sql.param([...keys])}::text[])
      and day >= ${from.toISOString().slice(0, 10)}::date
    group by response order by 2 desc, 1 limit ${limit}`);
  return { of: rows[0]?.of ?? 0, values: rows.map((row) => row.response) };
}

/** At most so many distinct ids of a person are looked at. */
const IDS_MAX = 50;

/** The distinct ids of those of these persons who have several. */
export async function selectSeveralIds(db: Db, ids: readonly number[]): Promise<Map<number, string[]>> {
  const { rows } = await db.execute<{ person_id: number; ids: string[] }>(sql`
    select person_id::float8 as person_id, (array_agg(distinct_id order by distinct_id))[1:${sql.raw(String(IDS_MAX))}] as ids
    from person_distinct_ids where person_id = any(${sql.param([...ids])}::bigint[])
    group by person_id having count(*) > 1`);
  return new Map(rows.map((row) => [row.person_id, row.ids]));
}

/** Stored properties of groups of one type, by key. */
export async function selectGroupProperties(
  db: Db,
  projectId: number,
  index: number,
  keys: readonly string[],
): Promise<Map<string, Record<string, unknown>>> {
  const { rows } = await db.execute<{ key: string; properties: Record<string, unknown> }>(sql`
    select group_key as key, properties from groups
    where project_id = ${projectId} and group_type_index = ${index}
      and group_key = any(${sql.param([...keys])}::text[])`);
  return new Map(rows.map((row) => [row.key, row.properties]));
}
