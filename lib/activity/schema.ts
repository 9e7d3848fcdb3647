import { z } from "zod";
import { parseMoment } from "#lib/platform/http/moment-schema.ts";

/** One changed field. `before` and `after` are both there, null where there is nothing. */
export const activityChange = z.object({
  type: z.string().meta({ description: "Kind of the record." }),
  action: z
    .enum(["created", "changed", "deleted"])
    .meta({ description: "Whether the field was filled, changed or emptied." }),
  field: z.string().meta({ description: "Which field." }),
  before: z.unknown().meta({ description: "The value before; null when empty or secret." }),
  after: z.unknown().meta({ description: "The value after; null when empty or secret." }),
});

export const activityEntry = z
  .object({
    id: z.string().meta({ description: "UUID of the entry." }),
    user: z
      .object({
        first_name: z.string().meta({ description: "First name; System for the system." }),
        email: z.string().nullable().meta({ description: "Email address; null for the system." }),
        is_system: z.boolean().optional().meta({ description: "true for the system, else absent." }),
      })
      .meta({ description: "Who did it; is_system when the system did." }),
    activity: z.string().meta({ description: "created, updated, deleted, restored …" }),
    scope: z.string().meta({ description: "Kind of the record: FeatureFlag, Survey, PersonalAPIKey …" }),
    item_id: z.string().nullable().meta({ description: "Id of the record, as a string." }),
    detail: z
      .object({
        changes: z.array(activityChange).meta({ description: "What changed, field by field." }),
        trigger: z
          .unknown()
          .meta({ description: "What made it in the user's name, such as a scheduled change; else null." }),
        type: z.string().nullable().meta({ description: "Always null." }),
        name: z.string().nullable().meta({ description: "Name of the record; for a flag, its key." }),
        short_id: z.string().nullable().meta({ description: "Always null." }),
      })
      .meta({ description: "What was done in detail." }),
    created_at: z.string().meta({ description: "When it happened." }),
  })
  .meta({ id: "ActivityLogEntry" });

export const activityPage = z.object({
  results: z.array(activityEntry).meta({ description: "Entries, newest first." }),
  next: z.string().nullable().meta({ description: "URL of the next page; null on the last." }),
  previous: z.string().nullable().meta({ description: "URL of the previous page; null on the first." }),
  total_count: z.number().int().meta({ description: "Total number of entries." }),
});

const whole = (name: string, fallback: number) =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined || text === "") return fallback;
      const value = Number(text);
      if (Number.isSafeInteger(value) && value >= 1) return Math.min(value, 1_000_000);
      context.addIssue({ code: "custom", message: `${name} must be a whole number of at least 1.` });
      return z.NEVER;
    });

/** Activity lists page by number, ten at a time, unlike the other lists. */
export const activityQuery = z.object({
  limit: whole("limit", 10).meta({ description: "Entries per page; 10 when absent." }),
  page: whole("page", 1).meta({ description: "Page number, from 1." }),
});

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** A plus sign that a URL did not escape arrives as a space. */
const UNESCAPED_PLUS = /(?<=:\d\d(?:\.\d+)?) (?=\d\d:\d\d$)/;
/** The database's texts have years of four digits. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A moment in a query: ISO 8601, UTC where it names no zone; a day alone is its first or its last moment. */
const moment = (edge: "start" | "end") =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      if (!text) return undefined;
      const time = parseMoment(text.replace(UNESCAPED_PLUS, "+"));
      if (time && edge === "end" && DAY.test(text))
        return new Date(Math.min(time.getTime() + DAY_MS, LAST_MS));
      if (time) return time;
      context.addIssue({ code: "custom", message: "Use an ISO 8601 date, such as 2026-01-31." });
      return z.NEVER;
    });

/** What the log of a whole project can be narrowed down to. */
export const activityLogQuery = activityQuery.extend({
  scope: z.string().optional().meta({ description: "Kind of the record, such as FeatureFlag." }),
  scopes: z.string().optional().meta({ description: "Several kinds, separated by commas." }),
  item_id: z.string().optional().meta({ description: "Id of the record." }),
  user: z.string().optional().meta({ description: "Who did it: id, UUID or email address." }),
  activity: z.string().optional().meta({ description: "The action, such as updated." }),
  date_from: moment("start").meta({ description: "From this time or day on, ISO 8601." }),
  date_to: moment("end").meta({ description: "Up to this time or day, ISO 8601." }),
  search: z.string().optional().meta({ description: "Part of the record's name, case-insensitive." }),
  exclude_name_prefix: z
    .string()
    .optional()
    .meta({ description: "Leaves out records whose name begins with this, such as survey-targeting-." }),
});

/** What a project's log can be narrowed down to with something left. */
export const activityFilters = z.object({
  scopes: z.array(z.string()).meta({ description: "Kinds of records in the log." }),
  activities: z.array(z.string()).meta({ description: "Actions in the log." }),
  users: z
    .array(
      z.object({
        id: z.number().int().meta({ description: "Number of the person." }),
        uuid: z.string().meta({ description: "UUID of the person." }),
        first_name: z.string().meta({ description: "First name." }),
        last_name: z.string().meta({ description: "Last name." }),
        email: z.string().meta({ description: "Email address." }),
      }),
    )
    .meta({ description: "People who did it." }),
});

export type ActivityLogQuery = z.infer<typeof activityLogQuery>;
export type ActivityFilters = z.infer<typeof activityFilters>;
export type ActivityChange = z.infer<typeof activityChange>;
export type ActivityEntry = z.infer<typeof activityEntry>;
export type ActivityQuery = z.infer<typeof activityQuery>;
