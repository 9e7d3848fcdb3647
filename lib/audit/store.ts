import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  lt,
  lte,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { Db, Tx } from "#lib/platform/db/connect.ts";
import { activity_log, organization_memberships, projects, users } from "#lib/platform/db/tables/accounts.ts";
import {
  audit_checkpoints,
  audit_entries,
  audit_notes,
  audit_received,
  audit_states,
} from "#lib/platform/db/tables/audit.ts";
import { type Head, leafOf } from "./chain.ts";
import type { Checkpoint } from "./keys.ts";

/** Both have the same columns. */
const SOURCES = { activity_log, audit_notes } as const;
export type Source = keyof typeof SOURCES;

/** Scope of the notes that the audit log writes about itself. */
export const OWN_SCOPE = "AuditLog";

const SEALING = 7_294_307;
const SENDING = 7_294_308;

/** Whether this transaction is the one that may seal, or send; false while another one does. */
export async function tryLock(tx: Tx, what: "sealing" | "sending"): Promise<boolean> {
  const key = what === "sealing" ? SEALING : SENDING;
  const { rows } = await tx.execute<{ held: boolean }>(
    sql`select pg_try_advisory_xact_lock(${key}::bigint) as held`,
  );
  return rows[0]?.held === true;
}

/** The same, but waits for whoever has it. */
export async function lockSealing(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${SEALING}::bigint)`);
}

export async function insertNote(db: Db, values: typeof audit_notes.$inferInsert): Promise<string> {
  const [row] = await db.insert(audit_notes).values(values).returning({ id: audit_notes.id });
  if (!row) throw new Error("A note was not stored.");
  return row.id;
}

/** A moment with microseconds, as it is hashed. */
const exact = (column: SQLWrapper) =>
  sql<string>`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A row of the activity log or a note that is to be sealed. `xid`: of its transaction. */
export type NewRow = Omit<Head, "position" | "details"> & { detail: string; xid: string };

/** The place of a row among those of its table. */
export type Place = Pick<NewRow, "xid" | "created_at" | "source_id">;

const isNew = (table: (typeof SOURCES)[Source], since: string): SQL | undefined =>
  and(gte(table.xid, since), sql`not exists (select from audit_entries e where e.source_id = ${table.id})`);

/**
 * Rows that are not in the chain, in the order of their transactions. Rows of transactions before `since` are.
 *
 * @param after the last one that was read; of each table
 */
export async function selectNewRows(
  tx: Db,
  source: Source,
  { since, after, limit, id }: { since: string; after: Place | null; limit: number; id?: string },
): Promise<NewRow[]> {
  const table = SOURCES[source];
  const rows = await tx
    .select({
      source_id: table.id,
      project_id: table.project_id,
      user_id: table.user_id,
      scope: table.scope,
      item_id: table.item_id,
      activity: table.activity,
      created_at: exact(table.created_at),
      detail: sql<string>`${table.detail}::text`,
      xid: sql<string>`${table.xid}::text`,
    })
    .from(table)
    .where(
      and(
        isNew(table, since),
        id === undefined ? undefined : eq(table.id, id),
        after
          ? sql`(${table.xid}, ${table.created_at}, ${table.id}) > (${after.xid}::xid8, ${after.created_at}::timestamptz, ${after.source_id}::uuid)`
          : undefined,
      ),
    )
    .orderBy(asc(table.xid), asc(table.created_at), asc(table.id))
    .limit(limit);
  return rows.map((row) => ({ ...row, source }));
}

const lastSeen = sql`coalesce((select seen from audit_checkpoints order by position desc limit 1), '0'::xid8)`;

/** Whether there is anything to seal: the one query of a process in which nothing happens. */
export async function hasNewRows(db: Db): Promise<boolean> {
  const found = (source: Source) => sql`exists (
    select from ${sql.identifier(source)} s where s.xid >= ${lastSeen}
    and not exists (select from audit_entries e where e.source_id = s.id))`;
  const { rows } = await db.execute<{ found: boolean }>(sql`
    select ${found("activity_log")} or ${found("audit_notes")}
      or not exists (select from audit_checkpoints) as found`);
  return rows[0]?.found === true;
}

/** Transactions before this one have ended: their rows can be seen, or never will be. */
export async function selectHorizon(tx: Db): Promise<{ xmin: string; now: Date }> {
  const { rows } = await tx.execute<{ xmin: string; now: string }>(
    sql`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, clock_timestamp() as now`,
  );
  return { xmin: rows[0]?.xmin ?? "0", now: new Date(rows[0]?.now ?? 0) };
}

export type EntryRow = Head & { salt: string; previous: string; hash: string };

/** Statements have at most 65,535 parameters. */
const INSERTED_AT_ONCE = 2_000;

