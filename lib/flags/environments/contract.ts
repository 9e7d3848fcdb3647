import { z } from "zod";
import { flagRecord } from "#lib/flags/feature_flags/schema.ts";
import {
  importedCohort,
  importedFlag,
  TRANSFERRED_MAX,
} from "#lib/flags/feature_flags/transfer/transfer-contract.ts";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { organizationParam } from "#lib/identity/organizations/contract.ts";
import { flagFilters } from "#lib/people/conditions/filters-schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, limitUpTo, pageQuery } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";
import { part, partDrift } from "./parts-schema.ts";

const tag = "Environments";
const project = z.object(projectParam);
const organization = z.object(organizationParam);
const flags = "/api/projects/{project_id}/feature_flags/" as const;
const ofOrganization = "/api/organizations/{organization_id}/feature_flags/" as const;

const ROWS_MAX = 200;

const environment = z
  .object({
    project_id: z.number().int().meta({ description: "The project." }),
    name: z.string().meta({ description: "What the environment is called." }),
    is_current: z.boolean().meta({ description: "Whether it is the project of the call." }),
    may_read: z.boolean().meta({ description: "Whether the key can read flags there." }),
    may_write: z.boolean().meta({ description: "Whether the key can change flags there." }),
    reason: z.string().nullable().meta({ description: "Why it cannot; null if it can." }),
  })
  .meta({ id: "Environment" });

const flagThere = z
  .object({
    id: z.number().int(),
    active: z.boolean(),
    rollout: z.string().meta({ description: "Who gets it, in words." }),
    variants: z.array(z.object({ key: z.string(), rollout_percentage: z.number() })),
    version: z.number().int(),
    updated_at: z.string(),
    updated_by: userBasic.nullable(),
  })
  .meta({ id: "EnvironmentFlag", description: "A flag in one of the environments." });

/** How a flag compares with those of other environments that have its key. */
export const DRIFT_STATES = ["same", "differs", "only_here", "missing_here"] as const;

export type DriftState = (typeof DRIFT_STATES)[number];

/** Differences between flags that were changed later may be a change on its way to the next environment. */
export const SETTLED_AFTER_DAYS = 7;

const driftState = z.enum(DRIFT_STATES).meta({
  description:
    "same: it is the same everywhere; differs: it differs somewhere, or is missing somewhere; only_here: no other environment has it; missing_here: only others have it.",
});

const cell = z.object({
  project_id: z.number().int(),
  flag: flagThere.nullable().meta({ description: "null: there is none, or the key cannot read it." }),
  differs: z
    .array(part)
    .meta({ description: "The parts in which it differs from the flag of this project." }),
});

const row = z
  .object({
    key: z.string(),
    name: z.string().meta({ description: "The description of the flag." }),
    state: driftState,
    needs_attention: z.boolean().meta({
      description: `Whether it is on here, nobody has changed it for ${SETTLED_AFTER_DAYS} days here or in the environment before, and it is off or deleted there, or differs in more than percentages, description and tags.`,
    }),
    environments: z.array(cell).meta({ description: "In the order of the environments." }),
  })
  .meta({ id: "EnvironmentRow", description: "Flags with the same key in each environment." });

const compared = z.object({
  environments: z
    .array(environment)
    .meta({ description: "From the first to the last; empty where the project is not linked." }),
});

const comparedEnvironment = environment.extend({
  flag: flagThere.nullable().meta({ description: "null: there is none, or the key cannot read it." }),
  drift: z.array(partDrift).meta({
    description: "In what the flag there (second) differs from this one (first).",
  }),
});

const count = z.number().int();

const promotedFlag = z.object({
  key: z.string(),
  version: z.number().int().optional().meta({
    description:
      "The version in the other project that is promoted; refused if it is another one by now. Required, except in a dry run.",
  }),
  target_version: z.number().int().nullable().optional().meta({
    description:
      "The version here that it was compared with, null for none; refused if it is another one by now.",
  }),
  parts: z.array(part).min(1).optional().meta({
    description:
      "The parts to take over; all of them when absent. A flag that is new here gets conditions, variants, payloads and settings in any case, and is off unless state is among them.",
  }),
  active: z
    .boolean()
    .optional()
    .meta({ description: "Turns the flag on or off here, whatever it is there." }),
});

const promoteBody = z.object({
  from_project: z.number().int().meta({ description: "Id of the project to take the flags from." }),
  flags: z
    .array(promotedFlag)
    .min(1)
    .max(TRANSFERRED_MAX)
    .superRefine((list, context) => {
      const keys = list.map(({ key }) => key);
      const place = keys.findIndex((key, i) => keys.indexOf(key) < i);
      if (place >= 0)
        context.addIssue({ code: "custom", path: [place, "key"], message: "This key is there twice." });
    }),
  create_cohorts: z.boolean().optional().meta({
    description:
      "Creates the cohorts that the flags need and that are not here, as they are defined there. Needs the scope cohort:write as well.",
  }),
  dry_run: z.boolean().optional().meta({ description: "Say what would happen, and change nothing." }),
});

const promotedResult = importedFlag.extend({
  source_version: z.number().int().nullable().meta({ description: "Its version in the other project." }),
  drift: z.array(partDrift).meta({
    description: "Everything in which the flag there (second) differs from the flag here (first).",
  }),
  parts: z.array(part).meta({ description: "The parts that are taken over." }),
});

