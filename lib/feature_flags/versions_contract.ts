import { z } from "zod";
import { activityEntry } from "#lib/activity/schema.ts";
import { endpoint } from "#lib/http/contract.ts";
import { envelope, limitUpTo, pageQuery } from "#lib/http/paging.ts";
import { integerId, projectParam } from "#lib/http/params.ts";

const LIMIT_MAX = 100;

const flagVersion = z
  .object({
    version: z.number().int().nullable().meta({ description: "Number of the version." }),
    flag: z.record(z.string(), z.unknown()).meta({
      description: "The flag as that save left it; encrypted payloads are masked.",
    }),
    entry: activityEntry,
  })
  .meta({
    id: "FeatureFlagVersion",
    description: "A flag as one save left it, who made it and what it changed.",
  });

/** What a flag was, save by save. */
export const versionsContract = {
  versions: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/feature_flags/{id}/versions/",
    tag: "Feature flags",
    scope: "activity_log:read",
    summary: "Versions of a feature flag",
    description:
      "Newest first, made from the activity log. Bring one back by updating the flag with its fields.",
    params: z.object({ ...projectParam, id: integerId("flag") }),
    query: z.object({ limit: limitUpTo(LIMIT_MAX), offset: pageQuery.offset }),
    status: 200,
    response: envelope(flagVersion),
  }),
};

export type FlagVersion = z.output<typeof flagVersion>;
