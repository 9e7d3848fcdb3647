import { z } from "zod";
import { linkedFlag } from "#lib/flags/feature_flags/schema.ts";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { sentFilters } from "#lib/people/conditions/filters-schema.ts";
import { defineFields, jsonShape, readShape, writeShape } from "#lib/platform/fields-schema.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { moment, momentTextOrNull } from "#lib/platform/http/moment-schema.ts";
import { pageQuery } from "#lib/platform/http/paging.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";
import { unreadableFields } from "#lib/platform/http/stored-schema.ts";
import { question, sentQuestions } from "#lib/surveys/surveys/questions/questions-schema.ts";

const NAME_MAX = 400;
/** Iterations and sampling plans over ten years are mistakes. */
const DAYS_MAX = 3_650;
const ITERATIONS_MAX = 500;

const surveyType = z.enum(["popover", "widget", "external_survey", "api"]);
const schedules = ["once", "recurring", "always"] as const;
const samplingInterval = z.enum(["day", "week", "month"]);

const freeForm = z.record(z.string(), z.unknown());

const whole = (description: string, least = 0, most = DATABASE_INTEGER_MAX) =>
  z.number().int().min(least).max(most).nullable().meta({ description });

const isTextKind = (value: unknown) => !value || value === "text" || value === "html";
const isDelay = (value: unknown) => (value ?? 0) === 0 || (typeof value === "number" && value >= 0);

const appearance = freeForm.superRefine((fields, context) => {
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  if (!isTextKind(fields.thankYouMessageDescriptionContentType))
    refuse("thankYouMessageDescriptionContentType must be one of text, html.");
  else if (!isDelay(fields.surveyPopupDelaySeconds)) refuse("surveyPopupDelaySeconds must be 0 or more.");
  else if (
    fields.whiteLabel !== undefined &&
    fields.whiteLabel !== null &&
    typeof fields.whiteLabel !== "boolean"
  )
    refuse("whiteLabel must be true or false.");
});

const surveyFlag = linkedFlag.meta({ id: "SurveyFlag" }).nullable();
const date = z.string().nullable();
const count = z.number().int().nullable();

/** The fields of a survey; requests, records and the activity log follow from them. */
export const SURVEY_FIELDS = defineFields({
  id: { read: z.string().meta({ description: "UUID; sorts by creation time." }) },
  name: {
    write: z
      .string()
      .trim()
      .min(1)
      .max(NAME_MAX)
      .meta({
        description: `Name, unique in the project; up to ${NAME_MAX} characters.`,
      }),
    read: z.string(),
    initial: "",
    logged: 1,
  },
  description: {
    write: z.string().max(100_000).meta({
      description: "For the team; respondents never see it.",
    }),
    read: z.string(),
    initial: "",
    logged: 2,
  },
  type: {
    write: surveyType.meta({ description: "popover, widget, external_survey (a hosted page) or api." }),
    read: surveyType,
    initial: "popover" as const,
    logged: 3,
  },
  schedule: {
    write: z
      .string()
      .refine((text) => schedules.some((known) => known === text), {
        message: `Schedule must be one of ${schedules.join(", ")}.`,
      })
      .pipe(z.enum(schedules))
      .nullable()
      .meta({ description: "once, recurring or always." }),
    read: z.enum(schedules).nullable(),
    initial: "once" as const,
    logged: 4,
  },
  linked_flag_id: {
    write: z
      .number()
      .int()
      .nullable()
      .meta({ description: "A flag that must be on for a person to be asked; null unlinks it." }),
    initial: null,
    logged: 5,
  },
  targeting_flag_id: {
    write: z.number().int().meta({ description: "A flag to target with instead of filters." }),
    initial: null,
    logged: 8,
  },
  targeting_flag_filters: {
    write: sentFilters.nullable().meta({
      description:
        "Whom to ask, as flag filters, stored in a flag that the survey owns. Null changes nothing.",
    }),
    logged: 6,
  },
  remove_targeting_flag: {
    write: z.boolean().nullable().meta({ description: "True removes the targeting flag." }),
  },
  linked_flag: { read: surveyFlag },
  targeting_flag: { read: surveyFlag, logged: 7 },
  internal_targeting_flag: { read: surveyFlag },
  questions: {
    write: sentQuestions.nullable(),
    read: z.array(question).nullable(),
    json: true,
    initial: null,
    logged: 9,
  },
  conditions: {
    write: freeForm
      .nullable()
      .meta({ description: "Where and when to ask: url, selector, deviceTypes, events … Stored as sent." }),
    read: freeForm.nullable(),
    json: true,
    initial: null,
    logged: 10,
  },
  appearance: {
    write: appearance.nullable().meta({ description: "Colours, texts and position. Replaced as a whole." }),
    read: freeForm.nullable(),
    json: true,
    initial: null,
    logged: 11,
  },
  created_at: { read: z.string(), shown: instant },
  created_by: { read: userBasic.nullable() },
  start_date: {
    write: moment("When it starts, also in the future; null: a draft."),
    read: date,
    shown: momentTextOrNull,
    initial: null,
    logged: 12,
  },
  end_date: {
    write: moment("When it stops, also in the future; null: when somebody stops it."),
    read: date,
    shown: momentTextOrNull,
    initial: null,
    logged: 13,
  },
  archived: {
    write: z.boolean().meta({ description: "Archived: not shown, and excluded from totals." }),
    read: z.boolean(),
    initial: false,
    logged: 14,
  },
  responses_limit: {
    write: whole(
      "Responses after which it stops automatically, including unfinished ones; 0 or null: never.",
    ),
    read: count,
    initial: null,
    logged: 15,
  },
  iteration_count: {
    write: whole("How often it is asked again.", 0, ITERATIONS_MAX),
    read: count,
    initial: null,
    logged: 16,
  },
  iteration_frequency_days: {
    write: whole("Days from one iteration to the next.", 0, DAYS_MAX),
    read: count,
    initial: null,
    logged: 17,
  },
  iteration_start_dates: {
    write: z
      .array(moment("Start of an iteration."))
      .nullable()
      .meta({ description: "Accepted and ignored: computed." }),
    read: z.array(z.string()).nullable(),
    json: true,
    initial: [],
    logged: 18,
  },
  current_iteration: {
    write: whole("Number of the current iteration, from 1."),
    read: count,
    initial: null,
    logged: 19,
  },
  current_iteration_start_date: {
    write: moment("When it started."),
    read: date,
    shown: momentTextOrNull,
    initial: null,
    logged: 20,
  },
  response_sampling_start_date: {
    write: moment("First day of the sampling plan, today at the earliest."),
    read: date,
    shown: momentTextOrNull,
    initial: null,
    logged: 21,
  },
  response_sampling_interval_type: {
    write: samplingInterval
      .nullable()
      .meta({ description: "Unit of response_sampling_interval: day, week or month." }),
    read: samplingInterval.nullable(),
    initial: "week" as const,
    logged: 22,
  },
  response_sampling_interval: {
    write: z.number().int().max(DAYS_MAX).nullable().meta({
      description: "How long the plan runs, at least 1.",
    }),
    read: count,
    initial: null,
    logged: 23,
  },
  response_sampling_limit: {
    write: whole("Target number of responses."),
    read: count,
    initial: null,
    logged: 24,
  },
  response_sampling_daily_limits: {
    write: z.unknown().meta({ description: "Accepted and ignored: computed." }),
    read: z
      .string()
      .nullable()
      .meta({ description: "JSON text: a list of {date, daily_response_limit, rollout_percentage}." }),
    initial: null,
    logged: 25,
  },
  enable_partial_responses: {
    write: z
      .boolean()
      .nullable()
      .meta({ description: "Whether answers are sent one by one, unfinished responses too." }),
    read: z.boolean().nullable(),
    initial: false,
    logged: 26,
  },
  version: {
    write: z.number().int().meta({
      description:
        "The version that was edited: the update is rejected with 409 if it is not the stored one.",
    }),
    read: z.number().int().meta({ description: "Starts at 1 and increases with every change." }),
    initial: 1,
  },
});

