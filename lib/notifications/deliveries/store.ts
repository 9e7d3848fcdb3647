import { and, asc, count, desc, eq, inArray, isNull, lte, ne, or, sql } from "drizzle-orm";
import type { Payload } from "#lib/notifications/messages/payload-schema.ts";
import { TEST_TYPE } from "#lib/notifications/messages/types-schema.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import {
  notification_deliveries as deliveries,
  notification_destinations as destinations,
  notification_messages as messages,
} from "#lib/platform/db/tables/notifications.ts";

export type DestinationRow = typeof destinations.$inferSelect;
type DeliveryRow = typeof deliveries.$inferSelect;
type MessageRow = Omit<typeof messages.$inferSelect, "payload"> & { payload: Payload };
export type Sent = { delivery: DeliveryRow; message: MessageRow };
type DeliveryInsert = typeof deliveries.$inferInsert;

const at = (moment: Date) => sql`${moment.toISOString()}::timestamptz`;

export async function insertMessages(
  tx: Db,
  rows: readonly (typeof messages.$inferInsert & { payload: Payload })[],
): Promise<void> {
  if (rows.length > 0) await tx.insert(messages).values([...rows]);
}

export async function insertDeliveries(tx: Db, rows: readonly DeliveryInsert[]): Promise<void> {
  if (rows.length > 0)
    await tx
      .insert(deliveries)
      .values([...rows])
      .onConflictDoNothing();
}

/** How many messages wait for each of some destinations. */
export async function countWaiting(db: Db, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: deliveries.destination_id, n: count() })
    .from(deliveries)
    .where(and(inArray(deliveries.destination_id, [...ids]), eq(deliveries.state, "waiting")))
    .groupBy(deliveries.destination_id);
  return new Map(rows.map(({ id, n }) => [id, n]));
}

/**
 * Takes destinations for which something is due, those first whose message has waited longest. Nobody else sends to
 * them until the claim is given back or has expired.
 */
export async function claimDestinations(
  db: Db,
  { now, until, limit }: { now: Date; until: Date; limit: number },
): Promise<DestinationRow[]> {
  const due = db
    .select({ id: destinations.id })
    .from(destinations)
    .where(
      and(
        eq(destinations.enabled, true),
        or(isNull(destinations.claimed_until), lte(destinations.claimed_until, at(now))),
        or(isNull(destinations.blocked_until), lte(destinations.blocked_until, at(now))),
        sql`exists (select from ${deliveries} where ${deliveries.destination_id} = ${destinations.id}
          and ${deliveries.state} = 'waiting' and ${deliveries.next_at} <= ${at(now)})`,
      ),
    )
    .orderBy(sql`(select min(${deliveries.next_at}) from ${deliveries}
      where ${deliveries.destination_id} = ${destinations.id} and ${deliveries.state} = 'waiting')`)
    .limit(limit)
    .for("update", { skipLocked: true });
  return db
    .update(destinations)
    .set({ claimed_until: until })
    .where(inArray(destinations.id, due))
    .returning();
}

/** Keeps a claim. @returns false where it has expired and somebody else has it, or the destination is off */
export async function renewClaim(db: Db, row: DestinationRow, until: Date): Promise<boolean> {
  const [kept] = await db
    .update(destinations)
    .set({ claimed_until: until })
    .where(
      and(
        eq(destinations.id, row.id),
        eq(destinations.enabled, true),
        row.claimed_until ? eq(destinations.claimed_until, row.claimed_until) : undefined,
      ),
    )
    .returning({ id: destinations.id });
  return kept !== undefined;
}

/** Gives a claim back, with what is known of the destination now. */
export async function releaseClaim(
  db: Db,
  id: string,
  values: Partial<Pick<DestinationRow, "failures" | "blocked_until" | "delivered_at">>,
): Promise<void> {
  await db
    .update(destinations)
    .set({ ...values, claimed_until: null })
    .where(eq(destinations.id, id));
}

