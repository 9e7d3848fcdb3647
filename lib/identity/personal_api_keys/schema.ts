import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { SCOPE_OBJECTS } from "#lib/platform/http/contract.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";

const LABEL_MAX = 40;
const RESTRICTION_MAX = 1_000;

/** Everything that a key's scopes can contain. */
const SCOPES = [
  "*",
  ...SCOPE_OBJECTS.flatMap((object) => [`${object}:read`, `${object}:write`] as const),
] as const;

export const keyRecord = z
  .object({
    id: z.string().meta({ description: "UUID of the key." }),
    label: z.string().meta({ description: "What the key is for." }),
    mask_value: z.string().meta({ description: "First and last four characters of the key." }),
    scopes: z.array(z.string()).meta({ description: "Scopes: object:read, object:write, or *." }),
    scoped_teams: z
      .array(z.number().int())
      .meta({ description: "Projects it is restricted to; empty: not restricted to projects." }),
    scoped_organizations: z
      .array(z.string())
      .meta({ description: "Organizations it is restricted to; empty: not restricted to organizations." }),
    created_at: z.string().meta({ description: "When it was created." }),
    last_used_at: z
      .string()
      .nullable()
      .meta({ description: "When it was last used, to the minute; null if never." }),
    last_rolled_at: z
      .string()
      .nullable()
      .meta({ description: "When its value was last replaced; null if never." }),
    expires_at: z.string().nullable().meta({ description: "When it expires; null: never." }),
    user_id: z.number().int().meta({ description: "Id of the owner." }),
    user: userBasic.meta({ description: "The owner." }),
  })
  .meta({ id: "PersonalAPIKey", description: "A personal API key. Only a digest of its value is stored." });

export const keyWithValue = keyRecord
  .extend({ value: z.string().meta({ description: "The key value. It is never shown again." }) })
  .meta({ id: "PersonalAPIKeyWithValue", description: "A key with its value, right after creation." });

const label = z
  .string()
  .trim()
  .min(1)
  .max(LABEL_MAX)
  .meta({ description: `What the key is for, up to ${LABEL_MAX} characters.` });
const unique = <T>(values: T[]): T[] => [...new Set(values)];
const scopes = z
  .array(z.enum(SCOPES))
  .superRefine((given, context) => {
    const message = "A key needs at least one scope.";
    if (given.length === 0) context.addIssue({ code: "custom", message, params: { code: "empty" } });
  })
  .transform(unique)
  .meta({ description: "Scopes: object:read, object:write (which includes read), or *." });
const scopedTeams = z
  .array(z.number().int().min(1).max(DATABASE_INTEGER_MAX))
  .max(RESTRICTION_MAX)
  .transform(unique)
  .meta({ description: "Projects to restrict it to." });
const scopedOrganizations = z
  .array(z.uuid().transform((id) => id.toLowerCase()))
  .max(RESTRICTION_MAX)
  .transform(unique)
  .meta({ description: "UUIDs of organizations to restrict it to; projects win where both are given." });
const expiresAt = z.iso
  .datetime({ offset: true, error: "Use an ISO 8601 time with its zone, such as 2030-01-31T00:00:00Z." })
  .transform((text) => new Date(text))
  .nullable()
  .meta({ description: "When it expires, ISO 8601; null: never." });

export const keyCreate = z
  .object({
    label,
    scopes,
    scoped_teams: scopedTeams.optional(),
    scoped_organizations: scopedOrganizations.optional(),
    expires_at: expiresAt.optional(),
    user: z.string().trim().max(254).optional().meta({
      description: "Email address or UUID of another member, for administrators; yourself when absent.",
    }),
  })
  .meta({ id: "PersonalAPIKeyCreate" });

export const keyUpdate = z
  .object({
    label: label.optional(),
    scopes: scopes.optional(),
    scoped_teams: scopedTeams.optional(),
    scoped_organizations: scopedOrganizations.optional(),
    expires_at: expiresAt.optional(),
  })
  .meta({ id: "PersonalAPIKeyUpdate" });

export type KeyRecord = z.infer<typeof keyRecord>;
export type KeyWithValue = z.infer<typeof keyWithValue>;
