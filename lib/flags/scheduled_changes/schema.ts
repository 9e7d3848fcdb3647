import { z } from "zod";
import { part } from "#lib/flags/environments/parts-schema.ts";
import { flagUpdate } from "#lib/flags/feature_flags/schema.ts";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { moment } from "#lib/platform/http/moment-schema.ts";
import { pageQuery } from "#lib/platform/http/paging.ts";
import { findCronProblem, INTERVALS } from "./moments.ts";

/** The one kind of record that changes of are scheduled. */
export const MODEL_NAME = "FeatureFlag";

const ID_MAX = 200;
const CRON_MAX = 100;

const groups = z
  .array(z.record(z.string(), z.unknown()))
  .min(1)
  .meta({ description: "Condition sets, added after those of the flag." });
const payloads = z.record(z.string(), z.unknown());

/** The body of an update; what detects conflicts between two editors has no meaning here. */
const update = flagUpdate
  .omit({ version: true, original_flag: true })
  .refine((body) => Object.keys(body).length > 0, { message: "There is nothing to change." })
  .meta({
    id: "ScheduledFeatureFlagUpdate",
    description: "The fields to change, as in an update of the flag.",
  });

/** Parts of the flag with the same key in another environment, as they are when it is scheduled. */
const promotion = z
  .object({
    from_project: z.number().int().meta({ description: "Id of the project to take the parts from." }),
    version: z
      .number()
      .int()
      .meta({ description: "The version of the flag there; refused if it is another one by now." }),
    parts: z
      .array(part)
      .min(1)
      .optional()
      .meta({ description: "The parts to take over; absent: all that differ." }),
    active: z
      .boolean()
      .optional()
      .meta({ description: "Turns the flag on or off here, whatever it is there." }),
    from_name: z.string().optional().meta({ description: "In answers: what the environment is called." }),
    change: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "In answers: what is taken over, with the ids of this project." }),
  })
  .meta({
    id: "ScheduledPromotion",
    description:
      "What the flag in the other project is when this is scheduled; later changes there are not taken over.",
  });

/** What is done to a flag. */
export const scheduledPayload = z
  .discriminatedUnion("operation", [
    z.object({
      operation: z.literal("update_status"),
      value: z.boolean().meta({ description: "Whether the flag is on." }),
    }),
    z.object({
      operation: z.literal("add_release_condition"),
      value: z.object({
        groups,
        payloads: payloads.optional().meta({ description: "Payloads, merged into those of the flag." }),
        multivariate: z
          .record(z.string(), z.unknown())
          .nullish()
          .meta({ description: "Variants, in place of those of the flag; absent: they stay." }),
      }),
    }),
    z.object({
      operation: z.literal("update_variants"),
      value: z.object({
        variants: z
          .array(z.record(z.string(), z.unknown()))
          .min(1)
          .meta({ description: "Variants, in place of those of the flag. Their shares add up to 100." }),
        payloads: payloads
          .optional()
          .meta({ description: "Payloads by variant; absent: variants that stay keep theirs." }),
      }),
    }),
    z.object({ operation: z.literal("update"), value: update }),
    z.object({ operation: z.literal("promote"), value: promotion }),
  ])
  .meta({ id: "ScheduledPayload", description: "What is done to the flag." });

const cron = z
  .string()
  .trim()
  .max(CRON_MAX)
  .superRefine((expression, context) => {
    const message = findCronProblem(expression);
    if (message) context.addIssue({ code: "custom", message });
  })
  .nullable()
  .meta({
    description:
      "When it recurs: minute, hour, day of month, month and day of week, by the clock of timezone.",
  });

const scheduledAt = moment("").unwrap().meta({ description: "When it runs (first), ISO 8601." });

