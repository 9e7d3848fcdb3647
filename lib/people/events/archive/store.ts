import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { projects } from "#lib/platform/db/tables/accounts.ts";

/** A closed day of a project. */
export type Day = { project_id: number; day: string };

/** Which events a day has: how many, and their uuids combined in a way that does not depend on their order. */
export type Digest = { events: number; uuids: string };

export const EMPTY_DIGEST: Digest = { events: 0, uuids: "0".repeat(32) };

/** Both sides of a digest: what the database combines, and what a program does with the rows that it reads. */
const combined = sql`bit_xor(('x' || replace(uuid::text, '-', ''))::bit(128))::text`;
const fromBits = (bits: string) => BigInt(`0b${bits}`).toString(16).padStart(32, "0");
export const withUuid = ({ events, uuids }: Digest, uuid: string): Digest => ({
  events: events + 1,
  uuids: (BigInt(`0x${uuids}`) ^ BigInt(`0x${uuid.replaceAll("-", "")}`)).toString(16).padStart(32, "0"),
});

/** What the table of events has of a day, and how many events only the copy in ClickHouse has besides. */
export type StoredDay = Day & Digest & { kept: number };

/** Days before one, of one project or all, with what they have; reads the whole table once. */
export async function selectDays(
  db: Db,
  { projectId, before, receivedBefore }: { projectId: number | null; before: string; receivedBefore: Date },
): Promise<StoredDay[]> {
  const ofProject = projectId === null ? sql`` : sql`and project_id = ${projectId}`;
  const { rows } = await db.execute<Day & { events: number; bits: string | null; kept: number }>(sql`
    select project_id, day, coalesce(e.events, 0) as events, e.bits, coalesce(k.kept, 0) as kept from (
      select project_id, (timestamp at time zone 'UTC')::date::text as day, count(*)::int as events, ${combined} as bits
      from events
      where timestamp < ${before}::timestamptz and created_at < ${receivedBefore.toISOString()}::timestamptz ${ofProject}
      group by 1, 2
    ) e full join (
      select project_id, day::text as day, sum(count)::float8 as kept from event_history_kept
      where day < ${before}::date ${ofProject} group by 1, 2
    ) k using (project_id, day)
    order by 1, 2`);
  return rows.map(({ bits, ...row }) => ({ ...row, uuids: bits ? fromBits(bits) : EMPTY_DIGEST.uuids }));
}

const within = ({ project_id, day }: Day, receivedBefore: Date): SQL => sql`
  project_id = ${project_id} and timestamp >= ${day}::timestamptz and timestamp < ${day}::timestamptz + interval '1 day'
  and created_at < ${receivedBefore.toISOString()}::timestamptz`;

/** What a day has of the events that were received before a moment. */
export async function selectDigest(db: Db, day: Day, receivedBefore: Date): Promise<Digest> {
  const { rows } = await db.execute<{ events: number; bits: string | null }>(sql`
    select count(*)::int as events, ${combined} as bits from events where ${within(day, receivedBefore)}`);
  const row = rows[0];
  return row?.bits ? { events: row.events, uuids: fromBits(row.bits) } : EMPTY_DIGEST;
}

export type ArchiveRow = {
  uuid: string;
  event: string;
  distinct_id: string;
  /** The uuid of whoever has that distinct id now. */
  person_id: string | null;
  /** Exact, for the next page. */
  at: string;
  timestamp_us: string;
  /** Null: of an event that only the copy has, which does not say it. */
  created_at_us: string | null;
  /** JSON. */
  properties: string;
};

/** What a file has of an event. */
export type FileRow = Omit<ArchiveRow, "at">;

const PAGE_ROWS = 5_000;
const PAGE_BYTES = 8 * 1024 * 1024;
const ORDER = sql`event, timestamp, uuid`;
const micros = (column: SQL) => sql`(extract(epoch from ${column}) * 1000000)::bigint::text`;

/** The next events of a day, by name and time: so many, or as many as have so many bytes together. */
export async function selectPage(
  db: Db,
  day: Day,
  receivedBefore: Date,
  after: ArchiveRow | undefined,
): Promise<ArchiveRow[]> {
  const next = after
    ? sql`and (${ORDER}) > (${after.event}, ${after.at}::timestamptz, ${after.uuid}::uuid)`
    : sql``;
  const { rows } = await db.execute<ArchiveRow>(sql`
    with page as (
      select uuid, event, distinct_id, timestamp, created_at, properties::text as properties from events
      where ${within(day, receivedBefore)} ${next}
      order by ${ORDER} limit ${PAGE_ROWS}
    ), sized as (
      select *, row_number() over w as place, sum(octet_length(properties)) over w as bytes from page window w as (order by ${ORDER})
    )
    select e.uuid, e.event, e.distinct_id, p.uuid as person_id, e.timestamp::text as at,
      ${micros(sql`e.timestamp`)} as timestamp_us, ${micros(sql`e.created_at`)} as created_at_us, e.properties
    from sized e
    left join person_distinct_ids d on d.project_id = ${day.project_id} and d.distinct_id = e.distinct_id
    left join persons p on p.id = d.person_id
    where e.bytes <= ${PAGE_BYTES} or e.place = 1
    order by e.place`);
  return rows;
}

/** The uuids of the persons who have these distinct ids now. */
export async function selectOwners(
  db: Db,
  projectId: number,
  distinctIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.execute<{ distinct_id: string; uuid: string }>(sql`
    select d.distinct_id, p.uuid from person_distinct_ids d join persons p on p.id = d.person_id
    where d.project_id = ${projectId} and d.distinct_id = any(${sql.param([...distinctIds])}::text[])`);
  return new Map(rows.map((row) => [row.distinct_id, row.uuid]));
}

export async function hasProject(db: Db, id: number): Promise<boolean> {
  const found = await db.select({ id: projects.id }).from(projects).where(sql`${projects.id} = ${id}`);
  return found.length > 0;
}