const promoted = z
  .object({ dry_run: z.boolean(), cohorts: z.array(importedCohort), flags: z.array(promotedResult) })
  .meta({ id: "FeatureFlagPromotion", description: "What a promotion does, or would do." });

const problem = z.object({ error: z.string() });

/** The same flags in several projects: comparing them, and carrying changes from one to another. */
export const flagEnvironmentContract = {
  linked: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/environments/",
    tag,
    scope: "feature_flag:read",
    summary: "List the environments of a project",
    params: project,
    status: 200,
    response: z.object({ results: compared.shape.environments }).meta({ id: "Environments" }),
  }),
  matrix: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/environments/flags/",
    tag,
    scope: "feature_flag:read",
    summary: "Compare the flags of a project with those of its environments",
    description: "By key. Flags that target surveys are left out.",
    params: project,
    query: z.object({
      search: z.string().optional().meta({ description: "Part of the key or the description." }),
      state: z
        .string()
        .optional()
        .meta({
          description: `Only flags in this state: ${DRIFT_STATES.join(", ")}; or needs_attention. Any other value: all.`,
        }),
      with: z.string().optional().meta({
        description: "Id of the project to compare with; all environments when absent.",
      }),
      limit: limitUpTo(ROWS_MAX),
      offset: pageQuery.offset,
    }),
    status: 200,
    response: envelope(row)
      .extend({
        ...compared.shape,
        counts: z
          .object({
            all: count,
            same: count,
            differs: count,
            only_here: count,
            missing_here: count,
            needs_attention: count,
          })
          .meta({
            description:
              "Number of flags in each state and of those that need attention, of those that match the search.",
          }),
      })
      .meta({ id: "EnvironmentRows" }),
  }),
  compare: endpoint({
    method: "GET",
    path: `${flags}{id}/environments/`,
    tag,
    scope: "feature_flag:read",
    summary: "Compare a flag with those of other environments that have its key",
    params: z.object({ ...projectParam, id: integerId("flag") }),
    status: 200,
    response: z.object({ results: z.array(comparedEnvironment) }).meta({ id: "FlagInEnvironments" }),
  }),
  promote: endpoint({
    method: "POST",
    path: `${flags}promote/`,
    tag,
    scope: "feature_flag:write",
    summary: "Promote flags from another project of the organization",
    description:
      "Takes over chosen parts of flags with the same key, or creates the flags. Cohorts are found by name, flags by key, group types by name. Holdouts stay as they are. All of the flags are written, or none. With dry_run, says what would happen to each.",
    params: project,
    body: promoteBody,
    status: 200,
    response: promoted,
  }),
  copy_flags: endpoint({
    method: "POST",
    path: `${ofOrganization}copy_flags/`,
    tag,
    scope: "feature_flag:write",
    refuses: "project_keys",
    summary: "Copy a flag to other projects",
    description:
      "Creates the flag in each of them, or changes the one with its key. Cohorts that are missing are created if the key has the scope cohort:write. A copy that a policy holds is listed under failed, with the change request that was made of it.",
    params: organization,
    body: z.object({
      feature_flag_key: z.unknown().optional().meta({ description: "Key of the flag. Required." }),
      from_project: z.unknown().optional().meta({ description: "Id of its project. Required." }),
      target_project_ids: z
        .unknown()
        .optional()
        .meta({ description: "Ids of the projects to copy it to, at most 50. Required." }),
      copy_schedule: z
        .unknown()
        .optional()
        .meta({ description: "Whether to copy its scheduled changes too." }),
      disable_copied_flag: z.unknown().optional().meta({ description: "Whether the copies are off." }),
    }),
    status: 200,
    response: z
      .object({
        success: z.array(
          flagRecord.extend({
            team_id: z.number().int().meta({ description: "Id of the project." }),
            schedule_copy_warning: z.string().optional().meta({
              description:
                "Why scheduled changes were not copied; absent if they were, or were not meant to be.",
            }),
          }),
        ),
        failed: z.array(
          z.object({
            project_id: z.unknown().meta({ description: "As it was sent." }),
            error_message: z.string(),
            errors: z.string().meta({ description: "The same, under its earlier name." }),
            change_request_id: z.string().optional().meta({
              description: "The change request that was made, where a policy asks for approval.",
            }),
          }),
        ),
      })
      .meta({ id: "CopiedFlags" }),
    also: { 400: { description: "Fields are missing, or there is no such flag.", body: problem } },
  }),
  across: endpoint({
    method: "GET",
    path: `${ofOrganization}{feature_flag_key}/`,
    tag,
    scope: "feature_flag:read",
    refuses: "project_keys",
    summary: "List the flags with a key in all projects of an organization",
    params: z.object({
      ...organizationParam,
      feature_flag_key: z.string().meta({ description: "Key of the flags." }),
    }),
    status: 200,
    response: z.array(
      z
        .object({
          flag_id: z.number().int(),
          team_id: z.number().int().meta({ description: "Id of the project." }),
          created_by: userBasic.nullable(),
          filters: flagFilters,
          created_at: z.string(),
          active: z.boolean(),
        })
        .meta({ id: "FlagAcrossProjects" }),
    ),
  }),
};

export type PromoteBody = z.input<typeof promoteBody>;
export type Promotion = z.output<typeof promoted>;
export type PromotedFlag = z.output<typeof promotedResult>;
export type EnvironmentRecord = z.output<typeof environment>;
export type EnvironmentRow = z.output<typeof row>;
export type ComparedEnvironment = z.output<typeof comparedEnvironment>;
export type FlagThere = z.output<typeof flagThere>;
