import { and, count, desc, eq, gte, inArray, lte, or, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { descending } from "#lib/platform/db/descending.ts";
import {
  change_requests as requests,
  change_request_reviews as reviews,
} from "#lib/platform/db/tables/approvals.ts";

export type RequestRow = typeof requests.$inferSelect;
export type RequestInsert = typeof requests.$inferInsert;
export type ReviewRow = typeof reviews.$inferSelect;

export type RequestFilter = {
  project_id: number;
  /** What has waited too long by then counts as expired. */
  states?: { in: string[]; at: Date } | undefined;
  action_key?: string | undefined;
  created_by_id?: number | undefined;
  resource_type?: string | undefined;
  resource_id?: string | undefined;
  /** A record that it changes, possibly among others: `feature_flag/3`. */
  writes?: string | undefined;
};

const stateAt = (at: Date) =>
  sql<string>`case when ${requests.state} = 'pending' and ${requests.expires_at} <= ${at.toISOString()}::timestamptz then 'expired' else ${requests.state} end`;

export async function selectRequests(
  db: Db,
  filter: RequestFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: RequestRow[]; total: number }> {
  const same = <K extends "action_key" | "created_by_id" | "resource_type" | "resource_id">(name: K) =>
    filter[name] === undefined ? undefined : eq(requests[name], filter[name] as never);
  const where = and(
    eq(requests.project_id, filter.project_id),
    filter.states && inArray(stateAt(filter.states.at), filter.states.in),
    same("action_key"),
    same("created_by_id"),
    same("resource_type"),
    same("resource_id"),
    filter.writes === undefined ? undefined : sql`${requests.shown}::jsonb -> 'seen' ? ${filter.writes}`,
  );
  const rows = await db
    .select()
    .from(requests)
    .where(where)
    .orderBy(descending(requests.created_at), desc(requests.id))
    .limit(page.limit)
    .offset(page.offset);
  const [found] = await db.select({ total: count() }).from(requests).where(where);
  return { rows, total: found?.total ?? 0 };
}

const one = (projectId: number, id: string) => and(eq(requests.project_id, projectId), eq(requests.id, id));

export async function selectRequest(db: Db, projectId: number, id: string): Promise<RequestRow | null> {
  const [row] = await db.select().from(requests).where(one(projectId, id));
  return row ?? null;
}

/** The same, locked until the transaction ends. */
export async function lockRequest(tx: Db, projectId: number, id: string): Promise<RequestRow | null> {
  const [row] = await tx.select().from(requests).where(one(projectId, id)).for("update");
  return row ?? null;
}

/** The requests whose moment has come. */
export const selectDueRequests = (db: Db, now: Date): Promise<{ id: string }[]> =>
  db
    .select({ id: requests.id })
    .from(requests)
    .where(
      and(eq(requests.state, "approved"), lte(requests.apply_at, sql`${now.toISOString()}::timestamptz`)),
    )
    .orderBy(requests.apply_at);

/** Requests of a project whose calls may name people, locked until the transaction ends. */
export const selectNaming = (tx: Db, projectId: number) =>
  tx
    .select({ id: requests.id, calls: requests.calls, intent_display: requests.intent_display })
    .from(requests)
    .where(
      and(
        eq(requests.project_id, projectId),
        sql`${requests.intent_display}::text ~ '"(person|distinct)_ids?"'`,
      ),
    )
    .orderBy(requests.id)
    .for("update");

/** One request of any project. */
export async function selectAnyRequest(db: Db, id: string): Promise<RequestRow | null> {
  const [row] = await db.select().from(requests).where(eq(requests.id, id));
  return row ?? null;
}

export async function insertRequest(tx: Db, values: RequestInsert): Promise<RequestRow> {
  const [row] = await tx.insert(requests).values(values).returning();
  if (!row) throw new Error("A change request was not stored.");
  return row;
}

export async function updateRequest(tx: Db, id: string, values: Partial<RequestInsert>): Promise<RequestRow> {
  const [row] = await tx.update(requests).set(values).where(eq(requests.id, id)).returning();
  if (!row) throw new Error(`Change request ${id} vanished while it was locked.`);
  return row;
}

/** What some change requests of a project would write, as `feature_flag/3`, by the request's id. */
export async function selectWrittenBy(
  db: Db,
  projectId: number,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({
      id: requests.id,
      written: sql<{ resource: string; id: string }[] | null>`${requests.shown} -> 'written'`,
    })
    .from(requests)
    .where(and(eq(requests.project_id, projectId), inArray(requests.id, [...ids])));
  return new Map(
    rows.map(({ id, written }) => [id, (written ?? []).map((each) => `${each.resource}/${each.id}`)]),
  );
}

/**
 * The change requests of a project that still wait, and those that somebody made and that ended since a moment without
 * being applied; newest first.
 */
export async function selectOpenOrFailed(
  db: Db,
  { project_id, user_id, since, limit }: { project_id: number; user_id: number; since: Date; limit: number },
): Promise<RequestRow[]> {
  return db
    .select()
    .from(requests)
    .where(
      and(
        eq(requests.project_id, project_id),
        or(
          eq(requests.state, "pending"),
          and(
            eq(requests.created_by_id, user_id),
            inArray(requests.state, ["expired", "failed"]),
            gte(requests.updated_at, since),
          ),
        ),
      ),
    )
    .orderBy(descending(requests.created_at), desc(requests.id))
    .limit(limit);
}

/** Votes and comments, the oldest first. */
export async function selectReviews(db: Db, requestIds: readonly string[]): Promise<ReviewRow[]> {
  if (requestIds.length === 0) return [];
  return db
    .select()
    .from(reviews)
    .where(inArray(reviews.change_request_id, [...requestIds]))
    .orderBy(reviews.id);
}

export async function insertReview(tx: Db, values: typeof reviews.$inferInsert): Promise<void> {
  await tx.insert(reviews).values(values);
}

/** Votes for changes that were replaced count no more; comments stay. */
export async function deleteVotes(tx: Db, requestId: string): Promise<void> {
  await tx
    .delete(reviews)
    .where(
      and(
        eq(reviews.change_request_id, requestId),
        inArray(reviews.decision, ["approved", "rejected", "changes_requested"]),
      ),
    );
}
