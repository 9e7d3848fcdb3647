import { z } from "zod";
import { eventRetention } from "./event-retention-schema.ts";

const NAME_MAX = 200;

export const projectRecord = z
  .object({
    id: z.number().int().meta({ description: "Id of the project." }),
    uuid: z.string().meta({ description: "UUID of the project." }),
    organization: z.string().meta({ description: "UUID of the organization that it belongs to." }),
    api_token: z.string().meta({ description: "Public token that SDKs use." }),
    name: z.string().meta({ description: "Name of the project." }),
    timezone: z.string().meta({ description: "IANA time zone of its days." }),
    is_demo: z.boolean().meta({ description: "Whether it holds demo data." }),
    ingested_event: z.boolean().meta({ description: "Whether an event has ever arrived." }),
    access_control: z
      .literal(false)
      .meta({ description: "Always false: every member of the organization can use it." }),
    created_at: z.string().meta({ description: "When it was created." }),
  })
  .meta({ id: "Project", description: "Where flags, experiments, surveys, persons and events live." });

export const projectDetail = projectRecord
  .extend({
    test_account_filters: z.array(z.record(z.string(), z.unknown())).meta({
      description: "Conditions that events of real users match; see experiments' filterTestAccounts.",
    }),
    event_retention: eventRetention
      .nullable()
      .meta({ description: "For how long events are kept; null: forever." }),
    secret_api_token: z
      .string()
      .optional()
      .meta({ description: "Secret key for servers; only shown to keys with project:write." }),
  })
  .meta({ id: "ProjectDetail", description: "A project, with its secret key for those who may change it." });

const isTimezone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
};

const name = z
  .string()
  .trim()
  .min(1)
  .max(NAME_MAX)
  .meta({ description: `Name of the project, up to ${NAME_MAX} characters.` });
const timezone = z
  .string()
  .superRefine((zone, context) => {
    if (isTimezone(zone)) return;
    const message = `"${zone.slice(0, 100)}" is not a valid choice.`;
    context.addIssue({ code: "custom", message, params: { code: "invalid_choice" } });
  })
  .meta({ description: "IANA name, such as Europe/Berlin." });

export const projectCreate = z
  .object({
    name,
    timezone: timezone.optional(),
    organization: z
      .uuid()
      .optional()
      .meta({ description: "UUID of the organization; the caller's current one when absent." }),
  })
  .meta({ id: "ProjectCreate" });

const FILTERS_MAX = 50;

const test_account_filters = z
  .array(
    z.looseObject({
      key: z.string().min(1).meta({ description: "Property of an event." }),
      type: z.string().optional().meta({ description: "event; absent means the same." }),
      operator: z.string().optional().meta({ description: "Operator; exact when absent." }),
      value: z.unknown().optional().meta({ description: "Value to compare with." }),
    }),
  )
  .max(FILTERS_MAX)
  .meta({
    description: `Conditions that events of real users all match; ${FILTERS_MAX} at most.`,
  });

export const projectUpdate = z
  .object({
    name: name.optional(),
    timezone: timezone.optional(),
    test_account_filters: test_account_filters.optional(),
    event_retention: eventRetention
      .nullable()
      .optional()
      .meta({ description: "For how long events are kept; null: forever." }),
  })
  .meta({ id: "ProjectUpdate" });

export type ProjectRecord = z.infer<typeof projectRecord>;
export type ProjectDetail = z.infer<typeof projectDetail>;
