import type { KeyGrants } from "#components/personal_api_keys/key-form-values.ts";
import { type KeyQuery, keyPages } from "#components/personal_api_keys/key-query.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import type { Who } from "#lib/app/session/who.ts";
import { organizationContract } from "#lib/identity/organizations/contract.ts";
import { personalApiKeyContract } from "#lib/identity/personal_api_keys/contract.ts";
import type { KeyRecord } from "#lib/identity/personal_api_keys/schema.ts";
import type { Client } from "#lib/platform/http/client.ts";

const ADMINISTRATOR = 8;
const EVERYONE = "1000";

/** What the key in use can grant, and to whom; what it cannot read counts as nothing. */
export async function readGrants(api: Client, who: Who, current: KeyRecord | null): Promise<KeyGrants> {
  const found = await permitted(api.call(organizationContract.list, {}));
  const organizations = found?.results ?? [];
  const administered = organizations.filter(
    ({ membership_level }) => (membership_level ?? 0) >= ADMINISTRATOR,
  );
  const pages = await Promise.all(
    administered.map(({ id }) =>
      permitted(
        api.call(organizationContract.members, {
          params: { organization_id: id },
          query: { limit: EVERYONE },
        }),
      ),
    ),
  );
  const others = pages
    .flatMap((page) => page?.results ?? [])
    .filter((each) => each.is_active && each.user.email !== who.user?.email)
    .map(({ user }) => ({
      email: user.email,
      name: `${user.first_name} ${user.last_name}`.trim() || user.email,
    }));
  return {
    scopes: who.scopes,
    restricted: current !== null && current.scoped_teams.length + current.scoped_organizations.length > 0,
    projects: who.projects,
    organizations: organizations.map(({ id, name }) => ({ id, name })),
    members: [...new Map(others.map((each) => [each.email, each])).values()],
  };
}

/** A page of keys; only the one in use where the key may not list them. */
export async function keysOf(api: Client, current: KeyRecord | null, query: KeyQuery) {
  const found = await permitted(
    api.call(personalApiKeyContract.list, {
      query: {
        limit: String(keyPages.pageSize),
        offset: String(query.offset),
        all: query.of === "everyone" ? "1" : undefined,
      },
    }),
  );
  if (found) return { ...found, listed: true };
  const results = current ? [current] : [];
  return { results, count: results.length, listed: false };
}
