import type { AccountContext } from "#lib/platform/http/context.ts";
import type { OrganizationRow } from "#lib/platform/http/directory.ts";
import { notFound, permissionDenied } from "#lib/platform/http/errors.ts";
import { organizationIdsOf } from "./reach.ts";

type Caller = Pick<AccountContext, "runtime" | "user" | "key">;

/** The organizations that a call's key may use, in order of creation. */
export async function readOrganizations({ runtime, user, key }: Caller): Promise<OrganizationRow[]> {
  const accounts = await runtime.directory.current();
  const mine = new Set(organizationIdsOf(accounts, user.id));
  const only = key.scoped_organizations;
  return [...accounts.organizations.values()].filter(
    (o) => mine.has(o.id) && (only.length === 0 || only.includes(o.id)),
  );
}

/**
 * The organization that a path names, by id or as "@current" (that of the caller's current project).
 *
 * @throws ApiError 404 for strangers, 403 for a key that is restricted to projects or other organizations
 */
export async function requireOrganization(context: Caller, named: string): Promise<OrganizationRow> {
  const { runtime, user, key } = context;
  if (key.scoped_teams.length > 0)
    throw permissionDenied("This API key is restricted to projects and cannot use an organization.");
  const { organizations, levels } = await runtime.directory.current();
  if (named === "@current") {
    const current = (await runtime.directory.projectsOf(user, key))[0]?.organization_id;
    const open = await readOrganizations(context);
    const found = open.find((o) => o.id === current) ?? open[0];
    if (!found) throw notFound("Organization not found.");
    return found;
  }
  const found = organizations.get(named.toLowerCase());
  if (!found || !levels.has(`${found.id}/${user.id}`)) throw notFound("Organization not found.");
  if (key.scoped_organizations.length > 0 && !key.scoped_organizations.includes(found.id))
    throw permissionDenied("This API key does not have access to the requested organization.");
  return found;
}
