import { and, asc, eq, inArray } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { environments, projects } from "#lib/platform/db/tables/accounts.ts";

export type EnvironmentRow = typeof environments.$inferSelect;
export type NamedEnvironment = EnvironmentRow & { project_name: string };

const fields = {
  project_id: environments.project_id,
  group_id: environments.group_id,
  place: environments.place,
  name: environments.name,
  project_name: projects.name,
};

/** The environments of an organization, group by group, each from first to last. */
export const selectEnvironments = (
  db: Db,
  organizationId: string,
  groupId?: string,
): Promise<NamedEnvironment[]> =>
  db
    .select(fields)
    .from(environments)
    .innerJoin(projects, eq(projects.id, environments.project_id))
    .where(
      and(
        eq(projects.organization_id, organizationId),
        groupId === undefined ? undefined : eq(environments.group_id, groupId),
      ),
    )
    .orderBy(asc(environments.group_id), asc(environments.place));

/** The environments of the group that a project is in, from first to last; none where it is in none. */
export const selectLinked = (db: Db, projectId: number): Promise<EnvironmentRow[]> =>
  db
    .select()
    .from(environments)
    .where(
      inArray(
        environments.group_id,
        db
          .select({ id: environments.group_id })
          .from(environments)
          .where(eq(environments.project_id, projectId)),
      ),
    )
    .orderBy(asc(environments.place));

/** Writes a group as it is to be; no rows unlink all of it. */
export async function replaceGroup(
  tx: Db,
  groupId: string,
  list: readonly Pick<EnvironmentRow, "project_id" | "name">[],
): Promise<void> {
  await tx.delete(environments).where(eq(environments.group_id, groupId));
  if (list.length === 0) return;
  await tx
    .insert(environments)
    .values(list.map(({ project_id, name }, place) => ({ project_id, name, group_id: groupId, place })));
}
