import { z } from "zod";
import { userBasic } from "#lib/accounts/schema.ts";

/** A cohort as the API answers with it. */
export const cohortRecord = z
  .object({
    id: z.number().int().meta({ description: "Number of the cohort." }),
    name: z.string().meta({ description: "Name of the cohort." }),
    description: z.string().meta({ description: "What the cohort is for; may be empty." }),
    filters: z.record(z.string(), z.unknown()).meta({
      description:
        "Who belongs: {properties: {type, values}}, groups of conditions joined by AND or OR; {} when static.",
    }),
    groups: z.array(z.unknown()).meta({ description: "Always empty: an older form of filters." }),
    deleted: z.boolean().meta({ description: "Whether the cohort was deleted." }),
    is_calculating: z.boolean().meta({ description: "Whether the members are being counted now." }),
    created_by: userBasic.nullable().meta({ description: "Who made it; null for the system." }),
    created_at: z.string().meta({ description: "When it was made." }),
    last_calculation: z.string().nullable().meta({
      description: "When the members were counted last; null before the first time.",
    }),
    errors_calculating: z.number().int().meta({
      description: "How many times counting has failed since it last succeeded.",
    }),
    count: z.number().int().nullable().meta({
      description: "How many members it had when they were counted last.",
    }),
    is_static: z.boolean().meta({
      description: "true: members are named one by one; false: they follow the filters.",
    }),
  })
  .meta({ id: "Cohort", description: "A set of persons." });

export type CohortRecord = z.infer<typeof cohortRecord>;
