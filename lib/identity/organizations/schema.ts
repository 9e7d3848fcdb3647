import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";

const membershipLevel = z.literal([1, 8, 15]).meta({ description: "1 member, 8 administrator, 15 owner." });

export const organizationRecord = z
  .object({
    id: z.string().meta({ description: "UUID of the organization." }),
    name: z.string().meta({ description: "Name of the organization." }),
    slug: z.string().meta({ description: "Name for use in URLs." }),
    created_at: z.string().meta({ description: "When it was created." }),
    membership_level: z
      .number()
      .int()
      .nullable()
      .meta({ description: "The caller's level: 1 member, 8 administrator, 15 owner." }),
  })
  .meta({ id: "Organization", description: "Owns projects and has members." });

export const memberRecord = z
  .object({
    user: userBasic.meta({ description: "The user." }),
    level: z.number().int().meta({ description: "1 member, 8 administrator, 15 owner." }),
    is_active: z.boolean().meta({ description: "Whether the user is active: only then do their keys work." }),
    joined_at: z.string().meta({ description: "When the user became a member." }),
  })
  .meta({ id: "OrganizationMember", description: "A user's membership in an organization." });

const personName = z.string().trim().max(150);

export const memberCreate = z
  .object({
    email: z
      .string()
      .trim()
      .max(254)
      .pipe(z.email("Enter a valid email address."))
      .meta({ description: "Email address; an existing user joins with it." }),
    first_name: personName.optional().meta({ description: "First name, for a new user." }),
    last_name: personName.optional().meta({ description: "Last name, for a new user." }),
    level: membershipLevel.optional(),
  })
  .meta({ id: "OrganizationMemberCreate" });

export const memberUpdate = z
  .object({
    level: membershipLevel.optional(),
    is_active: z
      .boolean()
      .optional()
      .meta({ description: "false deactivates the user: none of their keys works." }),
  })
  .meta({ id: "OrganizationMemberUpdate" });

export type OrganizationRecord = z.infer<typeof organizationRecord>;
export type MemberRecord = z.infer<typeof memberRecord>;
