import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
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

const flagUsage = z
  .object({
    days: dayList,
    responses: z.array(z.object({ response: z.string(), calls: counts, total: z.number().int() })).meta({
      description: "Calls by response: true, false, a variant, or empty for none; most frequent first.",
    }),
    total: z.number().int().meta({ description: "Total calls." }),
  })
  .meta({ id: "FeatureFlagUsage", description: "How often a flag was called, by day and response." });

/** How often flags are called: read from daily counts, never from events. */
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
};

export type FlagUsage = z.output<typeof flagUsage>;
export type ProjectUsage = z.output<typeof projectUsage>;
