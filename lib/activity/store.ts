import { and, count, desc, eq, gte, inArray, lt, ne, or, type Placeholder, type SQL, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { Db } from "#lib/platform/db/connect.ts";
import { descending } from "#lib/platform/db/descending.ts";
import { activity_log, activity_outbox, users } from "#lib/platform/db/tables/accounts.ts";

export type ActivityInsert = typeof activity_log.$inferInsert;

export type ActivityFilter = {
  project_id: number;
  scopes?: string[] | undefined;
  item_id?: string | undefined;
  user_id?: number | undefined;
  activity?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  search?: string | undefined;
  /** Leaves out records whose name begins with this. */
  exclude_name_prefix?: string | undefined;
  /** Leaves out entries that say that one of these fields changed. */
  without_fields?: readonly string[] | undefined;
  /** Excludes changes by others to keys, for people who cannot see them. */
  keys_only_by?: number | undefined;
};

/** Writes entries, and puts them in line for notifications. Those of the same moment stay in the order they came in. */
export async function insertActivity(db: Db, entries: ActivityInsert[]): Promise<void> {
  if (entries.length === 0) return;
  const ordered = entries.map((entry) => ({ id: uuidv7(), ...entry }));
  const insert = db.insert(activity_log).values(ordered).returning({ id: activity_log.id });
  await db.execute(sql`with entry as (${insert.getSQL()}) ${outboxOf("entry")}`);
}

/**
 * Puts entries in line for notifications, as a part of the statement that writes them.
 *
 * @param entry the name of the part that returns the `id` of each
 */
export const outboxOf = (entry: string): SQL => sql`
  insert into activity_outbox (activity_id) select id from ${sql.identifier(entry)}`;

/** An entry of the log that nobody has been notified of yet. */
export type OutboxEntry = { outbox_id: number; entry: typeof activity_log.$inferSelect | null };

/** The first entries in line, locked until the transaction ends; those that another process has are passed over. */
export async function lockOutbox(tx: Db, limit: number): Promise<OutboxEntry[]> {
  const rows = await tx
    .select({ id: activity_outbox.id, activity_id: activity_outbox.activity_id })
    .from(activity_outbox)
    .orderBy(activity_outbox.id)
    .limit(limit)
    .for("update", { skipLocked: true });
  if (rows.length === 0) return [];
  const ids = rows.map(({ activity_id }) => activity_id);
  const entries = await tx.select().from(activity_log).where(inArray(activity_log.id, ids));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return rows.map(({ id, activity_id }) => ({ outbox_id: id, entry: byId.get(activity_id) ?? null }));
}

/** Takes entries out of the line. */
export async function deleteOutbox(tx: Db, outboxIds: readonly number[]): Promise<void> {
  await tx.delete(activity_outbox).where(inArray(activity_outbox.id, [...outboxIds]));
}

/**
 * The entry as a part of a larger statement: one that has just written the record. It returns its `id`, for `outboxOf`.
 *
 * @param entry JSON of an `ActivityInsert` with its moment, but for the record's id
 * @param record the name of the part that returns the record's `id`
 */
export const activityOf = (entry: string | Placeholder, record: string): SQL => sql`
  insert into activity_log (project_id, user_id, scope, item_id, activity, detail, created_at)
  select entry.project_id, entry.user_id, entry.scope, record.id::text, entry.activity, entry.detail, entry.created_at
  from ${sql.identifier(record)} record, json_populate_record(null::activity_log, ${entry}::json) entry
  returning id`;

/** Replaces an entry's detail: something is erased from it. */
export async function replaceDetail(db: Db, id: string, detail: string): Promise<void> {
  await db.execute(sql`update activity_log set detail = ${detail}::json where id = ${id}::uuid`);
}

const KEY_SCOPE = "PersonalAPIKey";

const conditions = (f: ActivityFilter): SQL | undefined =>
  and(
    eq(activity_log.project_id, f.project_id),
    f.scopes && inArray(activity_log.scope, f.scopes),
    f.item_id ? eq(activity_log.item_id, f.item_id) : undefined,
    f.user_id !== undefined ? eq(activity_log.user_id, f.user_id) : undefined,
    f.activity ? eq(activity_log.activity, f.activity) : undefined,
    f.from && gte(activity_log.created_at, f.from),
    f.to && lt(activity_log.created_at, f.to),
    f.search ? sql`position(lower(${f.search}) in lower(${activity_log.detail} ->> 'name')) > 0` : undefined,
    f.exclude_name_prefix
      ? sql`not coalesce(starts_with(${activity_log.detail} ->> 'name', ${f.exclude_name_prefix}), false)`
      : undefined,
    ...(f.without_fields ?? []).map(
      (field) =>
        sql`not coalesce(${activity_log.detail}::jsonb -> 'changes' @> ${JSON.stringify([{ field }])}::jsonb, false)`,
    ),
    f.keys_only_by !== undefined
      ? or(ne(activity_log.scope, KEY_SCOPE), eq(activity_log.user_id, f.keys_only_by))
      : undefined,
  );

export async function selectActivity(
  db: Db,
  filter: ActivityFilter,
  page: { limit: number; offset: number },
) {
  const where = conditions(filter);
  const [rows, [total]] = await Promise.all([
    db
      .select({ entry: activity_log, first_name: users.first_name, email: users.email })
      .from(activity_log)
      .leftJoin(users, eq(users.id, activity_log.user_id))
      .where(where)
      .orderBy(descending(activity_log.created_at), desc(activity_log.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: count() }).from(activity_log).where(where),
  ]);
  return { rows, count: total?.count ?? 0 };
}

type Since = { project_id: number; scope: string; after: Date; without_fields: readonly string[] };

const since = ({ project_id, scope, after, without_fields }: Since) => sql`
  a.project_id = ${project_id} and a.scope = ${scope}
  and a.created_at > ${after.toISOString()}::timestamptz
  and not exists (
    select from json_array_elements(a.detail -> 'changes') beside
    where beside ->> 'field' = any(${sql.param([...without_fields])}::text[]))`;

/** What the fields of records of a kind were before their first change after a moment, and which were made after it. */
export async function selectValuesBefore(db: Db, of: Since) {
  const { rows } = await db.execute<{ item_id: string; field: string; value: unknown }>(sql`
    select distinct on (a.item_id, change ->> 'field')
      a.item_id, change ->> 'field' as field, change -> 'before' as value
    from activity_log a cross join lateral json_array_elements(a.detail -> 'changes') change
    where ${since(of)} and a.activity <> 'created'
    order by a.item_id, change ->> 'field', a.created_at, a.id`);
  const created = await db.execute<{ item_id: string }>(sql`
    select distinct a.item_id from activity_log a where ${since(of)} and a.activity = 'created'`);
  return { values: rows, created: new Set(created.rows.map(({ item_id }) => item_id)) };
}

/** Who saved records of a kind between two moments, newest first. */
export async function selectSaves(db: Db, { until, ...of }: Since & { until: Date }, limit: number) {
  const { rows } = await db.execute<{
    item_id: string;
    activity: string;
    created_at: string;
    trigger: unknown;
    user_id: number | null;
    first_name: string | null;
    email: string | null;
  }>(sql`
    select a.item_id, a.activity, a.created_at, a.detail -> 'trigger' as trigger, a.user_id, u.first_name, u.email
    from activity_log a left join users u on u.id = a.user_id
    where ${since(of)} and a.created_at <= ${until.toISOString()}::timestamptz
    order by a.created_at desc, a.id desc limit ${limit}`);
  return rows.map((row) => ({ ...row, created_at: new Date(row.created_at) }));
}

/** Which kinds, acts and people occur together. */
export async function selectOccurring(db: Db, filter: ActivityFilter) {
  return db
    .selectDistinct({
      scope: activity_log.scope,
      activity: activity_log.activity,
      user_id: activity_log.user_id,
    })
    .from(activity_log)
    .where(conditions(filter));
}
