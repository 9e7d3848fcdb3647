import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { definition_versions, sdk_instances } from "#lib/platform/db/tables/sdk_instances.ts";
import type { State } from "./schema.ts";

export type InstanceRow = typeof sdk_instances.$inferSelect;
export type SeenVersion = Omit<typeof definition_versions.$inferSelect, "number">;

/** Rows of one statement. */
const BATCH = 1_000;

function* batches<T>(rows: readonly T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += BATCH) yield rows.slice(at, at + BATCH);
}

/** Other processes may be numbering versions of the same project. */
const ATTEMPTS = 10;

/** Stores the versions that are not known yet, and numbers them. */
export async function insertVersions(db: Db, seen: readonly SeenVersion[]): Promise<void> {
  for (const { project_id, content, flags, created_at } of seen)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // A number that another process has taken meanwhile is a conflict: nothing is added, and the next one is tried.
      const { rows } = await db.execute(sql`
        with known as (
          select from definition_versions where project_id = ${project_id} and content = ${content}
          union all select where not exists (select from projects where id = ${project_id})
        ), added as (
          insert into definition_versions (project_id, content, number, flags, created_at)
          select ${project_id}, ${content},
            (select coalesce(max(number), 0) + 1 from definition_versions where project_id = ${project_id}),
            ${JSON.stringify(flags)}::jsonb, ${created_at.toISOString()}::timestamptz
          where not exists (select from known)
          on conflict do nothing returning 1
        )
        select where exists (select from known) or exists (select from added)`);
      if (rows.length > 0) break;
    }
}

/** Stores what was seen of instances, unless another process has seen more of them since. */
export async function upsertInstances(db: Db, rows: readonly InstanceRow[]): Promise<void> {
  for (const batch of batches(rows))
    await db.execute(sql`
      insert into sdk_instances as i (project_id, id, sdk, sdk_version, address, has_stream, is_tagged, content,
        content_since, sent_content, sent_at, lost_answers, first_seen_at, last_seen_at, interval_ms)
      select r.* from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as r(project_id int, id text, sdk text,
        sdk_version text, address text, has_stream bool, is_tagged bool, content text, content_since timestamptz,
        sent_content text, sent_at timestamptz, lost_answers int, first_seen_at timestamptz,
        last_seen_at timestamptz, interval_ms int)
      where exists (select from projects p where p.id = r.project_id)
      order by r.project_id, r.id
      on conflict (project_id, id) do update set
        sdk = excluded.sdk, sdk_version = excluded.sdk_version, address = excluded.address,
        has_stream = excluded.has_stream, is_tagged = excluded.is_tagged, content = excluded.content,
        content_since = case
          when i.content = excluded.content then least(i.content_since, excluded.content_since)
          when i.sent_content = excluded.content then least(i.sent_at, excluded.content_since)
          else excluded.content_since end,
        sent_content = excluded.sent_content, sent_at = excluded.sent_at, lost_answers = excluded.lost_answers,
        first_seen_at = least(i.first_seen_at, excluded.first_seen_at), last_seen_at = excluded.last_seen_at,
        interval_ms = coalesce(excluded.interval_ms, i.interval_ms)
      where excluded.last_seen_at >= i.last_seen_at`);
}

export async function deleteInstances(
  db: Db,
  rows: readonly Pick<InstanceRow, "project_id" | "id">[],
): Promise<void> {
  for (const batch of batches(rows))
    await db.execute(sql`
      delete from sdk_instances i
      using jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as r(project_id int, id text)
      where i.project_id = r.project_id and i.id = r.id`);
}

export type Requests = { project_id: number; sdk: string; sdk_version: string; count: number };

/** Adds to the counts of requests for evaluated flags. */
export async function addRequests(db: Db, rows: readonly Requests[], now: Date): Promise<void> {
  for (const batch of batches(rows))
    await db.execute(sql`
      insert into sdk_callers as c (project_id, sdk, sdk_version, requests, first_seen_at, last_seen_at)
      select r.project_id, r.sdk, r.sdk_version, r.count, ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb)
        as r(project_id int, sdk text, sdk_version text, count bigint)
      where exists (select from projects p where p.id = r.project_id)
      order by r.project_id, r.sdk, r.sdk_version
      on conflict (project_id, sdk, sdk_version) do update
        set requests = c.requests + excluded.requests, last_seen_at = excluded.last_seen_at`);
}

/** An instance that has not asked for so long is gone, and so is a program. */
const INSTANCE_KEPT = "24 hours";
const CALLER_KEPT = "30 days";
/** Definitions that nobody has any more are kept for a while, for instances that come back. */
const VERSION_KEPT = "7 days";

