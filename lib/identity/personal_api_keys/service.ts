import { changesBetween } from "#lib/activity/changes.ts";
import { recordInProjects } from "#lib/activity/service.ts";
import { ACCOUNTS_TOPIC, secureValueOf } from "#lib/identity/accounts/directory.ts";
import { isRestricted, type Restriction, reachOf } from "#lib/identity/accounts/reach.ts";
import { basicOf } from "#lib/identity/accounts/schema.ts";
import { maskOf, randomCredential } from "#lib/identity/projects/bootstrap.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import type { AccountContext } from "#lib/platform/http/context.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { ADMIN_LEVEL, type KeyRow } from "#lib/platform/http/directory.ts";
import { invalid, notFound, permissionDenied } from "#lib/platform/http/errors.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import {
  type Actor,
  isFull,
  listAdministered,
  maySee,
  ownerOf,
  requireAnotherFullKey,
  requireExpiry,
  requireOwn,
  requireReach,
  requireScopes,
} from "./authority.ts";
import type { personalApiKeyContract } from "./contract.ts";
import type { KeyRecord } from "./schema.ts";
import {
  countKeysOf,
  deleteKey,
  insertKey,
  lockFullKeys,
  lockKey,
  selectEverlastingKeys,
  selectKey,
  selectKeysOf,
  updateKey,
} from "./store.ts";

type Call<Name extends keyof typeof personalApiKeyContract> = Input<(typeof personalApiKeyContract)[Name]>;

const KEYS_MAX = 500;
const WATCHED = ["label", "scopes", "scoped_teams", "scoped_organizations", "expires_at"] as const;

const actorOf = async ({ runtime, user, key }: AccountContext): Promise<Actor> => ({
  accounts: await runtime.directory.current(),
  user,
  key,
});

function recordOf({ accounts }: Pick<Actor, "accounts">, row: KeyRow): KeyRecord {
  const owner = accounts.users.get(row.user_id);
  if (!owner) throw notFound();
  return {
    id: row.id,
    label: row.label,
    mask_value: row.mask_value,
    scopes: row.scopes,
    scoped_teams: row.scoped_teams,
    scoped_organizations: row.scoped_organizations,
    created_at: instant(row.created_at),
    last_used_at: instantOrNull(row.last_used_at),
    last_rolled_at: instantOrNull(row.last_rolled_at),
    expires_at: instantOrNull(row.expires_at),
    user_id: row.user_id,
    user: basicOf(owner),
  };
}

export async function list(context: AccountContext, { query }: Call<"list">) {
  const actor = await actorOf(context);
  const everybody = query.all === "1" || query.all === "true";
  if (everybody && !isAnywhereAdmin(actor))
    throw permissionDenied("Only administrators can list the keys of other people.");
  const people = everybody ? [...actor.accounts.users.keys()] : [context.user.id];
  const rows = (await selectKeysOf(context.db, people)).filter((row) => maySee(actor, row));
  const page = rows.slice(query.offset, query.offset + query.limit);
  return {
    count: rows.length,
    ...neighbours(context.url, query, rows.length),
    results: page.map((row) => recordOf(actor, row)),
  };
}

const isAnywhereAdmin = (actor: Actor): boolean =>
  listAdministered(actor, actor.user.id).some(
    (id) => (actor.accounts.levels.get(`${id}/${actor.user.id}`) ?? 0) >= ADMIN_LEVEL,
  );

export async function current(context: AccountContext): Promise<KeyRecord> {
  const row = await selectKey(context.db, context.key.id);
  if (!row) throw notFound();
  return recordOf(await actorOf(context), row);
}

export async function retrieve(context: AccountContext, { params }: Call<"retrieve">): Promise<KeyRecord> {
  const actor = await actorOf(context);
  const row = await selectKey(context.db, params.id);
  if (!row || !maySee(actor, row)) throw notFound();
  return recordOf(actor, row);
}

function requireFuture(expiresAt: Date | null | undefined, now: Date): void {
  if (expiresAt && expiresAt <= now) throw invalid("The expiry must be in the future.", "expires_at");
}

/** Tells of an act on a key in every project that the key opens, never with its value. */
async function note(
  tx: Db,
  actor: Actor,
  row: KeyRow,
  activity: string,
  changes: ReturnType<typeof changesBetween> = [],
): Promise<void> {
  const reach = reachOf(actor.accounts, row.user_id, row);
  const open = [...actor.accounts.projects.values()].filter((project) => {
    const within = reach.get(project.organization_id);
    return within === "all" || within?.has(project.id);
  });
  const act = { user_id: actor.user.id, scope: "PersonalAPIKey", item_id: row.id, activity, changes };
  await recordInProjects(
    tx,
    open.map((project) => project.id),
    { ...act, name: row.label },
  );
  await publish(tx, ACCOUNTS_TOPIC, { key_id: row.id });
}