/** What is due for a destination, in the order in which it happened. */
export async function selectDueDeliveries(
  db: Db,
  destinationId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<Sent[]> {
  const rows = await db
    .select({ delivery: deliveries, message: messages })
    .from(deliveries)
    .innerJoin(messages, eq(messages.id, deliveries.message_id))
    .where(
      and(
        eq(deliveries.destination_id, destinationId),
        eq(deliveries.state, "waiting"),
        lte(deliveries.next_at, at(now)),
      ),
    )
    .orderBy(asc(deliveries.id))
    .limit(limit);
  return rows as Sent[];
}

/** What waits for the next digest of somebody, in the order in which it happened. */
export async function selectDigest(
  db: Db,
  of: { project_id: number; user_id: number },
  { limit }: { limit: number },
): Promise<Sent[]> {
  const rows = await db
    .select({ delivery: deliveries, message: messages })
    .from(deliveries)
    .innerJoin(messages, eq(messages.id, deliveries.message_id))
    .innerJoin(destinations, eq(destinations.id, deliveries.destination_id))
    .where(
      and(
        eq(destinations.project_id, of.project_id),
        eq(destinations.user_id, of.user_id),
        eq(destinations.kind, "person"),
        eq(deliveries.state, "waiting"),
        eq(deliveries.digest, true),
      ),
    )
    .orderBy(asc(deliveries.id))
    .limit(limit);
  return rows as Sent[];
}

export async function updateDeliveries(
  db: Db,
  ids: readonly number[],
  values: Partial<DeliveryInsert>,
): Promise<void> {
  await db
    .update(deliveries)
    .set(values)
    .where(inArray(deliveries.id, [...ids]));
}

/** Gives up what has waited too long for a destination that does not answer. */
export async function expireDeliveries(
  db: Db,
  destinationId: string,
  { now, error }: { now: Date; error: string },
): Promise<void> {
  await db
    .update(deliveries)
    .set({ state: "dead", ended_at: now, error })
    .where(
      and(
        eq(deliveries.destination_id, destinationId),
        eq(deliveries.state, "waiting"),
        lte(deliveries.expires_at, at(now)),
      ),
    );
}

/** Gives up everything that waits for a destination. */
export async function abandonDeliveries(
  db: Db,
  destinationId: string,
  { now, error }: { now: Date; error: string },
): Promise<void> {
  await db
    .update(deliveries)
    .set({ state: "dead", ended_at: now, error })
    .where(and(eq(deliveries.destination_id, destinationId), eq(deliveries.state, "waiting")));
}

export type DeliveryFilter = {
  project_id: number;
  destination_id?: string | undefined;
  state?: DeliveryRow["state"] | undefined;
};

/** What was sent to the destinations of a project, newest first; what people subscribed to is theirs. */
export async function selectDeliveries(
  db: Db,
  filter: DeliveryFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: (Sent & { name: string })[]; total: number }> {
  const where = and(
    eq(deliveries.project_id, filter.project_id),
    filter.destination_id === undefined ? undefined : eq(deliveries.destination_id, filter.destination_id),
    filter.state === undefined ? undefined : eq(deliveries.state, filter.state),
    sql`${destinations.kind} <> 'person'`,
  );
  const rows = await db
    .select({ delivery: deliveries, message: messages, name: destinations.name })
    .from(deliveries)
    .innerJoin(messages, eq(messages.id, deliveries.message_id))
    .innerJoin(destinations, eq(destinations.id, deliveries.destination_id))
    .where(where)
    .orderBy(desc(deliveries.id))
    .limit(page.limit)
    .offset(page.offset);
  const [found] = await db
    .select({ total: count() })
    .from(deliveries)
    .innerJoin(destinations, eq(destinations.id, deliveries.destination_id))
    .where(where);
  return { rows: rows as (Sent & { name: string })[], total: found?.total ?? 0 };
}

/** How many messages wait for the destinations of a project, and how many were given up; tests are left out. */
export async function countByState(
  db: Db,
  projectId: number,
): Promise<Map<string, { waiting: number; dead: number; dead_since: Date | null }>> {
  const rows = await db
    .select({
      id: deliveries.destination_id,
      waiting: sql<number>`(count(*) filter (where ${deliveries.state} = 'waiting'))::int`,
      dead: sql<number>`(count(*) filter (where ${deliveries.state} = 'dead'))::int`,
      dead_since:
        sql<Date | null>`min(${deliveries.ended_at}) filter (where ${deliveries.state} = 'dead')`.mapWith(
          deliveries.ended_at,
        ),
    })
    .from(deliveries)
    .innerJoin(messages, eq(messages.id, deliveries.message_id))
    .where(
      and(
        eq(deliveries.project_id, projectId),
        inArray(deliveries.state, ["waiting", "dead"]),
        ne(messages.type, TEST_TYPE),
      ),
    )
    .groupBy(deliveries.destination_id);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/**
 * Puts what was given up in line again.
 *
 * @param of one of them, or all of a destination
 * @returns how many
 */
export async function replayDead(
  tx: Db,
  of: { project_id: number; destination_id: string; id?: number },
  { now, expires_at }: { now: Date; expires_at: Date },
): Promise<number> {
  const { rowCount } = await tx
    .update(deliveries)
    .set({ state: "waiting", attempts: 0, next_at: now, expires_at, ended_at: null })
    .where(
      and(
        eq(deliveries.project_id, of.project_id),
        eq(deliveries.destination_id, of.destination_id),
        of.id === undefined ? undefined : eq(deliveries.id, of.id),
        eq(deliveries.state, "dead"),
      ),
    );
  await tx
    .update(destinations)
    .set({ failures: 0, blocked_until: null })
    .where(and(eq(destinations.project_id, of.project_id), eq(destinations.id, of.destination_id)));
  return rowCount ?? 0;
}

export async function selectDelivery(db: Db, projectId: number, id: number) {
  const [row] = await db
    .select({
      delivery: deliveries,
      message: messages,
      name: destinations.name,
      enabled: destinations.enabled,
    })
    .from(deliveries)
    .innerJoin(messages, eq(messages.id, deliveries.message_id))
    .innerJoin(destinations, eq(destinations.id, deliveries.destination_id))
    .where(
      and(eq(deliveries.id, id), eq(deliveries.project_id, projectId), sql`${destinations.kind} <> 'person'`),
    );
  return (row ?? null) as (Sent & { name: string; enabled: boolean }) | null;
}

/**
 * Deletes what need not be stored any more: what was delivered or given up before certain moments, what a destination
 * has too much of, and messages that are on no way.
 */
export async function prune(
  db: Db,
  { delivered, dead, dead_max }: { delivered: Date; dead: Date; dead_max: number },
): Promise<void> {
  await db.execute(sql`delete from ${deliveries} where (state = 'delivered' and ended_at < ${at(delivered)})
    or (state = 'dead' and ended_at < ${at(dead)})`);
  await db.execute(sql`delete from ${deliveries} where id in (
    select id from (select id, row_number() over (partition by destination_id order by id desc) as place
      from ${deliveries} where state = 'dead') ranked where place > ${dead_max})`);
  await db.execute(sql`delete from ${messages} where created_at < ${at(delivered)}
    and not exists (select from ${deliveries} where message_id = ${messages.id})`);
}