export async function insertEntries(tx: Tx, entries: EntryRow[]): Promise<void> {
  for (let i = 0; i < entries.length; i += INSERTED_AT_ONCE)
    await tx.insert(audit_entries).values(entries.slice(i, i + INSERTED_AT_ONCE));
}

type StoredCheckpoint = Omit<Checkpoint, "chain"> & { seen: string };

export async function insertCheckpoint(tx: Tx, { signed_at, ...values }: StoredCheckpoint): Promise<void> {
  await tx.insert(audit_checkpoints).values({ ...values, signed_at: new Date(signed_at) });
}

/** The hash of the first entry: the name of the chain. */
export async function selectChain(db: Db): Promise<string | null> {
  const [row] = await db
    .select({ hash: audit_entries.hash })
    .from(audit_entries)
    .where(eq(audit_entries.position, 1));
  return row?.hash ?? null;
}

const checkpointOf =
  (chain: string) =>
  ({ seen: _, signed_at, ...row }: typeof audit_checkpoints.$inferSelect): Checkpoint => ({
    chain,
    ...row,
    signed_at: signed_at.toISOString(),
  });

/** The newest checkpoint, and up to which transaction rows are sealed. */
export async function selectLastCheckpoint(db: Db): Promise<{ checkpoint: Checkpoint; seen: string } | null> {
  const [row] = await db.select().from(audit_checkpoints).orderBy(desc(audit_checkpoints.position)).limit(1);
  if (!row) return null;
  return { checkpoint: checkpointOf((await selectChain(db)) ?? "")(row), seen: row.seen ?? "0" };
}

/** Checkpoints by position, the oldest first. */
export async function selectCheckpoints(
  db: Db,
  { from = 0, to, after, limit }: { from?: number; to?: number; after?: Date; limit: number },
): Promise<Checkpoint[]> {
  const rows = await db
    .select()
    .from(audit_checkpoints)
    .where(
      and(
        gte(audit_checkpoints.position, from),
        to === undefined ? undefined : lte(audit_checkpoints.position, to),
        after && gt(audit_checkpoints.signed_at, after),
      ),
    )
    .orderBy(asc(audit_checkpoints.position))
    .limit(limit);
  return rows.map(checkpointOf((await selectChain(db)) ?? ""));
}

/** Checkpoints, the newest first, before a position. */
export async function selectNewestCheckpoints(db: Db, before: number, limit: number): Promise<Checkpoint[]> {
  const rows = await db
    .select()
    .from(audit_checkpoints)
    .where(lt(audit_checkpoints.position, before))
    .orderBy(desc(audit_checkpoints.position))
    .limit(limit);
  return rows.map(checkpointOf((await selectChain(db)) ?? ""));
}

const HEAD = {
  position: audit_entries.position,
  source: audit_entries.source,
  source_id: audit_entries.source_id,
  project_id: audit_entries.project_id,
  user_id: audit_entries.user_id,
  scope: audit_entries.scope,
  item_id: audit_entries.item_id,
  activity: audit_entries.activity,
  created_at: exact(audit_entries.created_at),
  details: audit_entries.details,
  salt: audit_entries.salt,
  previous: audit_entries.previous,
  hash: audit_entries.hash,
};

/** The row that an entry seals, as it is now. */
export type SourceRow = Omit<Head, "position" | "details"> & { detail: string };

/** Entries in their order, each with the row that it seals; null where that is gone. */
export async function selectEntries(
  db: Db,
  { after, to, limit }: { after: number; to?: number; limit: number },
): Promise<(EntryRow & { row: SourceRow | null })[]> {
  const entries = await db
    .select(HEAD)
    .from(audit_entries)
    .where(
      and(gt(audit_entries.position, after), to === undefined ? undefined : lte(audit_entries.position, to)),
    )
    .orderBy(asc(audit_entries.position))
    .limit(limit);
  const rows = await selectSources(db, entries);
  return entries.map((entry) => ({ ...entry, row: rows.get(`${entry.source} ${entry.source_id}`) ?? null }));
}

async function selectSources(
  db: Db,
  entries: readonly Pick<Head, "source" | "source_id">[],
): Promise<Map<string, SourceRow>> {
  const found = new Map<string, SourceRow>();
  for (const source of ["activity_log", "audit_notes"] as const) {
    const ids = entries.flatMap((entry) => (entry.source === source ? entry.source_id : []));
    if (ids.length === 0) continue;
    const table = SOURCES[source];
    const rows = await db
      .select({
        source_id: table.id,
        project_id: table.project_id,
        user_id: table.user_id,
        scope: table.scope,
        item_id: table.item_id,
        activity: table.activity,
        created_at: exact(table.created_at),
        detail: sql<string>`${table.detail}::text`,
      })
      .from(table)
      .where(inArray(table.id, ids));
    for (const row of rows) found.set(`${source} ${row.source_id}`, { ...row, source });
  }
  return found;
}