export async function deleteGone(db: Db, now: Date): Promise<void> {
  const before = (age: string) => sql`${now.toISOString()}::timestamptz - ${age}::interval`;
  await db.execute(sql`delete from sdk_instances where last_seen_at < ${before(INSTANCE_KEPT)}`);
  await db.execute(sql`delete from sdk_callers where last_seen_at < ${before(CALLER_KEPT)}`);
  await db.execute(sql`
    delete from definition_versions v where v.created_at < ${before(VERSION_KEPT)}
      and v.number < (select max(number) from definition_versions n where n.project_id = v.project_id)
      and not exists (select from sdk_instances i
        where i.project_id = v.project_id and v.content in (i.content, i.sent_content))`);
}

/** What instances are expected to have. */
export type Target = { project_id: number; now: Date } & (
  | { flag_id: number; version: number; deleted: boolean; changed_at: Date }
  | { content: string }
);

/** Who asks less often than this after it should have is late. */
const MARGIN_MS = 10_000;
/** Until an instance has asked twice, it is taken to poll as SDKs usually do. */
const USUAL_INTERVAL_MS = 30_000;
/** Whoever does not ask for so long, or for so many of its intervals, has probably been stopped. */
const SILENT_MS = 600_000;
const SILENT_INTERVALS = 5;
/** One answer gets lost whenever a connection breaks; so many in a row are a fault of the connection. */
const LOST_ANSWERS = 2;

const has = (target: Target, content: SQL, flags: SQL): SQL => {
  if ("content" in target) return sql`coalesce(${content} = ${target.content}, false)`;
  const id = String(target.flag_id);
  if (target.deleted) return sql`(${flags} is not null and not ${flags} ? ${id})`;
  return sql`coalesce((${flags} ->> ${id})::int >= ${target.version}, false)`;
};

/** A moment as a number: rows of plain statements are not converted. */
const ms = (moment: SQL) => sql`(extract(epoch from ${moment}) * 1000)::float8`;

/** Each instance with where it is on the way to the target. */
const stated = (target: Target): SQL => {
  const now = sql`${target.now.toISOString()}::timestamptz`;
  const pause = sql`coalesce(i.interval_ms, ${USUAL_INTERVAL_MS}::int)`;
  const after = (ms: SQL) => sql`i.last_seen_at + ${ms} * interval '1 millisecond'`;
  const flagVersion =
    "content" in target ? sql`null::int` : sql`(v.flags ->> ${String(target.flag_id)})::int`;
  const changed =
    "content" in target
      ? sql`coalesce((select t.created_at from definition_versions t
          where t.project_id = ${target.project_id} and t.content = ${target.content}), ${now})`
      : sql`${target.changed_at.toISOString()}::timestamptz`;
  return sql`
    select i.*, v.number, ${flagVersion} as flag_version, c.changed_at, ${after(pause)} as due_at,
      case
        when ${after(sql`greatest(${SILENT_MS}::int, ${SILENT_INTERVALS}::int * ${pause})`)} < ${now} then 'silent'
        when ${has(target, sql`i.content`, sql`v.flags`)} then 'confirmed'
        when ${has(target, sql`i.sent_content`, sql`s.flags`)}
          then case when i.lost_answers < ${LOST_ANSWERS}::int then 'sent' else 'undelivered' end
        when ${after(sql`(${pause} + ${MARGIN_MS}::int)`)} < c.changed_at then 'silent'
        when ${after(sql`(${pause} + ${MARGIN_MS}::int)`)} < ${now} then 'behind'
        else 'waiting'
      end as state
    from sdk_instances i
    cross join (select ${changed} as changed_at) c
    left join definition_versions v on v.project_id = i.project_id and v.content = i.content
    left join definition_versions s on s.project_id = i.project_id and s.content = i.sent_content
    where i.project_id = ${target.project_id}`;
};

type Totals = {
  state: State;
  flag_version: number | null;
  instances: number;
  /** Those that send their tag back. */
  tagged: number;
  last_due_at: number;
  /** Of those that were there before the change: when the last of them got it. */
  served_at: number | null;
  contents: number;
};

/** How many instances are in each state, by the version that they have. */
export async function countInstances(db: Db, target: Target): Promise<Totals[]> {
  const got = sql`case state when 'confirmed' then content_since when 'sent' then sent_at end`;
  const { rows } = await db.execute<Totals>(sql`
    with stated as (${stated(target)})
    select state, flag_version, count(*)::int as instances,
      (count(*) filter (where is_tagged))::int as tagged, ${ms(sql`max(due_at)`)} as last_due_at,
      ${ms(sql`max(${got}) filter (where first_seen_at <= changed_at)`)} as served_at,
      count(distinct case state when 'confirmed' then content when 'sent' then sent_content end)::int as contents
    from stated group by 1, 2 order by 1, 2`);
  return rows;
}

