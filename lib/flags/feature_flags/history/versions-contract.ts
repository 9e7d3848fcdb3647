import { z } from "zod";
import { activityEntry } from "#lib/activity/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, limitUpTo, pageQuery } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";

const LIMIT_MAX = 100;

const flagVersion = z
  .object({
    version: z.number().int().nullable().meta({ description: "Version number." }),
    flag: z.record(z.string(), z.unknown()).meta({
      description: "The flag as that save left it; encrypted payloads are masked.",
    }),
    entry: activityEntry,
  })
  .meta({
    id: "FeatureFlagVersion",
    description: "A flag as one save left it, with who saved it and what it changed.",
  });

/** More than are compared with one another at a time. */
const CHOSEN_MAX = 20;

const versionNumbers = z
  .string()
  .regex(
    new RegExp(`^\\d{1,9}(,\\d{1,9}){0,${CHOSEN_MAX - 1}}$`),
    `versions must be up to ${CHOSEN_MAX} version numbers, separated by commas.`,
  )
  .optional()
  .meta({ description: `Only these versions: up to ${CHOSEN_MAX} numbers separated by commas.` });

/** What a flag was, save by save. */
export const versionsContract = {
  versions: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/feature_flags/{id}/versions/",
    tag: "Feature flags",
    scope: "activity_log:read",
    summary: "List the versions of a feature flag",
    description:
      "Newest first, reconstructed from the activity log. To restore one, update the flag with its fields.",
    params: z.object({ ...projectParam, id: integerId("flag") }),
    query: z.object({
      limit: limitUpTo(LIMIT_MAX),
      offset: pageQuery.offset,
      versions: versionNumbers,
    }),
    status: 200,
    response: envelope(flagVersion),
  }),
};

export type FlagVersion = z.output<typeof flagVersion>;