const { version, ...always } = writeShape(SURVEY_FIELDS);

/** What create and update accept; others are ignored. */
const writable = {
  ...always,
  _create_in_folder: z.unknown().meta({ description: "Accepted for compatibility; there are no folders." }),
};

export const surveyCreate = z
  .object(writable)
  .partial()
  .required({ name: true, type: true })
  .meta({ id: "SurveyCreate", description: "A new survey. Name and type are required." });

export const surveyUpdate = z
  .object({ ...writable, version })
  .partial()
  .meta({ id: "SurveyUpdate", description: "The fields to change." });

/** The record in responses to create and update. */
export const surveyWritten = z
  .object({ ...readShape(SURVEY_FIELDS), unreadable_fields: unreadableFields })
  .meta({ id: "SurveyWritten" });

/** The JSON fields of a stored survey. */
export const storedSurvey = z.object(jsonShape(SURVEY_FIELDS));

/** The record in responses to list and retrieve. */
export const surveyRecord = surveyWritten
  .extend({
    linked_flag_id: z.number().int().nullable(),
    feature_flag_keys: z.array(z.object({ key: z.string(), value: z.string().nullable() })).meta({
      description: "Keys of the linked, targeting, internal targeting and sampling flags, in this order.",
    }),
    user_access_level: z.string().meta({ description: "none, viewer, editor or manager." }),
  })
  .meta({ id: "Survey" });

const orders = ["created_at", "name", "start_date", "end_date"] as const;

/** The status of a survey: a launch in the future is scheduled, an end in the future is still running. */
const listedStatus = z.enum(["draft", "scheduled", "running", "complete", "archived"]);

export const surveyListQuery = z.object({
  ...pageQuery,
  search: z
    .string()
    .optional()
    .meta({ description: "Words that the name or description must contain, ignoring case." }),
  status: listedStatus.optional().meta({ description: "Only surveys with this status now." }),
  type: surveyType.optional().meta({ description: "Only surveys of this type." }),
  archived: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "Only archived surveys, or only the others." }),
  ids: z
    .string()
    .max(4_000)
    .transform((text) =>
      text
        .split(",")
        .map((id) => id.trim())
        .filter((id) => id !== ""),
    )
    .refine((ids) => ids.every((id) => z.uuid().safeParse(id).success), "Must be a list of UUIDs.")
    .optional()
    .meta({ description: "Only these surveys: UUIDs separated by commas." }),
  order: z
    .enum([...orders, ...orders.map((field) => `-${field}` as const)])
    .default("-created_at")
    .meta({ description: `By ${orders.join(", ")}; prefix a minus for descending order.` }),
});

export type SurveyOrder = z.output<typeof surveyListQuery>["order"];
export type ListedStatus = z.output<typeof listedStatus>;

export type SurveyCreate = z.output<typeof surveyCreate>;
export type SurveyUpdate = z.output<typeof surveyUpdate>;
/** What a caller sends to create or change a survey. */
export type SurveyCreation = z.input<typeof surveyCreate>;
export type SurveyChange = z.input<typeof surveyUpdate>;
export type SurveyRecord = z.output<typeof surveyRecord>;
export type SurveyWritten = z.output<typeof surveyWritten>;
