import { randomUUID } from "node:crypto";
import { changesBetween, sameJson } from "#lib/activity/changes.ts";
import { recordInProjects } from "#lib/activity/service.ts";
import { requireOrganization } from "#lib/identity/accounts/access.ts";
import { lockOrganization } from "#lib/identity/organizations/store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { requireAdmin } from "#lib/platform/http/auth.ts";
import type { AccountContext } from "#lib/platform/http/context.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { keyAdmits } from "#lib/platform/http/directory.ts";
import { conflict, invalid, notFound } from "#lib/platform/http/errors.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { environmentContract } from "./contract.ts";
import type { EnvironmentGroup } from "./schema.ts";
import { type NamedEnvironment, replaceGroup, selectEnvironments } from "./store.ts";

type Call<Name extends keyof typeof environmentContract> = Input<(typeof environmentContract)[Name]>;
type Listed = { project_id: number; name: string };

const SCOPE = "EnvironmentGroup";

const groupOf = (id: string, rows: readonly NamedEnvironment[]): EnvironmentGroup => ({
  id,
  environments: rows.map(({ project_id, name, project_name }) => ({ project_id, name, project_name })),
});

const listed = (rows: readonly Listed[]): Listed[] =>
  rows.map(({ project_id, name }) => ({ project_id, name }));

export async function list(context: AccountContext, { params, query }: Call<"list">) {
  const organization = await requireOrganization(context, params.organization_id);
  const rows = await selectEnvironments(context.db, organization.id);
  const groups = [...Map.groupBy(rows, ({ group_id }) => group_id)].map(([id, own]) => groupOf(id, own));
  return {
    count: groups.length,
    ...neighbours(context.url, query, groups.length),
    results: groups.slice(query.offset, query.offset + query.limit),
  };
}

/** @throws ApiError 400 for projects of other organizations, and for those that another group has */
async function check(
  context: AccountContext,
  organizationId: string,
  groupId: string,
  list: readonly Listed[],
  existing: readonly NamedEnvironment[],
): Promise<void> {
  const { projects } = await context.runtime.directory.current();
  for (const [place, { project_id }] of list.entries()) {
    const attr = `environments__${place}__project_id`;
    const project = projects.get(project_id);
    if (project?.organization_id !== organizationId || !keyAdmits(context.key, project))
      throw invalid(`Project ${project_id} does not exist in this organization.`, attr, "does_not_exist");
    if (existing.some((each) => each.project_id === project_id && each.group_id !== groupId))
      throw invalid(`${project.name} is an environment of other projects already.`, attr, "unique");
  }
}

/** Logs a change of a group in every project that is or was in it. */
async function note(
  tx: Db,
  { user }: AccountContext,
  id: string,
  activity: string,
  { before, after }: { before: readonly Listed[]; after: readonly Listed[] },
): Promise<void> {
  const names = (rows: readonly Listed[]) => rows.map(({ name }) => name).join(" → ");
  const texts = (rows: readonly Listed[]) => rows.map(({ project_id, name }) => `${name} (${project_id})`);
  await recordInProjects(tx, [...new Set([...before, ...after].map(({ project_id }) => project_id))], {
    user_id: user.id,
    scope: SCOPE,
    item_id: id,
    activity,
    name: names(after.length > 0 ? after : before),
    changes: changesBetween(
      SCOPE,
      ["environments"],
      { environments: texts(before) },
      { environments: texts(after) },
    ),
  });
}

export async function create(
  context: AccountContext,
  { params, body }: Call<"create">,
): Promise<EnvironmentGroup> {
  const { id: organizationId } = await requireOrganization(context, params.organization_id);
  await requireAdmin(context, organizationId);
  const id = randomUUID();
  return inTransaction(context.db, async (tx) => {
    await lockOrganization(tx, organizationId);
    const existing = await selectEnvironments(tx, organizationId);
    await check(context, organizationId, id, body.environments, existing);
    await replaceGroup(tx, id, body.environments);
    await note(tx, context, id, "created", { before: [], after: body.environments });
    return groupOf(id, await selectEnvironments(tx, organizationId, id));
  });
}

/** Changes a group, behind the lock of its organization. @throws ApiError 404 where there is none */
async function change<T>(
  context: AccountContext,
  params: Call<"destroy">["params"],
  work: (
    tx: Db,
    group: { organizationId: string; before: NamedEnvironment[]; existing: NamedEnvironment[] },
  ) => Promise<T>,
): Promise<T> {
  const { id: organizationId } = await requireOrganization(context, params.organization_id);
  await requireAdmin(context, organizationId);
  return inTransaction(context.db, async (tx) => {
    await lockOrganization(tx, organizationId);
    const existing = await selectEnvironments(tx, organizationId);
    const before = existing.filter(({ group_id }) => group_id === params.id);
    if (before.length === 0) throw notFound();
    return work(tx, { organizationId, before, existing });
  });
}

export const partial_update = (
  context: AccountContext,
  { params, body }: Call<"partial_update">,
): Promise<EnvironmentGroup> =>
  change(context, params, async (tx, { organizationId, before, existing }) => {
    const { environments: after, original_environments: original } = body;
    if (original && !sameJson(listed(original), listed(before)))
      throw conflict("Somebody else has changed these environments since you started editing them.");
    await check(context, organizationId, params.id, after, existing);
    if (!sameJson(listed(before), listed(after))) {
      await replaceGroup(tx, params.id, after);
      await note(tx, context, params.id, "updated", { before, after });
    }
    return groupOf(params.id, await selectEnvironments(tx, organizationId, params.id));
  });

export const destroy = (context: AccountContext, { params }: Call<"destroy">): Promise<undefined> =>
  change(context, params, async (tx, { before }) => {
    await replaceGroup(tx, params.id, []);
    await note(tx, context, params.id, "deleted", { before, after: [] });
    return undefined;
  });
