import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { definition_versions, sdk_instances } from "#lib/platform/db/tables/sdk_instances.ts";
import type { RelayState, State } from "./schema.ts";

export type InstanceRow = typeof sdk_instances.$inferSelect;
/** What of an instance has to be as it was, for it to be deleted. */
export type KnownInstance = Pick<InstanceRow, "project_id" | "id" | "relay_id" | "last_seen_at">;
export type SeenVersion = Omit<typeof definition_versions.$inferSelect, "number">;
export type Requests = { project_id: number; sdk: string; sdk_version: string; count: number };

/** What a process saw of instances. */
type SeenInstances = {
  /** Definitions that were served, in order. */
  versions: readonly SeenVersion[];
  rows: readonly InstanceRow[];
  /** Further ids of callers that are known under one. */
  duplicates: readonly KnownInstance[];
};

/** Where a process stores what it saw. */
export type InstanceStorage = {
  /** Throws if not all of it is stored: then all of it comes again. */
  storeInstances: (seen: SeenInstances) => Promise<void>;
  /** Adds to the counts of requests for evaluated flags. */
  addRequests: (rows: readonly Requests[], now: Date) => Promise<void>;
  deleteGone: (now: Date) => Promise<void>;
};

/** Rows of one statement. */
const BATCH = 1_000;

function* batches<T>(rows: readonly T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += BATCH) yield rows.slice(at, at + BATCH);
}

/** Other processes may be numbering versions of the same project. */
const ATTEMPTS = 10;

