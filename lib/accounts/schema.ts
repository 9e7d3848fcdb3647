import { z } from "zod";

/** A person as other records show them: who made it, who changed it last. */
export const userBasic = z
  .object({
    id: z.number().int().meta({ description: "Number of the person." }),
    uuid: z.string().meta({ description: "UUID of the person." }),
    distinct_id: z.string().meta({ description: "The person's id in analytics events." }),
    first_name: z.string().meta({ description: "First name; may be empty." }),
    last_name: z.string().meta({ description: "Last name; may be empty." }),
    email: z.string().meta({ description: "E-mail address, unique among all people." }),
    is_email_verified: z.boolean().meta({ description: "Whether the address has been confirmed." }),
    hedgehog_config: z.record(z.string(), z.unknown()).nullable().meta({
      description: "Free-form settings of the person's avatar; null without one.",
    }),
    role_at_organization: z.string().nullable().meta({
      description: "What the person does, in their own words; null when never said.",
    }),
  })
  .meta({ id: "UserBasic", description: "A person." });

export type UserBasic = z.infer<typeof userBasic>;

/** What of a stored person the public record is made from. */
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
