import { and, asc, count, desc, eq, sql } from "drizzle-orm";
import type { DestinationRow } from "#lib/notifications/deliveries/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import {
  notification_destinations as destinations,
  notification_subscriptions as subscriptions,
} from "#lib/platform/db/tables/notifications.ts";

type DestinationInsert = typeof destinations.$inferInsert;
type Project = { project_id: number };

/** Whom messages of a project may reach. */
export type Recipients = {
  destinations: readonly DestinationRow[];
  subscriptions: readonly (typeof subscriptions.$inferSelect)[];
};

const shared = ({ project_id }: Project) =>
  and(eq(destinations.project_id, project_id), sql`${destinations.kind} <> 'person'`);

export async function selectDestinations(
  db: Db,
  project: Project,
  page: { limit: number; offset: number },
): Promise<{ rows: DestinationRow[]; total: number }> {
  const rows = await db
    .select()
    .from(destinations)
    .where(shared(project))
    .orderBy(desc(destinations.created_at), desc(destinations.id))
    .limit(page.limit)
    .offset(page.offset);
  return { rows, total: await countDestinations(db, project) };
}

export async function countDestinations(db: Db, project: Project): Promise<number> {
  const [found] = await db.select({ total: count() }).from(destinations).where(shared(project));
  return found?.total ?? 0;
}

export async function selectDestination(
  db: Db,
  project: Project,
  id: string,
): Promise<DestinationRow | null> {
  const [row] = await db
    .select()
    .from(destinations)
    .where(and(shared(project), eq(destinations.id, id)));
  return row ?? null;
}

/** The same, locked until the transaction ends. */
export async function lockDestination(tx: Db, project: Project, id: string): Promise<DestinationRow | null> {
  const [row] = await tx
    .select()
    .from(destinations)
    .where(and(shared(project), eq(destinations.id, id)))
    .for("update");
  return row ?? null;
}

export async function insertDestination(tx: Db, values: DestinationInsert): Promise<DestinationRow> {
  const [row] = await tx.insert(destinations).values(values).returning();
  if (!row) throw new Error("A destination was not stored.");
  return row;
}

export async function updateDestination(
  tx: Db,
  id: string,
  values: Partial<DestinationInsert>,
): Promise<DestinationRow> {
  const [row] = await tx.update(destinations).set(values).where(eq(destinations.id, id)).returning();
  if (!row) throw new Error(`Destination ${id} vanished while it was locked.`);
  return row;
}

export async function deleteDestination(tx: Db, id: string): Promise<void> {
  await tx.delete(destinations).where(eq(destinations.id, id));
}

/** Makes sure that somebody who subscribes can be reached. */
export async function ensurePerson(tx: Db, project: Project, userId: number): Promise<void> {
  await tx
    .insert(destinations)
    .values({
      ...project,
      kind: "person",
      user_id: userId,
      name: "",
      address: "",
      types: [],
      resources: [],
      enabled: true,
    })
    .onConflictDoNothing();
}

/** Whom messages of a project may reach. */
export async function selectRecipients(tx: Db, projectId: number): Promise<Recipients> {
  const found = await tx
    .select()
    .from(destinations)
    .where(and(eq(destinations.project_id, projectId), eq(destinations.enabled, true)))
    .orderBy(asc(destinations.created_at));
  if (!found.some(({ kind }) => kind === "person")) return { destinations: found, subscriptions: [] };
  return {
    destinations: found,
    subscriptions: await tx.select().from(subscriptions).where(eq(subscriptions.project_id, projectId)),
  };
}

/** Projects of which somebody wants to be notified. */
export async function selectProjectsWithDestinations(db: Db): Promise<number[]> {
  const rows = await db
    .selectDistinct({ project_id: destinations.project_id })
    .from(destinations)
    .where(eq(destinations.enabled, true))
    .orderBy(destinations.project_id);
  return rows.map(({ project_id }) => project_id);
}