const timing = {
  is_recurring: z.boolean().meta({
    description: "Whether it recurs. False pauses one that does; true lets it go on, with the next run.",
  }),
  recurrence_interval: z
    .enum(INTERVALS)
    .nullable()
    .meta({ description: "How often it recurs, counted from scheduled_at; excludes cron_expression." }),
  cron_expression: cron,
  end_date: moment("It no longer runs after this time; null: it has no end."),
  guard: z.boolean().meta({
    description:
      "Whether a run changes nothing if somebody has edited the same fields since, or if it would change the value of more than twice as many people as expected, and of more than 1% of all people more.",
  }),
};

const recordId = z
  .union([z.string().max(ID_MAX), z.number().int()])
  .transform(String)
  .meta({ description: "Id of the flag." });
const modelName = z.literal(MODEL_NAME).meta({ description: "Always FeatureFlag." });

export const scheduledChangeCreate = z
  .object({
    record_id: recordId,
    model_name: modelName,
    payload: scheduledPayload,
    scheduled_at: scheduledAt,
    is_recurring: timing.is_recurring.default(false),
    recurrence_interval: timing.recurrence_interval.default(null),
    cron_expression: timing.cron_expression.default(null),
    end_date: timing.end_date.default(null),
    guard: timing.guard.default(false),
  })
  .meta({ id: "ScheduledChangeCreate" });

export const scheduledChangeUpdate = z
  .object({
    record_id: recordId,
    model_name: z.string(),
    payload: scheduledPayload,
    scheduled_at: scheduledAt,
    ...timing,
    deleted: z.literal(false).meta({ description: "Brings a deleted one back." }),
  })
  .partial()
  .meta({ id: "ScheduledChangeUpdate", description: "The fields to change." });

const instantOrNull = z.string().nullable();

export const scheduledChangeRecord = z
  .object({
    id: z.number().int(),
    team_id: z.number().int().meta({ description: "Id of the project." }),
    record_id: z.string().meta({ description: "Id of the flag." }),
    model_name: z.literal(MODEL_NAME),
    payload: z
      .object({ operation: z.string(), value: z.unknown() })
      .meta({ description: "What is done to the flag. Encrypted payloads are masked." }),
    scheduled_at: z.string().meta({ description: "When it runs next; of a finished one, when it last ran." }),
    executed_at: instantOrNull.meta({ description: "When it was finished, whatever came of it." }),
    failure_reason: instantOrNull.meta({ description: "Why the last run changed nothing." }),
    created_at: z.string(),
    created_by: userBasic.nullable(),
    updated_at: z.string(),
    is_recurring: z.boolean(),
    recurrence_interval: z.enum(INTERVALS).nullable(),
    cron_expression: z.string().nullable(),
    last_executed_at: instantOrNull.meta({ description: "When a recurring one was last applied." }),
    end_date: instantOrNull,
    timezone: z.string().meta({ description: "IANA time zone of the project when it was made." }),
    guard: timing.guard,
    expected_impact: z
      .object({
        changed: z.number().int().meta({ description: "People (or groups) whose value it changes." }),
        total: z.number().int().meta({ description: "People (or groups) in all." }),
        group_type_index: z.number().int().nullable().meta({ description: "What is counted; null: people." }),
        as_of: z.string().meta({ description: "When it was counted." }),
      })
      .nullable()
      .meta({
        description:
          "What a guarded one was expected to change; null without a guard, or where it would have changed nothing yet.",
      }),
  })
  .meta({ id: "ScheduledChange", description: "A scheduled change of a flag, once or recurring." });

export const scheduledChangeQuery = z.object({
  ...pageQuery,
  model_name: z.string().optional().meta({ description: "Kind of the record: FeatureFlag." }),
  record_id: z.string().optional().meta({ description: "Id of the flag." }),
});

export type ScheduledPayload = z.output<typeof scheduledPayload>;
export type ScheduledChangeCreate = z.input<typeof scheduledChangeCreate>;
export type ScheduledChangeUpdate = z.input<typeof scheduledChangeUpdate>;
export type ScheduledChange = z.output<typeof scheduledChangeRecord>;
