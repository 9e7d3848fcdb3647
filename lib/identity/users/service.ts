import { readOrganizations } from "#lib/identity/accounts/access.ts";
import { ACCOUNTS_TOPIC } from "#lib/identity/accounts/directory.ts";
import { isRestricted } from "#lib/identity/accounts/reach.ts";
import { basicOf } from "#lib/identity/accounts/schema.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { deepErrorCode } from "#lib/platform/db/errors.ts";
import { publish } from "#lib/platform/db/notify.ts";
import type { AccountContext } from "#lib/platform/http/context.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { authenticationFailed, invalid, permissionDenied } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import type { userContract } from "./contract.ts";
import type { UserRecord } from "./schema.ts";
import { isAddressTaken, selectUser, updateUser } from "./store.ts";

const UNIQUE_VIOLATION = "23505";
const addressTaken = () => invalid("There is already a user with this email address.", "email", "unique");

export async function retrieve(context: AccountContext): Promise<UserRecord> {
  const { runtime, user, key } = context;
  const [{ levels }, open, projects, stored] = await Promise.all([
    runtime.directory.current(),
    readOrganizations(context),
    runtime.directory.projectsOf(user, key),
    selectUser(context.db, user.id),
  ]);
  if (!stored) throw authenticationFailed("The owner of this API key no longer exists.");
  const organizations = open.map(({ id, name, slug }) => ({
    id,
    name,
    slug,
    membership_level: levels.get(`${id}/${user.id}`) ?? null,
  }));
  const [team] = projects;
  return {
    ...basicOf(stored),
    date_joined: instant(stored.created_at),
    organization: organizations.find((o) => o.id === team?.organization_id) ?? organizations[0] ?? null,
    organizations,
    team: team
      ? {
          id: team.id,
          uuid: team.uuid,
          organization: team.organization_id,
          name: team.name,
          api_token: team.api_token,
          timezone: team.timezone,
        }
      : null,
  };
}

export async function partial_update(
  context: AccountContext,
  { body }: Input<typeof userContract.partial_update>,
): Promise<UserRecord> {
  const { user, key, runtime } = context;
  if (isRestricted(key))
    throw permissionDenied("A key that is restricted to projects or organizations cannot change its owner.");
  const renamed = body.email !== undefined && body.email !== user.email;
  if (Object.keys(body).length > 0)
    await inTransaction(context.db, async (tx) => {
      if (body.email !== undefined && (await isAddressTaken(tx, body.email, user.id))) throw addressTaken();
      await updateUser(tx, user.id, { ...body, ...(renamed && { is_email_verified: false }) });
      await publish(tx, ACCOUNTS_TOPIC, { user_id: user.id });
    }).catch((error: unknown) => {
      // Two people may ask for one address at the same moment: the index decides.
      throw deepErrorCode(error) === UNIQUE_VIOLATION ? addressTaken() : error;
    });
  runtime.directory.drop();
  return retrieve(context);
}
