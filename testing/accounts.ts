import { secureValueOf } from "#lib/identity/accounts/directory.ts";
import { maskOf, randomCredential } from "#lib/identity/projects/bootstrap.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import {
  organization_memberships,
  organizations,
  personal_api_keys,
  projects,
  users,
} from "#lib/platform/db/tables/accounts.ts";

type KeyOptions = {
  scopes?: string[];
  scoped_teams?: number[];
  scoped_organizations?: string[];
  expires_at?: Date;
};

const only = <T>(rows: T[]): T => {
  const [row] = rows;
  if (!row) throw new Error("Nothing was written.");
  return row;
};

/** Another organization with one project. The directory has to be dropped afterwards. */
export async function addOrganization(db: Db, name: string) {
  const organization = only(await db.insert(organizations).values({ name, slug: name }).returning());
  const project = only(
    await db
      .insert(projects)
      .values({
        organization_id: organization.id,
        name: `${name} project`,
        api_token: randomCredential("phc"),
        secret_api_token: randomCredential("phs"),
      })
      .returning(),
  );
  return { organization, project };
}

/** A person with levels in organizations, by their ids. */
export async function addPerson(db: Db, email: string, levels: Record<string, number>) {
  const user = only(
    await db
      .insert(users)
      .values({ email, first_name: email.split("@")[0] ?? "", distinct_id: `d-${email}` })
      .returning(),
  );
  for (const [organization_id, level] of Object.entries(levels))
    await db.insert(organization_memberships).values({ organization_id, user_id: user.id, level });
  return user;
}

/** A key of a person, and its value. */
export async function addKey(db: Db, userId: number, options: KeyOptions = {}) {
  const value = randomCredential("phx");
  const row = only(
    await db
      .insert(personal_api_keys)
      .values({
        user_id: userId,
        label: "test",
        secure_value: secureValueOf(value),
        mask_value: maskOf(value),
        scopes: options.scopes ?? ["*"],
        scoped_teams: options.scoped_teams ?? [],
        scoped_organizations: options.scoped_organizations ?? [],
        expires_at: options.expires_at ?? null,
      })
      .returning(),
  );
  return { value, id: row.id };
}