/** What stands for entries, by position. */
export async function selectLeaves(db: Db, after: number, to: number): Promise<string[]> {
  const rows = await db
    .select(HEAD)
    .from(audit_entries)
    .where(and(gt(audit_entries.position, after), lte(audit_entries.position, to)))
    .orderBy(asc(audit_entries.position));
  return rows.map(leafOf);
}

export async function selectHash(db: Db, position: number): Promise<string | null> {
  const [row] = await db
    .select({ hash: audit_entries.hash })
    .from(audit_entries)
    .where(eq(audit_entries.position, position));
  return row?.hash ?? null;
}

/** Who administers a project reads its entries, those of the installation, and those of members of its organization. */
const readableIn = (projectId: number): SQL | undefined =>
  or(
    eq(audit_entries.project_id, projectId),
    sql`(${audit_entries.project_id} is null and (${audit_entries.user_id} is null or exists (
      select from ${organization_memberships} m join ${projects} p on p.organization_id = m.organization_id
      where p.id = ${projectId} and m.user_id = ${audit_entries.user_id})))`,
  );

/** Which of the entries between two positions a project's administrators may read. */
export async function selectReadable(
  db: Db,
  projectId: number,
  after: number,
  to: number,
): Promise<Set<number>> {
  const rows = await db
    .select({ position: audit_entries.position })
    .from(audit_entries)
    .where(and(gt(audit_entries.position, after), lte(audit_entries.position, to), readableIn(projectId)));
  return new Set(rows.map(({ position }) => position));
}

/** Positions of the entries of a project, the newest first. */
export async function selectPage(
  db: Db,
  projectId: number,
  { before, scope, limit }: { before: number; scope?: string | undefined; limit: number },
): Promise<number[]> {
  const rows = await db
    .select({ position: audit_entries.position })
    .from(audit_entries)
    .where(
      and(
        lt(audit_entries.position, before),
        readableIn(projectId),
        scope ? eq(audit_entries.scope, scope) : undefined,
      ),
    )
    .orderBy(desc(audit_entries.position))
    .limit(limit);
  return rows.map(({ position }) => position);
}

/** Entries at some positions, the newest first, and when they were sealed. */
export async function selectEntriesAt(db: Db, positions: readonly number[]) {
  if (positions.length === 0) return [];
  const sealed = sql<string | null>`(
    select to_char(c.signed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') from audit_checkpoints c
    where c.position >= ${audit_entries.position} order by c.position limit 1)`;
  const entries = await db
    .select({ ...HEAD, sealed_at: sealed })
    .from(audit_entries)
    .where(inArray(audit_entries.position, [...positions]))
    .orderBy(desc(audit_entries.position));
  const rows = await selectSources(db, entries);
  return entries.map((entry) => ({ ...entry, row: rows.get(`${entry.source} ${entry.source_id}`) ?? null }));
}

export async function selectNames(
  db: Db,
  ids: readonly number[],
): Promise<Map<number, { id: number; first_name: string; email: string }>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: users.id, first_name: users.first_name, email: users.email })
    .from(users)
    .where(inArray(users.id, [...ids]));
  return new Map(rows.map((row) => [row.id, row]));
}

/** What is not sealed yet, and for how long: rows can be dated back, but were not there at the last checkpoint. */
export async function selectUnsealed(db: Db): Promise<{ count: number; lag_seconds: number }> {
  const unsealed = (source: Source) => sql`
    select s.created_at from ${sql.identifier(source)} s
    where s.xid >= ${lastSeen} and not exists (select from audit_entries e where e.source_id = s.id)`;
  const { rows } = await db.execute<{ count: string; lag: string | null }>(sql`
    select count(*) as count, extract(epoch from clock_timestamp() - greatest(min(created_at),
      (select max(signed_at) from audit_checkpoints))) as lag
    from (${unsealed("activity_log")} union all ${unsealed("audit_notes")}) unsealed`);
  const [row] = rows;
  const count = Number(row?.count ?? 0);
  return { count, lag_seconds: count === 0 ? 0 : Math.max(0, Number(row?.lag ?? 0)) };
}

/** All rows that are not in the chain. `isLate`: nobody will ever seal it, because its transaction seems sealed. */
export async function selectOutside(
  db: Db,
  limit: number,
): Promise<{ source: Source; id: string; is_late: boolean }[]> {
  const outside = (source: Source) => sql`
    select ${source}::text as source, s.id::text as id, coalesce(s.xid < ${lastSeen}, true) as is_late
    from ${sql.identifier(source)} s
    where not exists (select from audit_entries e where e.source_id = s.id)`;
  const { rows } = await db.execute<{ source: Source; id: string; is_late: boolean }>(sql`
    ${outside("activity_log")} union all ${outside("audit_notes")} limit ${limit}`);
  return rows;
}