type ListedInstance = Pick<
  InstanceRow,
  "id" | "sdk" | "sdk_version" | "address" | "has_stream" | "is_tagged" | "interval_ms"
> & {
  state: State;
  number: number | null;
  flag_version: number | null;
  first_seen: number;
  last_seen: number;
  due: number;
};

export type InstanceChoice = {
  states?: readonly State[] | undefined;
  flag_version?: number | undefined;
  sdk?: string | undefined;
  sdk_version?: string | undefined;
};

/** The instances of some states, those that have not asked for longest first; and how many they are. */
export async function selectInstances(
  db: Db,
  target: Target,
  { states, flag_version, sdk, sdk_version }: InstanceChoice,
  page: { limit: number; offset: number },
): Promise<{ count: number; instances: ListedInstance[] }> {
  const chosen = [
    ...(states ? [sql`state = any(${sql.param([...states])}::text[])`] : []),
    ...Object.entries({ flag_version, sdk, sdk_version }).flatMap(([name, value]) =>
      value === undefined ? [] : [sql`${sql.identifier(name)} = ${value}`],
    ),
  ];
  const where = chosen.length > 0 ? sql`where ${sql.join(chosen, sql` and `)}` : sql``;
  const from = sql`with stated as (${stated(target)}), chosen as (select * from stated ${where})`;
  const [counted, listed] = await Promise.all([
    db.execute<{ count: number }>(sql`${from} select count(*)::int as count from chosen`),
    db.execute<ListedInstance>(sql`${from}
      select id, sdk, sdk_version, address, has_stream, is_tagged, interval_ms, state, number, flag_version,
        ${ms(sql`first_seen_at`)} as first_seen, ${ms(sql`last_seen_at`)} as last_seen, ${ms(sql`due_at`)} as due
      from chosen order by last_seen_at, id limit ${page.limit} offset ${page.offset}`),
  ]);
  return { count: counted.rows[0]?.count ?? 0, instances: listed.rows };
}

type Program = {
  sdk: string;
  sdk_version: string;
  instances: number;
  addresses: number;
  first_seen: number;
  last_seen: number;
};

/** The programs that evaluate flags themselves, by version. */
export async function selectPrograms(db: Db, projectId: number): Promise<Program[]> {
  const { rows } = await db.execute<Program>(sql`
    select sdk, sdk_version, count(*)::int as instances, count(distinct address)::int as addresses,
      ${ms(sql`min(first_seen_at)`)} as first_seen, ${ms(sql`max(last_seen_at)`)} as last_seen
    from sdk_instances where project_id = ${projectId}
    group by 1, 2 order by 3 desc, 1, 2`);
  return rows;
}

type CallerRow = {
  sdk: string;
  sdk_version: string;
  requests: number;
  first_seen: number;
  last_seen: number;
};

/** The programs that have flags evaluated by the service, by version. */
export async function selectCallers(db: Db, projectId: number): Promise<CallerRow[]> {
  const { rows } = await db.execute<CallerRow>(sql`
    select sdk, sdk_version, requests::float8 as requests, ${ms(sql`first_seen_at`)} as first_seen,
      ${ms(sql`last_seen_at`)} as last_seen
    from sdk_callers where project_id = ${projectId} order by requests desc, sdk, sdk_version limit 1000`);
  return rows;
}

type ReportedVersion = { lib: string; version: number; calls: number; last: number };

/** Calls of a flag after a change that still answered by an older version, as SDKs reported them. */
export async function selectOlderCalls(
  db: Db,
  flag: { project_id: number; key: string; version: number; from: Date },
): Promise<ReportedVersion[]> {
  const { rows } = await db.execute<ReportedVersion>(sql`
    select lib, version, count(*)::float8 as calls, ${ms(sql`max(timestamp)`)} as last
    from (
      select left(coalesce(properties ->> '$lib', ''), 100) as lib, timestamp,
        case when properties ->> '$feature_flag_version' ~ '^\\d{1,9}$'
          then (properties ->> '$feature_flag_version')::int end as version
      from events
      where project_id = ${flag.project_id} and event = '$feature_flag_called'
        and left(properties ->> '$feature_flag', 400) = ${flag.key}
        and timestamp >= ${flag.from.toISOString()}::timestamptz
    ) called
    where version < ${flag.version} group by 1, 2 order by 3 desc, 1, 2 limit 100`);
  return rows;
}
