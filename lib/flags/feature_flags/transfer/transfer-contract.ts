import { z } from "zod";
import { flagFilters } from "#lib/people/conditions/filters-schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { projectParam } from "#lib/platform/http/params.ts";

const tag = "Feature flags";
const root = "/api/projects/{project_id}/feature_flags/" as const;
const project = z.object(projectParam);

/** More flags than these are not carried over at once: all of them are written in one transaction. */
export const TRANSFERRED_MAX = 200;

const names = (what: string, of: string) =>
  z
    .record(z.string(), z.string())
    .meta({ description: `${what} of the ${of} that the flags refer to, by id.` });

/** As many cohorts as flags, and nobody needs more at once. */
const COHORTS_MAX = TRANSFERRED_MAX;

const cohortDefinitions = z
  .record(
    z.string(),
    z.object({
      description: z.string().max(10_000).default(""),
      filters: z.record(z.string(), z.unknown()).meta({ description: "Whom it holds." }),
    }),
  )
  .refine((given) => Object.keys(given).length <= COHORTS_MAX, {
    message: `At most ${COHORTS_MAX} cohorts can be defined.`,
  })
  .meta({
    description:
      "Definitions of these cohorts, by id. Those that list their members have none: people stay where they are.",
  });

const references = {
  cohorts: names("Names", "cohorts"),
  flags_by_id: names("Keys", "flags"),
  group_types: names("Names", "group types"),
};

const exported = z
  .object({
    flags: z.array(z.record(z.string(), z.unknown())).meta({
      description: "The fields of each flag that can be carried over; encrypted payloads are masked.",
    }),
    ...references,
    cohort_definitions: cohortDefinitions,
    left_out: z.array(z.string()).meta({
      description: "Keys of flags with stored fields that cannot be read: they are not exported.",
    }),
  })
  .meta({ id: "FeatureFlagExport", description: "Feature flags to import, here or in another project." });

const difference = z.object({
  what: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

export const importedFlag = z
  .object({
    key: z.string(),
    state: z.enum(["new", "changed", "same", "refused"]),
    reason: z.string().nullable().meta({ description: "Why it is refused; null otherwise." }),
    id: z.number().int().nullable().meta({ description: "Id of the flag with this key here; null: none." }),
    version: z.number().int().nullable().meta({ description: "Its version; null: there is none." }),
    differences: z.array(difference).meta({ description: "What the import changes, in words." }),
    proposed: z.object({ active: z.boolean(), filters: flagFilters }).nullable().meta({
      description:
        "The state and targeting that it would have, as who_changes takes them; null where nothing changes, or where it depends on a flag or cohort that is new itself.",
    }),
  })
  .meta({ id: "ImportedFeatureFlag" });

export const importedCohort = z
  .object({
    name: z.string(),
    definition: z
      .string()
      .nullable()
      .meta({ description: "Whom it holds, in words; null: nothing is said." }),
    state: z.enum(["new", "missing", "refused"]).meta({
      description:
        "new: it is created, or would be; missing: create_cohorts would create it; refused: it cannot be created.",
    }),
    reason: z.string().nullable().meta({ description: "Why it is refused; null otherwise." }),
  })
  .meta({ id: "ImportedCohort" });

const imported = z
  .object({
    dry_run: z.boolean(),
    cohorts: z
      .array(importedCohort)
      .meta({ description: "The cohorts that the chosen flags need and that are not here." }),
    flags: z
      .array(importedFlag)
      .meta({ description: "The flags that were chosen, in the order of the file." }),
  })
  .meta({ id: "FeatureFlagImport", description: "What an import does, or would do." });

const importBody = z.object({
  flags: z.array(z.record(z.string(), z.unknown())).min(1).max(TRANSFERRED_MAX),
  cohorts: references.cohorts.optional(),
  flags_by_id: references.flags_by_id.optional(),
  group_types: references.group_types.optional(),
  cohort_definitions: cohortDefinitions.optional(),
  create_cohorts: z.boolean().optional().meta({
    description:
      "Creates the cohorts that the chosen flags need and that are not here, as the file defines them. Needs the scope cohort:write as well.",
  }),
  left_out: z.unknown().optional(),
  keys: z
    .array(z.string())
    .max(TRANSFERRED_MAX)
    .optional()
    .meta({ description: "Only the flags with these keys; all of them when absent." }),
  versions: z.record(z.string(), z.number().int().nullable()).optional().meta({
    description:
      "By key, the version that a dry run has shown, null for none: a flag that has another one by now is refused.",
  }),
  dry_run: z.boolean().optional().meta({ description: "Say what would happen, and change nothing." }),
});

/** Carrying flags from one project to another. */
export const transferContract = {
  export: endpoint({
    method: "GET",
    path: `${root}export/`,
    tag,
    scope: "feature_flag:read",
    summary: "Export feature flags",
    description: `At most ${TRANSFERRED_MAX}, with the names of the cohorts, flags and group types that they refer to, and the definitions of the cohorts. Encrypted payloads are masked.`,
    params: project,
    query: z.object({
      ids: z
        .string()
        .regex(
          new RegExp(`^\\d{1,10}(,\\d{1,10}){0,${TRANSFERRED_MAX - 1}}$`),
          `ids must be up to ${TRANSFERRED_MAX} ids of flags, separated by commas.`,
        )
        .optional()
        .meta({ description: "Only these flags: ids separated by commas. Absent: those in the list." }),
    }),
    status: 200,
    response: exported,
  }),
  import: endpoint({
    method: "POST",
    path: `${root}import/`,
    tag,
    scope: "feature_flag:write",
    summary: "Import feature flags",
    description:
      "Creates the flags of an export, or changes those that have their keys. Cohorts are found by name, flags by key, group types by name; cohorts that are missing are created only with create_cohorts. All of the chosen flags are written, or none: one that is refused refuses the import. With dry_run, says what would happen to each.",
    params: project,
    body: importBody,
    status: 200,
    response: imported,
  }),
};

export type ImportedCohort = z.output<typeof importedCohort>;
export type ImportedFlag = z.output<typeof importedFlag>;
export type FlagImportBody = z.input<typeof importBody>;