export async function create(context: AccountContext, { body }: Call<"create">) {
  const actor = await actorOf(context);
  const { user: named, ...given } = body;
  const owner = ownerOf(actor, named);
  requireFuture(given.expires_at, context.now);
  let restriction: Restriction = {
    scoped_teams: given.scoped_teams ?? [],
    scoped_organizations: given.scoped_organizations ?? [],
  };
  // The creator of a key for somebody else knows its value, so it only gives access to what they administer.
  if (owner.id !== context.user.id && !isRestricted(restriction))
    restriction = { scoped_teams: [], scoped_organizations: listAdministered(actor, owner.id) };
  requireOwn(actor, owner.id, restriction);
  // When not requested, the longest possible.
  const expires_at = given.expires_at === undefined ? actor.key.expires_at : given.expires_at;
  requireScopes(actor, given.scopes);
  requireExpiry(actor, expires_at);
  requireReach(actor, owner.id, restriction);
  const value = randomCredential("phx");
  const row = await inTransaction(context.db, async (tx) => {
    if ((await countKeysOf(tx, owner.id)) >= KEYS_MAX)
      throw invalid(`A person can have ${KEYS_MAX} keys at most; revoke one first.`);
    const made = await insertKey(tx, {
      user_id: owner.id,
      label: given.label,
      secure_value: secureValueOf(value),
      mask_value: maskOf(value),
      scopes: given.scopes,
      scoped_teams: [...restriction.scoped_teams],
      scoped_organizations: [...restriction.scoped_organizations],
      expires_at,
    });
    await note(tx, actor, made, "created");
    return made;
  });
  context.runtime.directory.drop(row.id);
  return { ...recordOf(actor, row), value };
}

/** The key of a change, locked: one that the caller may know of and that has no right that the key in use lacks. */
async function lockForChange(tx: Db, actor: Actor, id: string): Promise<KeyRow> {
  const row = await lockKey(tx, id);
  if (!row || !maySee(actor, row)) throw notFound();
  // A key may always be given up by itself, however its owner's memberships have changed.
  if (row.id === actor.key.id) return row;
  requireReach(actor, row.user_id, effective(actor, row));
  requireScopes(actor, row.scopes);
  requireExpiry(actor, row.expires_at);
  return row;
}

/** Ensures that nobody is locked out; `after` is null for a deleted key. */
async function keepFullKey(tx: Db, actor: Actor, before: KeyRow, after: KeyRow | null): Promise<void> {
  if (!isFull(before) || (after && isFull(after))) return;
  await lockFullKeys(tx);
  const others = (await selectEverlastingKeys(tx)).filter((row) => row.id !== before.id && isFull(row));
  requireAnotherFullKey(actor, before, others);
}

/** What a key of another person opens, written out: an unrestricted one is judged by all its organizations. */
function effective(actor: Actor, row: KeyRow): Restriction {
  if (row.user_id === actor.user.id || isRestricted(row)) return row;
  return { scoped_teams: [], scoped_organizations: [...reachOf(actor.accounts, row.user_id, row).keys()] };
}

const stateOf = (row: KeyRow) => ({ ...row, expires_at: instantOrNull(row.expires_at) });

export async function partial_update(context: AccountContext, { params, body }: Call<"partial_update">) {
  const actor = await actorOf(context);
  const row = await inTransaction(context.db, async (tx) => {
    const before = await lockForChange(tx, actor, params.id);
    requireFuture(body.expires_at, context.now);
    const restriction = {
      scoped_teams: body.scoped_teams ?? before.scoped_teams,
      scoped_organizations: body.scoped_organizations ?? before.scoped_organizations,
    };
    if (body.scopes) requireScopes(actor, body.scopes);
    if (body.expires_at !== undefined) requireExpiry(actor, body.expires_at);
    if (body.scoped_teams || body.scoped_organizations) {
      requireOwn(actor, before.user_id, restriction);
      requireReach(actor, before.user_id, restriction);
    }
    if (Object.keys(body).length === 0) return before;
    const after = await updateKey(tx, before.id, body);
    await keepFullKey(tx, actor, before, after);
    const changes = changesBetween("PersonalAPIKey", WATCHED, stateOf(before), stateOf(after));
    if (changes.length > 0) await note(tx, actor, after, "updated", changes);
    return after;
  });
  context.runtime.directory.drop(row.id);
  return recordOf(actor, row);
}

export async function destroy(context: AccountContext, { params }: Call<"destroy">): Promise<undefined> {
  const actor = await actorOf(context);
  await inTransaction(context.db, async (tx) => {
    const row = await lockForChange(tx, actor, params.id);
    await keepFullKey(tx, actor, row, null);
    await deleteKey(tx, row.id);
    await note(tx, actor, row, "deleted");
  });
  context.runtime.directory.drop(params.id);
}

export async function roll(context: AccountContext, { params }: Call<"roll">) {
  const actor = await actorOf(context);
  const value = randomCredential("phx");
  const row = await inTransaction(context.db, async (tx) => {
    const before = await lockForChange(tx, actor, params.id);
    // Rolling gives the caller the key, as if they had created it.
    if (before.user_id !== context.user.id) requireReach(actor, before.user_id, before);
    const after = await updateKey(tx, before.id, {
      secure_value: secureValueOf(value),
      mask_value: maskOf(value),
      last_rolled_at: context.now,
    });
    await note(tx, actor, after, "rolled");
    return after;
  });
  context.runtime.directory.drop(row.id);
  return { ...recordOf(actor, row), value };
}