/** Stores the versions that are not known yet, and numbers them. */
async function insertVersions(db: Db, seen: readonly SeenVersion[]): Promise<void> {
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

/**
 * Stores what was seen of instances, unless another process or relay has seen more of them since. What one relay reports
 * comes in order; its times are inexact by as long as a report takes.
 */
export async function upsertInstances(db: Db, rows: readonly InstanceRow[]): Promise<void> {
  for (const batch of batches(rows))
    await db.execute(sql`
      insert into sdk_instances as i (project_id, id, sdk, sdk_version, address, has_stream, is_tagged, content,
        content_since, sent_content, sent_at, lost_answers, first_seen_at, last_seen_at, interval_ms, relay_id)
      select r.* from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as r(project_id int, id text, sdk text,
        sdk_version text, address text, has_stream bool, is_tagged bool, content text, content_since timestamptz,
        sent_content text, sent_at timestamptz, lost_answers int, first_seen_at timestamptz,
        last_seen_at timestamptz, interval_ms int, relay_id text)
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
        interval_ms = coalesce(excluded.interval_ms, i.interval_ms), relay_id = excluded.relay_id
      where excluded.last_seen_at >= i.last_seen_at or excluded.relay_id = i.relay_id`);
}

/** Deletes instances that nobody else has seen since. */
export async function deleteInstances(db: Db, rows: readonly KnownInstance[]): Promise<void> {
  for (const batch of batches(rows))
    await db.execute(sql`
      delete from sdk_instances i
      using jsonb_to_recordset(${JSON.stringify(batch)}::jsonb)
        as r(project_id int, id text, relay_id text, last_seen_at timestamptz)
      where i.project_id = r.project_id and i.id = r.id and i.relay_id is not distinct from r.relay_id
        and (i.relay_id is not null or i.last_seen_at <= r.last_seen_at)`);
}

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

/** An instance that has not asked for so long is gone, and so is a relay that has not reported, and a program. */
const INSTANCE_KEPT = "24 hours";
const CALLER_KEPT = "30 days";
/** Definitions that nobody has any more are kept for a while, for instances that come back. */
const VERSION_KEPT = "7 days";

async function deleteGone(db: Db, now: Date): Promise<void> {
  const before = (age: string) => sql`${now.toISOString()}::timestamptz - ${age}::interval`;
  await db.execute(sql`delete from sdk_instances where last_seen_at < ${before(INSTANCE_KEPT)}`);
  await db.execute(sql`delete from sdk_relays where reported_at < ${before(INSTANCE_KEPT)}`);
  await db.execute(sql`delete from sdk_callers where last_seen_at < ${before(CALLER_KEPT)}`);
  await db.execute(sql`
    delete from definition_versions v where v.created_at < ${before(VERSION_KEPT)}
      and v.number < (select max(number) from definition_versions n where n.project_id = v.project_id)
      and not exists (select from sdk_instances i
        where i.project_id = v.project_id and v.content in (i.content, i.sent_content))
      and not exists (select from sdk_relays r where r.project_id = v.project_id and r.content = v.content)`);
}

/** Stores what processes see in the database. */
export const databaseStorage = (db: Db): InstanceStorage => ({
  async storeInstances({ versions, rows, duplicates }) {
    await insertVersions(db, versions);
    await upsertInstances(db, rows);
    await deleteInstances(db, duplicates);
  },
  addRequests: (rows, now) => addRequests(db, rows, now),
  deleteGone: (now) => deleteGone(db, now),
});

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

/** A relay that has not reported for so long is not reachable: it reports every 10 s. */
export const RELAY_SILENT_MS = 25_000;
/** After a change of the definitions, a relay reports within so long. */
const RELAY_DUE_MS = 5_000;

/** When the target was first served. */
const changedAt = (target: Target): SQL =>
  "content" in target
    ? sql`coalesce((select t.created_at from definition_versions t
        where t.project_id = ${target.project_id} and t.content = ${target.content}),
        ${target.now.toISOString()}::timestamptz)`
    : sql`${target.changed_at.toISOString()}::timestamptz`;

/** The version of the flag in what `flags` says; null for targets that are not about one. */
const versionIn = (target: Target, flags: SQL): SQL =>
  "content" in target ? sql`null::int` : sql`(${flags} ->> ${String(target.flag_id)})::int`;

/**
 * Each instance with where it is on the way to the target. Where there are relays, that is as of the report that is oldest:
 * an instance may have asked another relay than before. What a relay did before it was killed is not known.
 */
const stated = (target: Target): SQL => {
  const now = sql`${target.now.toISOString()}::timestamptz`;
  const pause = sql`coalesce(i.interval_ms, ${USUAL_INTERVAL_MS}::int)`;
  const after = (moment: SQL, ms: SQL) => sql`${moment} + ${ms} * interval '1 millisecond'`;
  const silentAt = after(
    sql`i.last_seen_at`,
    sql`greatest(${SILENT_MS}::int, ${SILENT_INTERVALS}::int * ${pause})`,
  );
  const lateAt = after(sql`i.last_seen_at`, sql`(${pause} + ${MARGIN_MS}::int)`);
  return sql`
    select i.*, r.name as relay_name, v.number, ${versionIn(target, sql`v.flags`)} as flag_version, c.changed_at,
      ${after(sql`i.last_seen_at`, pause)} as due_at, k.as_of,
      case
        when r.stopped_at is not null and ${silentAt} < ${now} then 'silent'
        when i.relay_id is not null and (r.id is null or r.stopped_at is not null
          or ${after(sql`r.reported_at`, sql`${RELAY_SILENT_MS}::int`)} < ${now}) then 'unknown'
        when ${silentAt} < k.as_of then 'silent'
        when ${has(target, sql`i.content`, sql`v.flags`)}
          then case when i.sent_content is null or ${has(target, sql`i.sent_content`, sql`s.flags`)}
            then 'confirmed' else 'unknown' end
        when ${has(target, sql`i.sent_content`, sql`s.flags`)}
          then case when i.lost_answers < ${LOST_ANSWERS}::int then 'sent' else 'undelivered' end
        when i.last_seen_at < r.run_started_at then 'unknown'
        when i.relay_id is not null and r.reported_at < c.changed_at
          and ${after(sql`c.changed_at`, sql`${RELAY_DUE_MS}::int`)} < ${now} then 'unknown'
        when ${lateAt} < least(c.changed_at, k.as_of) then 'silent'
        when ${lateAt} < k.as_of then 'behind'
        when i.relay_id is not null and not ${has(target, sql`r.content`, sql`w.flags`)}
          and ${after(sql`c.changed_at`, sql`${MARGIN_MS}::int`)} < k.as_of then 'behind'
        else 'waiting'
      end as state
    from sdk_instances i
    cross join (select ${changedAt(target)} as changed_at) c
    left join sdk_relays r on r.project_id = i.project_id and r.id = i.relay_id
    cross join (select least(${now}, (select min(o.reported_at) from sdk_relays o
      where o.project_id = ${target.project_id} and o.stopped_at is null
        and ${after(sql`o.reported_at`, sql`${RELAY_SILENT_MS}::int`)} >= ${now})) as as_of) k
    left join definition_versions v on v.project_id = i.project_id and v.content = i.content
    left join definition_versions s on s.project_id = i.project_id and s.content = i.sent_content
    left join definition_versions w on w.project_id = i.project_id and w.content = r.content
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

/** Relays of a project that are shown at most. */
const RELAYS_LISTED = 200;

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
  "id" | "sdk" | "sdk_version" | "address" | "has_stream" | "is_tagged" | "interval_ms" | "relay_id"
> & {
  state: State;
  relay_name: string | null;
  known: number;
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
  relay?: string | undefined;
};

/** The instances of some states, those that have not asked for longest first; and how many they are. */
export async function selectInstances(
  db: Db,
  target: Target,
  { states, relay, ...columns }: InstanceChoice,
  page: { limit: number; offset: number },
): Promise<{ count: number; instances: ListedInstance[] }> {
  const chosen = [
    ...(states ? [sql`state = any(${sql.param([...states])}::text[])`] : []),
    ...Object.entries({ ...columns, relay_id: relay }).flatMap(([name, value]) =>
      value === undefined ? [] : [sql`${sql.identifier(name)} = ${value}`],
    ),
  ];
  const where = chosen.length > 0 ? sql`where ${sql.join(chosen, sql` and `)}` : sql``;
  // One statement, so that both are of the same moment.
  const { rows } = await db.execute<{ count: number; instances: ListedInstance[] }>(sql`
    with stated as (${stated(target)}), chosen as (select * from stated ${where})
    select (select count(*)::int from chosen) as count, (
      select coalesce(json_agg(listed), '[]') from (
        select id, sdk, sdk_version, address, has_stream, is_tagged, interval_ms, relay_id, relay_name, state, number,
          flag_version, ${ms(sql`as_of`)} as known, ${ms(sql`first_seen_at`)} as first_seen, ${ms(sql`last_seen_at`)} as last_seen, ${ms(sql`due_at`)} as due
        from chosen order by last_seen_at, id limit ${page.limit} offset ${page.offset}
      ) listed
    ) as instances`);
  return rows[0] ?? { count: 0, instances: [] };
}

export type ListedRelay = {
  id: string;
  name: string;
  version: string;
  problem: string | null;
  state: RelayState;
  flag_version: number | null;
  number: number | null;
  /** How many versions it lacks; null: that cannot be known. */
  lacks: number | null;
  instances: number;
  served: number;
  changed: number;
  first_seen: number;
  reported: number;
};

/** The relays of a project, and where they are on the way to the target; those with most instances first. */
export async function selectRelays(db: Db, target: Target): Promise<ListedRelay[]> {
  const now = sql`${target.now.toISOString()}::timestamptz`;
  const lacks =
    "content" in target
      ? sql`(select t.number from definition_versions t where t.project_id = r.project_id
          and t.content = ${target.content}) - w.number`
      : target.deleted
        ? sql`1`
        : sql`${target.version}::int - coalesce(${versionIn(target, sql`w.flags`)}, 0)`;
  const { rows } = await db.execute<ListedRelay>(sql`
    with stated as (${stated(target)}), counted as (
      select relay_id, (count(*) filter (where state <> 'silent'))::int as instances,
        (count(*) filter (where state in ('confirmed', 'sent')))::int as served
      from stated group by 1
    )
    select r.id, r.name, r.version, r.problem, w.number, ${versionIn(target, sql`w.flags`)} as flag_version,
      case when r.stopped_at is not null then 'stopped'
        when r.reported_at + ${RELAY_SILENT_MS}::int * interval '1 millisecond' < ${now} then 'unreachable'
        when h.has_it then 'current' else 'behind' end as state,
      case when h.has_it then 0 when w.content is null then null else nullif(greatest(${lacks}, 0), 0) end as lacks,
      coalesce(c.instances, 0) as instances, coalesce(c.served, 0) as served,
      ${ms(changedAt(target))} as changed, ${ms(sql`r.first_seen_at`)} as first_seen,
      ${ms(sql`r.reported_at`)} as reported
    from sdk_relays r
    left join definition_versions w on w.project_id = r.project_id and w.content = r.content
    cross join lateral (select ${has(target, sql`r.content`, sql`w.flags`)} as has_it) h
    left join counted c on c.relay_id = r.id
    where r.project_id = ${target.project_id}
    order by c.instances desc nulls last, r.name, r.id limit ${RELAYS_LISTED}`);
  return rows;
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
