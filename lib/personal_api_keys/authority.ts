import { ADMIN_LEVEL, type Directory, type KeyRow, type UserRow } from "#lib/accounts/directory.ts";
import {
  isRestricted,
  organizationIdsOf,
  type Restriction,
  reachIncludes,
  reachOf,
} from "#lib/accounts/reach.ts";
import { covers } from "#lib/http/auth.ts";
import type { Scope } from "#lib/http/contract.ts";
import { invalid, permissionDenied } from "#lib/http/errors.ts";

type Accounts = Awaited<ReturnType<Directory["current"]>>;
export type Actor = { accounts: Accounts; user: UserRow; key: KeyRow };

const levelOf = ({ accounts }: Actor, organizationId: string, userId: number): number =>
  accounts.levels.get(`${organizationId}/${userId}`) ?? 0;

/** Organizations of a person in which the caller's key may act as an administrator above or beside them. */
export function administeredOf(actor: Actor, userId: number): string[] {
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
  return administeredOf(actor, target.user_id).some((id) => reach.has(id));
}

/** Whether a key of the caller's opens nothing that the key in use does not open. */
function isWithin(actor: Actor, target: Restriction): boolean {
  const { accounts, user, key } = actor;
  if (!isRestricted(key)) return true;
  return (
    isRestricted(target) && reachIncludes(reachOf(accounts, user.id, key), reachOf(accounts, user.id, target))
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
  const mine = new Set(administeredOf(actor, userId));
  const wanted = [...reachOf(actor.accounts, userId, target).keys()];
  if (isRestricted(target) && wanted.every((id) => mine.has(id))) return;
  throw permissionDenied(
    "A key of another person may only open organizations that you administer, at that person's level or above.",
  );
}

/**
 * Refuses scopes that the key in use does not have.
 *
 * @param had scopes that the target has already and may keep
 * @throws ApiError 403
 */
export function requireScopes(actor: Actor, wanted: readonly string[], had: readonly string[] = []): void {
  const kept = { ...actor.key, scopes: [...had] };
  const beyond = wanted.filter((s) => !covers(actor.key, s as Scope) && !covers(kept, s as Scope));
  if (beyond.length > 0)
    throw permissionDenied(
      `An API key cannot grant scopes that it does not have itself: ${beyond.join(", ")}.`,
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
      `Project ${project} is not open to the owner of the key.`,
      "scoped_teams",
      "does_not_exist",
    );
  const organization = target.scoped_organizations.find((id) => !theirs.includes(id));
  if (organization !== undefined)
    throw invalid(
      `Organization ${organization} is not open to the owner of the key.`,
      "scoped_organizations",
      "does_not_exist",
    );
}

/**
 * Whom a new key is for.
 *
 * @param named address or UUID; the caller when absent
 * @throws ApiError 403 where the caller administers none of the person's organizations, also for unknown people
 */
export function ownerOf(actor: Actor, named: string | undefined): UserRow {
  if (!named) return actor.user;
  const wanted = named.toLowerCase();
  const found = [...actor.accounts.users.values()].find(
    (u) => u.email.toLowerCase() === wanted || u.uuid === wanted,
  );
  if (found?.id === actor.user.id) return found;
  if (!found || administeredOf(actor, found.id).length === 0)
    throw permissionDenied("You can make keys for members of organizations that you administer only.");
  return found;
}
