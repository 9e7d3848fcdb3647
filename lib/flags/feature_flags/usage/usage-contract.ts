import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, limitUpTo, pageQuery } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";

const tag = "Feature flags";
const root = "/api/projects/{project_id}/feature_flags/" as const;
const DAYS_MAX = 366;

const days = (fallback: number) =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      const value = text ? Number(text) : fallback;
      if (Number.isSafeInteger(value) && value >= 1 && value <= DAYS_MAX) return value;
      context.addIssue({ code: "custom", message: `days must be a whole number from 1 to ${DAYS_MAX}.` });
      return z.NEVER;
    })
    .meta({ description: `Number of days, including today; ${fallback} when absent.` });

const ids = z
  .string()
  .regex(/^\d{1,15}(,\d{1,15}){0,999}$/, "ids must be up to 1,000 ids of flags, separated by commas.")
  .optional()
  .meta({ description: "Only these flags: ids separated by commas." });

const counts = z.array(z.number().int());
const dayList = z.array(z.string()).meta({ description: "Days in UTC, oldest first." });

const projectUsage = z
  .object({
    days: dayList,
    flags: z.record(z.string(), counts).meta({ description: "Calls per day of each called flag, by key." }),
  })
  .meta({ id: "FeatureFlagsUsage" });

const flagUsageResponse = z.string().meta({ description: "true, false, a variant, or empty for none." });

const flagUsage = z
  .object({
    days: dayList,
    responses: z
      .array(z.object({ response: flagUsageResponse, calls: counts, total: z.number().int() }))
      .meta({
        description: "Calls by response, most frequent first.",
      }),
    total: z.number().int().meta({ description: "Total calls." }),
  })
  .meta({ id: "FeatureFlagUsage", description: "How often a flag was called, by day and response." });

const callCounts = {
  calls: z.number().int(),
  people: z.number().int().meta({
    description: "Distinct people who made them; an id that belongs to no stored person counts as one.",
  }),
};

const last_called_at = z.string().meta({ description: "When the latest of them was made." });

const sdk = z.object({
  lib: z.string().meta({ description: "Name that the SDK reported; empty for none." }),
  lib_version: z.string().meta({ description: "Version that it reported; empty for none." }),
  state: z.enum(["current", "older", "unknown"]).meta({
    description:
      "older: a newer version of the same SDK called as well; unknown: not one of PostHog's SDKs, or none reported.",
  }),
  ...callCounts,
  last_called_at,
});

const flagCallers = z
  .object({
    since: z.string().meta({ description: "Beginning of the first of the days, in UTC." }),
    ...callCounts,
    responses: z
      .array(z.object({ response: flagUsageResponse, ...callCounts, last_called_at }))
      .meta({ description: "By response, most frequent first." }),
    sdks: z.array(sdk).meta({ description: "By SDK and version, most frequent first." }),
    deleted_before: z.string().nullable().meta({
      description: "Calls before it were deleted because of their age, and are missing here; null: none.",
    }),
  })
  .meta({ id: "FeatureFlagCallers", description: "Who called a flag, counted from the stored events." });

const caller = z
  .object({
    person: z.string().nullable().meta({ description: "UUID of the person; null where none is stored." }),
    name: z.string().meta({ description: "Display name of the person, else the distinct id." }),
    distinct_id: z.string().meta({ description: "One of the distinct ids that called." }),
    calls: z.number().int(),
    last_called_at,
  })
  .meta({ id: "FeatureFlagCaller" });

/** More people than these are not listed at once: each page is counted from the calls. */
const LISTED_MAX = 1_000;

/** How often flags are called, read from daily counts; and by whom, read from the events of one flag. */
export const usageContract = {
  all_usage: endpoint({
    method: "GET",
    path: `${root}usage/`,
    tag,
    scope: "feature_flag:read",
    summary: "List the calls of all feature flags by day",
    params: z.object(projectParam),
    query: z.object({ days: days(7), ids }),
    status: 200,
    response: projectUsage,
  }),
  usage: endpoint({
    method: "GET",
    path: `${root}{id}/usage/`,
    tag,
    scope: "feature_flag:read",
    summary: "List the calls of a feature flag by day and response",
    params: z.object({ ...projectParam, id: integerId("flag") }),
    query: z.object({ days: days(30) }),
    status: 200,
    response: flagUsage,
  }),
  callers: endpoint({
    method: "GET",
    path: `${root}{id}/callers/`,
    tag,
    scope: "feature_flag:read",
    summary: "Count the people and SDKs that call a feature flag",
    from_replica: true,
    description: "Counted from the events of the flag's calls; usage has the same calls by day.",
    params: z.object({ ...projectParam, id: integerId("flag") }),
    query: z.object({ days: days(30) }),
    status: 200,
    response: flagCallers,
  }),
  callers_people: endpoint({
    method: "GET",
    path: `${root}{id}/callers/people/`,
    tag,
    scope: "person:read",
    summary: "List the people who called a feature flag",
    from_replica: true,
    description: "Exactly those that callers counts; most calls first.",
    params: z.object({ ...projectParam, id: integerId("flag") }),
    query: z.object({
      days: days(30),
      response: z.string().max(400).optional().meta({ description: "Only calls with this response." }),
      lib: z.string().max(400).optional().meta({ description: "Only calls of this SDK." }),
      lib_version: z.string().max(400).optional().meta({ description: "Only calls of this version of it." }),
      limit: limitUpTo(LISTED_MAX),
      offset: pageQuery.offset,
    }),
    status: 200,
    response: envelope(caller),
  }),
};

export type FlagCallers = z.output<typeof flagCallers>;
export type FlagCaller = z.output<typeof caller>;
export type FlagUsage = z.output<typeof flagUsage>;
export type ProjectUsage = z.output<typeof projectUsage>;