/** Notes of a kind in the chain, the oldest first. */
export async function selectSealedNotes(db: Db, activities: readonly string[]) {
  return db
    .select({
      position: audit_entries.position,
      activity: audit_notes.activity,
      detail: audit_notes.detail,
      created_at: audit_notes.created_at,
    })
    .from(audit_entries)
    .innerJoin(audit_notes, eq(audit_notes.id, audit_entries.source_id))
    .where(and(eq(audit_entries.scope, OWN_SCOPE), inArray(audit_entries.activity, [...activities])))
    .orderBy(asc(audit_entries.position));
}

/**
 * Entries of the project whose details contain a text; `text` is as JSON writes it. What the audit log wrote about itself
 * is left out: it names nobody, and a text such as "age" could be a part of its signatures.
 */
export async function selectContaining(
  tx: Tx,
  projectId: number,
  text: string,
  { after, limit }: { after: number; limit: number },
) {
  const found = (source: Source) => sql`
    select e.position, ${source}::text as source, s.id::text as source_id, s.detail::text as detail
    from ${sql.identifier(source)} s join audit_entries e on e.source_id = s.id
    where s.project_id = ${projectId} and s.scope <> ${OWN_SCOPE} and e.position > ${after}
      and position(lower(${text}) in lower(s.detail::text)) > 0`;
  const { rows } = await tx.execute<{ position: string; source: Source; source_id: string; detail: string }>(
    sql`${found("activity_log")} union all ${found("audit_notes")} order by 1 limit ${limit}`,
  );
  return rows.map((row) => ({ ...row, position: Number(row.position) }));
}

export async function replaceSalt(tx: Tx, position: number, salt: string): Promise<void> {
  await tx.update(audit_entries).set({ salt }).where(eq(audit_entries.position, position));
}

export async function replaceNote(tx: Tx, id: string, detail: string): Promise<void> {
  await tx.execute(sql`update audit_notes set detail = ${detail}::json where id = ${id}::uuid`);
}

/** How many rows there are before a chain begins. */
export async function countNewRows(tx: Tx): Promise<number> {
  const { rows } = await tx.execute<{ count: string }>(
    sql`select (select count(*) from activity_log) + (select count(*) from audit_notes) as count`,
  );
  return Number(rows[0]?.count ?? 0);
}

type StateName = "file" | "witness" | "verification";
type State = typeof audit_states.$inferSelect;

/** What is not known stays as it was. */
export async function writeState(
  db: Db,
  {
    position,
    report,
    ...state
  }: { name: StateName; at: Date; problem: string | null; position?: number; report?: unknown },
): Promise<void> {
  const known = { ...(position !== undefined && { position }), ...(report !== undefined && { report }) };
  await db
    .insert(audit_states)
    .values({ position: 0, ...state, ...known })
    .onConflictDoUpdate({ target: audit_states.name, set: { ...state, ...known } });
}

export async function selectStates(db: Db): Promise<Map<string, State>> {
  const rows = await db.select().from(audit_states);
  return new Map(rows.map((row) => [row.name, row]));
}

/** How many things are wrong with the log or its copies. */
export async function countProblems(db: Db): Promise<number> {
  const { rows } = await db.execute<{ count: string }>(sql`
    select coalesce(sum(coalesce(json_array_length(report -> 'problems') + (report ->> 'more')::int, 1)), 0) as count
    from audit_states where problem is not null`);
  return Number(rows[0]?.count ?? 0);
}

/** Stores a checkpoint of another Switchyard; the same one again changes nothing. */
export async function insertReceived(db: Db, projectId: number, of: Checkpoint): Promise<void> {
  await db
    .insert(audit_received)
    .values({ ...of, project_id: projectId, signed_at: new Date(of.signed_at) })
    .onConflictDoNothing();
}

type Received = Checkpoint & { received_at: Date };

/** Checkpoints of other Switchyards, the newest first. */
export async function selectReceived(
  db: Db,
  projectId: number,
  { chain, limit }: { chain?: string | undefined; limit: number },
): Promise<Received[]> {
  const rows = await db
    .select()
    .from(audit_received)
    .where(
      and(
        eq(audit_received.project_id, projectId),
        chain === undefined ? undefined : eq(audit_received.chain, chain),
      ),
    )
    .orderBy(desc(audit_received.id))
    .limit(limit);
  return rows.map(({ id: _, project_id: __, signed_at, ...row }) => ({
    ...row,
    signed_at: signed_at.toISOString(),
  }));
}
