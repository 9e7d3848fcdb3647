import { and, count, desc, eq } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#lib/platform/db/connect.ts";
import { approved_states, approval_policies as policies } from "#lib/platform/db/tables/approvals.ts";
import { readStored } from "#lib/platform/http/stored-schema.ts";
import type { Policy } from "./requirements.ts";
import { policyConditions } from "./schema.ts";

export type PolicyRow = Policy & Omit<typeof policies.$inferSelect, keyof Policy>;
type PolicyValues = Omit<PolicyRow, "id" | "created_at">;
type Project = { project_id: number };

const stored = z.object({ conditions: policyConditions });

/** Conditions that this release cannot read are none: the policy is then in force for every change. */
const read = (row: typeof policies.$inferSelect): PolicyRow => {
  const { unreadable_fields: _, ...readable } = readStored(stored, row);
  return readable as PolicyRow;
};

export async function selectPolicies(
  db: Db,
  filter: Project & { action_key?: string | undefined; enabled?: boolean | undefined },
  page: { limit: number; offset: number },
): Promise<{ rows: PolicyRow[]; total: number }> {
  const where = and(
    eq(policies.project_id, filter.project_id),
    filter.action_key === undefined ? undefined : eq(policies.action_key, filter.action_key),
    filter.enabled === undefined ? undefined : eq(policies.enabled, filter.enabled),
  );
  const rows = await db
    .select()
    .from(policies)
    .where(where)
    .orderBy(desc(policies.created_at), desc(policies.id))
    .limit(page.limit)
    .offset(page.offset);
  const [found] = await db.select({ total: count() }).from(policies).where(where);
  return { rows: rows.map(read), total: found?.total ?? 0 };
}

/** Every policy of a project, the oldest first. */
export async function selectAllPolicies(db: Db, projectId: number): Promise<PolicyRow[]> {
  const rows = await db
    .select()
    .from(policies)
    .where(eq(policies.project_id, projectId))
    .orderBy(policies.created_at, policies.id);
  return rows.map(read);
}

const one = ({ project_id }: Project, id: string) =>
  and(eq(policies.project_id, project_id), eq(policies.id, id));

export async function selectPolicy(db: Db, project: Project, id: string): Promise<PolicyRow | null> {
  const [row] = await db.select().from(policies).where(one(project, id));
  return row ? read(row) : null;
}

/** The same, locked until the transaction ends. */
export async function lockPolicy(tx: Db, project: Project, id: string): Promise<PolicyRow | null> {
  const [row] = await tx.select().from(policies).where(one(project, id)).for("update");
  return row ? read(row) : null;
}

export async function countPolicies(tx: Db, { project_id }: Project): Promise<number> {
  const [found] = await tx
    .select({ total: count() })
    .from(policies)
    .where(eq(policies.project_id, project_id));
  return found?.total ?? 0;
}

export async function insertPolicy(tx: Db, values: PolicyValues): Promise<PolicyRow> {
  const [row] = await tx.insert(policies).values(values).returning();
  if (!row) throw new Error("A policy was not stored.");
  return read(row);
}

export async function updatePolicy(tx: Db, id: string, values: Partial<PolicyValues>): Promise<PolicyRow> {
  const [row] = await tx.update(policies).set(values).where(eq(policies.id, id)).returning();
  if (!row) throw new Error(`Policy ${id} vanished while it was locked.`);
  return read(row);
}

export async function deletePolicy(tx: Db, id: string): Promise<void> {
  await tx.delete(policies).where(eq(policies.id, id));
}

/** Whether any policy of a project is enabled. */
export async function hasEnabled(tx: Db, { project_id }: Project): Promise<boolean> {
  const [row] = await tx
    .select({ id: policies.id })
    .from(policies)
    .where(and(eq(policies.project_id, project_id), eq(policies.enabled, true)))
    .limit(1);
  return row !== undefined;
}

/** Forgets what was approved: what is served when policies come into force again is then taken as approved. */
export async function forgetApproved(tx: Db, { project_id }: Project): Promise<void> {
  await tx.delete(approved_states).where(eq(approved_states.project_id, project_id));
}
