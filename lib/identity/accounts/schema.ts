import { z } from "zod";

/** A user as shown in other records, such as creator or last editor. */
export const userBasic = z
  .object({
    id: z.number().int().meta({ description: "Number of the person." }),
    uuid: z.string().meta({ description: "UUID of the person." }),
    distinct_id: z.string().meta({ description: "The user's id in analytics events." }),
    first_name: z.string().meta({ description: "First name; may be empty." }),
    last_name: z.string().meta({ description: "Last name; may be empty." }),
    email: z.string().meta({ description: "Email address, unique among all users." }),
    is_email_verified: z.boolean().meta({ description: "Whether the email address is verified." }),
    hedgehog_config: z.record(z.string(), z.unknown()).nullable().meta({
      description: "Free-form settings of the user's avatar; null without one.",
    }),
    role_at_organization: z.string().nullable().meta({
      description: "The user's role, in their own words; null when not given.",
    }),
  })
  .meta({ id: "UserBasic", description: "A person." });

export type UserBasic = z.infer<typeof userBasic>;

/** The stored fields of the public user record. */
type StoredUser = Omit<UserBasic, "hedgehog_config"> & {
  hedgehog_config: unknown;
};

/** The public record of a stored person. */
export const basicOf = (user: StoredUser): UserBasic => ({
  id: user.id,
  uuid: user.uuid,
  distinct_id: user.distinct_id,
  first_name: user.first_name,
  last_name: user.last_name,
  email: user.email,
  is_email_verified: user.is_email_verified,
  hedgehog_config: (user.hedgehog_config ?? null) as UserBasic["hedgehog_config"],
  role_at_organization: user.role_at_organization,
});

/**
 * The public record of a person by number.
 *
 * @param accounts what `directory.current()` gives
 * @returns null for null and for a person who is not there (any more)
 */
export function userOf(
  accounts: { users: ReadonlyMap<number, StoredUser> },
  id: number | null,
): UserBasic | null {
  const user = id === null ? undefined : accounts.users.get(id);
  return user ? basicOf(user) : null;
}
