import { isRestricted, organizationIdsOf, type Restriction, reachOf } from "#lib/identity/accounts/reach.ts";
import { covers } from "#lib/platform/http/auth.ts";
import type { Scope } from "#lib/platform/http/contract.ts";
import {
  ADMIN_LEVEL,
  type Directory,
  type KeyRow,
  keyAdmits,
  type UserRow,
} from "#lib/platform/http/directory.ts";
import { invalid, permissionDenied } from "#lib/platform/http/errors.ts";

type Accounts = Awaited<ReturnType<Directory["current"]>>;
export type Actor = { accounts: Accounts; user: UserRow; key: KeyRow };

const levelOf = ({ accounts }: Actor, organizationId: string, userId: number): number =>
  accounts.levels.get(`${organizationId}/${userId}`) ?? 0;

/** Organizations of a person in which the caller's key may act as an administrator above or beside them. */
export function listAdministered(actor: Actor, userId: number): string[] {
  const open = reachOf(actor.accounts, actor.user.id, actor.key);
  return organizationIdsOf(actor.accounts, userId).filter((id) => {
    const own = levelOf(actor, id, actor.user.id);
    return open.get(id) === "all" && own >= ADMIN_LEVEL && own >= levelOf(actor, id, userId);
  });
}

/** Whether the caller may know of a key: an own one, or one that opens an organization they administer. */
export function maySee(actor: Actor, target: KeyRow): boolean {
  if (target.id === actor.key.id) return true;
  const reach = reachOf(actor.accounts, target.user_id, target);
  if (target.user_id === actor.user.id) return isWithin(actor, target);
  return listAdministered(actor, target.user_id).some((id) => reach.has(id));
}

/** Whether a key of the caller's opens nothing that the key in use does not open, now or later. */
function isWithin({ accounts, key }: Actor, target: Restriction): boolean {
  if (!isRestricted(key)) return true;
  if (target.scoped_teams.length > 0)
    return target.scoped_teams.every((id) => {
      const project = accounts.projects.get(id);
      return project ? keyAdmits(key, project) : key.scoped_teams.includes(id);
    });
  const wanted = target.scoped_organizations;
  return (
    wanted.length > 0 &&
    key.scoped_teams.length === 0 &&
    wanted.every((id) => key.scoped_organizations.includes(id))
  );
}

/**
 * Refuses what would let a key open more than the key in use does, or lend the caller somebody else's access.
 *
 * @throws ApiError 403
 */
export function requireReach(actor: Actor, userId: number, target: Restriction): void {
  if (userId === actor.user.id) {
    if (isWithin(actor, target)) return;
    throw permissionDenied(
      "An API key cannot give access to projects or organizations that it cannot use itself.",
    );
  }
  const mine = new Set(listAdministered(actor, userId));
  const wanted = [...reachOf(actor.accounts, userId, target).keys()];
  if (isRestricted(target) && wanted.every((id) => mine.has(id))) return;
  throw permissionDenied(
    "A key for another person can only access organizations that you administer, at that person's level or above.",
  );
}

/**
 * Refuses scopes that the key in use does not have.
 *
 * @throws ApiError 403
 */
export function requireScopes(actor: Actor, wanted: readonly string[]): void {
  const beyond = wanted.filter((scope) => !covers(actor.key, scope as Scope));
  if (beyond.length > 0)
    throw permissionDenied(
      `An API key cannot grant or manage scopes that it does not have itself: ${beyond.join(", ")}.`,
    );
}

/**
 * Refuses an expiry after that of the key in use: a key could otherwise outlive itself.
 *
 * @throws ApiError 403
 */
export function requireExpiry(actor: Actor, wanted: Date | null): void {
  const own = actor.key.expires_at;
  if (own && (!wanted || wanted > own))
    throw permissionDenied(
      `An API key cannot create or manage keys that expire after itself (${own.toISOString()}).`,
    );
}

/**
 * Refuses projects and organizations that the key's owner does not belong to.
 *
 * @throws ApiError 400 on scoped_teams or scoped_organizations
 */
export function requireOwn(actor: Actor, userId: number, target: Restriction): void {
  const theirs = organizationIdsOf(actor.accounts, userId);
  const project = target.scoped_teams.find((id) => {
    const organization = actor.accounts.projects.get(id)?.organization_id;
    return !organization || !theirs.includes(organization);
  });
  if (project !== undefined)
    throw invalid(
      `The owner of the key has no access to project ${project}.`,
      "scoped_teams",
      "does_not_exist",
    );
  const organization = target.scoped_organizations.find((id) => !theirs.includes(id));
  if (organization !== undefined)
    throw invalid(
      `The owner of the key has no access to organization ${organization}.`,
      "scoped_organizations",
      "does_not_exist",
    );
}

/**
 * The owner of a new key.
 *
 * @param named email address or UUID; the caller when absent
 * @throws ApiError 403 where the caller administers none of the person's organizations, also for unknown people
 */
export function ownerOf(actor: Actor, named: string | undefined): UserRow {
  if (!named) return actor.user;
  const wanted = named.toLowerCase();
  const found = [...actor.accounts.users.values()].find(
    (u) => u.email.toLowerCase() === wanted || u.uuid === wanted,
  );
  if (found?.id === actor.user.id) return found;
  if (!found || listAdministered(actor, found.id).length === 0)
    throw permissionDenied("You can only create keys for members of organizations that you administer.");
  return found;
}

/** Whether a key has every right of its owner, for good. */
export const isFull = (key: KeyRow): boolean =>
  key.scopes.includes("*") && !isRestricted(key) && key.expires_at === null;

/**
 * Refuses to remove the last full key of an organization's administrators: nobody could administer it
 * any more, and a narrower key cannot make a full one.
 *
 * @param others the full keys that are left
 * @throws ApiError 400
 */
export function requireAnotherFullKey({ accounts }: Actor, row: KeyRow, others: readonly KeyRow[]): void {
  const administers = (userId: number, organizationId: string) =>
    accounts.users.get(userId)?.is_active === true &&
    (accounts.levels.get(`${organizationId}/${userId}`) ?? 0) >= ADMIN_LEVEL;
  for (const { id, name } of accounts.organizations.values())
    if (administers(row.user_id, id) && !others.some((other) => administers(other.user_id, id)))
      throw invalid(
        `This is the last key with full access to the organization ${name}: create another one with every scope, without restrictions and without an expiry first.`,
        null,
        "last_full_key",
      );
}
