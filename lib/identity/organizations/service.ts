import { randomUUID } from "node:crypto";
import { changesBetween } from "#lib/activity/changes.ts";
import { recordInProjects } from "#lib/activity/service.ts";
import { readOrganizations, requireOrganization } from "#lib/identity/accounts/access.ts";
import { ACCOUNTS_TOPIC } from "#lib/identity/accounts/directory.ts";
import { organizationIdsOf } from "#lib/identity/accounts/reach.ts";
import { basicOf } from "#lib/identity/accounts/schema.ts";
import { projectRecordOf } from "#lib/identity/projects/service.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { requireAdmin } from "#lib/platform/http/auth.ts";
import type { AccountContext } from "#lib/platform/http/context.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { ADMIN_LEVEL, type OrganizationRow } from "#lib/platform/http/directory.ts";
import { invalid, notFound, permissionDenied } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { organizationContract } from "./contract.ts";
import type { MemberRecord, OrganizationRecord } from "./schema.ts";
import {
  findOrInsertUser,
  insertMembership,
  lockOrganization,
  type Member,
  selectMember,
  selectMembers,
  updateActive,
  updateLevel,
} from "./store.ts";

type Call<Name extends keyof typeof organizationContract> = Input<(typeof organizationContract)[Name]>;

async function recordOf(context: AccountContext, row: OrganizationRow): Promise<OrganizationRecord> {
  const level = await context.runtime.directory.level(row.id, context.user.id);
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    created_at: instant(row.created_at),
    membership_level: level || null,
  };
}

const memberOf = ({ user, membership }: Member): MemberRecord => ({
  user: basicOf(user),
  level: membership.level,
  is_active: user.is_active,
  joined_at: instant(membership.joined_at),
});

export async function list(context: AccountContext, { query }: Call<"list">) {
  if (context.key.scoped_teams.length > 0)
    throw permissionDenied("This API key is restricted to projects and cannot use an organization.");
  const all = await readOrganizations(context);
  const page = all.slice(query.offset, query.offset + query.limit);
  return {
    count: all.length,
    ...neighbours(context.url, query, all.length),
    results: await Promise.all(page.map((row) => recordOf(context, row))),
  };
}

export async function retrieve(context: AccountContext, { params }: Call<"retrieve">) {
  return recordOf(context, await requireOrganization(context, params.organization_id));
}

export async function projects(context: AccountContext, { params, query }: Call<"projects">) {
  const { id } = await requireOrganization(context, params.organization_id);
  const open = await context.runtime.directory.projectsOf(context.user, context.key);
  const all = open.filter((project) => project.organization_id === id);
  return {
    count: all.length,
    ...neighbours(context.url, query, all.length),
    results: all.slice(query.offset, query.offset + query.limit).map(projectRecordOf),
  };
}

export async function members(context: AccountContext, { params, query }: Call<"members">) {
  const { id } = await requireOrganization(context, params.organization_id);
  const { rows, count } = await selectMembers(context.db, id, query);
  return { count, ...neighbours(context.url, query, count), results: rows.map(memberOf) };
}

/** The caller's own level, as of now and behind the organization's lock. */
async function levelInside(tx: Db, context: AccountContext, organizationId: string): Promise<number> {
  await lockOrganization(tx, organizationId);
  const own = await selectMember(tx, organizationId, { id: context.user.id });
  const level = own?.membership.level ?? 0;
  if (level < ADMIN_LEVEL) throw permissionDenied("Only administrators of the organization may do this.");
  return level;
}

async function note(
  tx: Db,
  context: AccountContext,
  member: Member,
  activity: string,
  changes: ReturnType<typeof changesBetween>,
): Promise<void> {
  const { organization_id } = member.membership;
  const { projects: all } = await context.runtime.directory.current();
  const ids = [...all.values()].filter((p) => p.organization_id === organization_id).map((p) => p.id);
  await recordInProjects(tx, ids, {
    user_id: context.user.id,
    scope: "OrganizationMembership",
    item_id: member.user.uuid,
    activity,
    name: member.user.email,
    changes,
  });
  await publish(tx, ACCOUNTS_TOPIC, { organization_id });
}

export async function add_member(context: AccountContext, { params, body }: Call<"add_member">) {
  const { id } = await requireOrganization(context, params.organization_id);
  await requireAdmin(context, id);
  const level = body.level ?? 1;
  const member = await inTransaction(context.db, async (tx) => {
    if ((await levelInside(tx, context, id)) < level)
      throw permissionDenied("You cannot grant a level above your own.");
    const user = await findOrInsertUser(tx, {
      distinct_id: randomUUID(),
      email: body.email,
      first_name: body.first_name ?? "",
      last_name: body.last_name ?? "",
    });
    const membership = await insertMembership(tx, { organization_id: id, user_id: user.id, level });
    if (!membership) throw invalid("This person is already a member.", "email", "unique");
    await note(tx, context, { user, membership }, "created", []);
    return { user, membership };
  });
  context.runtime.directory.drop();
  return memberOf(member);
}

/** Switching a person off closes every organization to them: all of them must be the caller's to administer. */
async function requireAdminEverywhere(context: AccountContext, member: Member): Promise<void> {
  const accounts = await context.runtime.directory.current();
  const everywhere = organizationIdsOf(accounts, member.user.id);
  const open = (await readOrganizations(context)).map((o) => o.id);
  const levels = (id: string, user: number) => accounts.levels.get(`${id}/${user}`) ?? 0;
  const may = everywhere.every((id) => {
    const own = levels(id, context.user.id);
    return open.includes(id) && own >= ADMIN_LEVEL && own >= levels(id, member.user.id);
  });
  if (!may)
    throw permissionDenied(
      "This person belongs to an organization that you do not administer, and cannot be deactivated here.",
    );
}

async function applyUpdate(
  tx: Db,
  context: AccountContext,
  member: Member,
  body: Call<"update_member">["body"],
): Promise<Member> {
  const { user, membership } = member;
  const level = body.level ?? membership.level;
  const isActive = body.is_active ?? user.is_active;
  if (isActive !== user.is_active) {
    await requireAdminEverywhere(context, member);
    await updateActive(tx, user.id, isActive);
  }
  if (level !== membership.level) await updateLevel(tx, membership, level);
  const fields = ["level", "is_active"];
  const changes = changesBetween(
    "OrganizationMembership",
    fields,
    { level: membership.level, is_active: user.is_active },
    { level, is_active: isActive },
  );
  if (changes.length > 0) await note(tx, context, member, "updated", changes);
  return { user: { ...user, is_active: isActive }, membership: { ...membership, level } };
}

export async function update_member(context: AccountContext, { params, body }: Call<"update_member">) {
  const { id } = await requireOrganization(context, params.organization_id);
  await requireAdmin(context, id);
  const member = await inTransaction(context.db, async (tx) => {
    const own = await levelInside(tx, context, id);
    const found = await selectMember(tx, id, { uuid: params.user_uuid });
    if (!found) throw notFound();
    if (found.user.id === context.user.id)
      throw permissionDenied("You cannot change your own membership; another administrator can.");
    if (found.membership.level > own || (body.level ?? 0) > own)
      throw permissionDenied("You can only change and grant levels up to your own.");
    return applyUpdate(tx, context, found, body);
  });
  context.runtime.directory.drop();
  return memberOf(member);
}
