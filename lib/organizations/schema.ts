import { z } from "zod";
import { userBasic } from "#lib/accounts/schema.ts";

const membershipLevel = z.literal([1, 8, 15]).meta({ description: "1 member, 8 administrator, 15 owner." });

export const organizationRecord = z
  .object({
    id: z.string().meta({ description: "UUID of the organization." }),
    name: z.string().meta({ description: "Name of the organization." }),
    slug: z.string().meta({ description: "Name for addresses." }),
    created_at: z.string().meta({ description: "When it was made." }),
    membership_level: z
      .number()
      .int()
      .nullable()
      .meta({ description: "The caller's level: 1 member, 8 administrator, 15 owner." }),
  })
  .meta({ id: "Organization", description: "Owns projects; people are its members." });

export const memberRecord = z
  .object({
    user: userBasic.meta({ description: "Who it is." }),
    level: z.number().int().meta({ description: "1 member, 8 administrator, 15 owner." }),
    is_active: z.boolean().meta({ description: "Whether the person's keys work." }),
    joined_at: z.string().meta({ description: "When the person became a member." }),
  })
  .meta({ id: "OrganizationMember", description: "A person's membership of an organization." });

const personName = z.string().trim().max(150);

export const memberCreate = z
  .object({
    email: z
      .string()
      .trim()
      .max(254)
      .pipe(z.email("Enter a valid email address."))
      .meta({ description: "Address of the person; one who is known already joins with it." }),
    first_name: personName.optional().meta({ description: "First name of a new person." }),
    last_name: personName.optional().meta({ description: "Last name of a new person." }),
    level: membershipLevel.optional(),
  })
  .meta({ id: "OrganizationMemberCreate" });

export const memberUpdate = z
  .object({
    level: membershipLevel.optional(),
    is_active: z
      .boolean()
      .optional()
      .meta({ description: "false: none of the person's keys works any more." }),
  })
  .meta({ id: "OrganizationMemberUpdate" });

export type OrganizationRecord = z.infer<typeof organizationRecord>;
export type MemberRecord = z.infer<typeof memberRecord>;
