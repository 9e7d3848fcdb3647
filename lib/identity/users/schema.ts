import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { organizationRecord } from "#lib/identity/organizations/schema.ts";

const organizationShort = organizationRecord.pick({
  id: true,
  name: true,
  slug: true,
  membership_level: true,
});

const teamShort = z.object({
  id: z.number().int().meta({ description: "Id of the project." }),
  uuid: z.string().meta({ description: "UUID of the project." }),
  organization: z.string().meta({ description: "UUID of its organization." }),
  name: z.string().meta({ description: "Name of the project." }),
  api_token: z.string().meta({ description: "Public token of the project." }),
  timezone: z.string().meta({ description: "IANA time zone of the project." }),
});

export const userRecord = userBasic
  .extend({
    date_joined: z.string().meta({ description: "When the user was added." }),
    organization: organizationShort
      .nullable()
      .meta({ description: "Organization of the current project; null for a person of none." }),
    organizations: z.array(organizationShort).meta({ description: "Every organization the key may use." }),
    team: teamShort
      .nullable()
      .meta({ description: "The current project, which @current names; null where the key opens none." }),
  })
  .meta({ id: "User", description: "The owner of the key." });

const personName = z.string().trim().max(150);

export const userUpdate = z
  .object({
    first_name: personName.optional().meta({ description: "First name." }),
    last_name: personName.optional().meta({ description: "Last name." }),
    email: z
      .string()
      .trim()
      .max(254)
      .pipe(z.email("Enter a valid email address."))
      .optional()
      .meta({ description: "Email address; unique among all users." }),
    role_at_organization: z
      .string()
      .trim()
      .max(64)
      .nullable()
      .optional()
      .meta({ description: "The user's role, in their own words." }),
  })
  .meta({ id: "UserUpdate" });

export type UserRecord = z.infer<typeof userRecord>;
