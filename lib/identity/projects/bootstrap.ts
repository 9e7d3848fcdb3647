import { randomBytes } from "node:crypto";
import { secureValueOf } from "#lib/identity/accounts/directory.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import {
  organization_memberships,
  organizations,
  personal_api_keys,
  projects,
  users,
} from "#lib/platform/db/tables/accounts.ts";
import { insertProject } from "./store.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A credential: the kind's prefix and 35 random bytes in base 62. */
export function randomCredential(kind: "phx" | "phc" | "phs"): string {
  let rest = BigInt(`0x${randomBytes(35).toString("hex")}`);
  let text = "";
  while (rest > 0n) {
    text = ALPHABET[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return `${kind}_${text}`;
}

/** First and last four characters: enough to recognise a key, useless to a thief. */
export const maskOf = (key: string) => `${key.slice(0, 4)}...${key.slice(-4)}`;

/**
 * On an empty database: one organization, its owner, project 1 and a key with every scope.
 *
 * @returns the credentials to show once; null where the database already has a project
 */
export async function bootstrap(
  db: Db,
  given: { bootstrap_personal_api_key?: string | undefined; bootstrap_project_token?: string | undefined },
): Promise<{ personal_api_key: string; project_token: string } | null> {
  return inTransaction(db, async (tx) => {
    await tx.execute("select pg_advisory_xact_lock(7294301)");
    const [existing] = await tx.select({ id: projects.id }).from(projects).limit(1);
    if (existing) return null;
    const personalApiKey = given.bootstrap_personal_api_key ?? randomCredential("phx");
    const projectToken = given.bootstrap_project_token ?? randomCredential("phc");
    const [organization] = await tx
      .insert(organizations)
      .values({ name: "My organization", slug: "my-organization" })
      .returning();
    const [user] = await tx
      .insert(users)
      .values({
        distinct_id: randomCredential("phs").slice(4),
        first_name: "Admin",
        email: "admin@localhost.local",
        is_email_verified: true,
      })
      .returning();
    if (!organization || !user) throw new Error("The first organization could not be written.");
    await tx
      .insert(organization_memberships)
      .values({ organization_id: organization.id, user_id: user.id, level: 15 });
    await insertProject(tx, {
      organization_id: organization.id,
      name: "Default project",
      api_token: projectToken,
      secret_api_token: randomCredential("phs"),
    });
    await tx.insert(personal_api_keys).values({
      user_id: user.id,
      label: "First key",
      secure_value: secureValueOf(personalApiKey),
      mask_value: maskOf(personalApiKey),
      scopes: ["*"],
    });
    return { personal_api_key: personalApiKey, project_token: projectToken };
  });
}
