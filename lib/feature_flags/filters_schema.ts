import { z } from "zod";

const percentage = z.number().nullish().meta({ description: "0 to 100; null or absent: everyone." });

/** One row of a release condition. Unknown members are kept. */
export const flagProperty = z
  .looseObject({
    key: z.string().meta({ description: "Name of the property; of a dependency the id of the flag." }),
    type: z.string().optional().meta({ description: "person, group, cohort or flag." }),
    value: z.unknown().meta({ description: "What is compared with: a text, number, list or cohort id." }),
    operator: z.string().nullish().meta({ description: "How; exact when absent." }),
    group_type_index: z
      .number()
      .int()
      .nullish()
      .meta({ description: "Which kind of group, for type group." }),
  })
  .meta({ id: "FlagProperty" });

/** One set of conditions that must all hold; sets are tried in order. */
export const flagGroup = z
  .looseObject({
    properties: z
      .array(flagProperty)
      .optional()
      .meta({ description: "Rows that must all hold; none: everyone." }),
    rollout_percentage: percentage,
    variant: z.string().nullish().meta({ description: "Variant that this set forces." }),
    description: z.string().nullish().meta({ description: "What the set is for, for people." }),
  })
  .meta({ id: "FlagReleaseCondition" });

export const flagVariant = z
  .looseObject({
    key: z.string().meta({ description: "What the flag evaluates to." }),
    name: z.string().nullish().meta({ description: "What it is, for people." }),
    rollout_percentage: z
      .number()
      .meta({ description: "Share of the people in the rollout; all add up to 100." }),
  })
  .meta({ id: "FlagVariant" });

/** Targeting of a flag, as it is read: `groups` is always there. */
export const flagFilters = z
  .looseObject({
    groups: z.array(flagGroup).meta({ description: "Release conditions; the first that matches decides." }),
    multivariate: z
      .looseObject({ variants: z.array(flagVariant) })
      .nullish()
      .meta({ description: "Variants; absent or null for a boolean flag." }),
    payloads: z
      .record(z.string(), z.unknown())
      .nullish()
      .meta({ description: "JSON text per variant; of a boolean flag under the key true." }),
    aggregation_group_type_index: z
      .number()
      .int()
      .nullish()
      .meta({ description: "Which kind of group the flag is evaluated for; null: persons." }),
  })
  .meta({ id: "FlagFilters" });

export type FlagProperty = z.infer<typeof flagProperty>;
export type FlagGroup = z.infer<typeof flagGroup>;
export type FlagVariant = z.infer<typeof flagVariant>;
export type FlagFilters = z.infer<typeof flagFilters>;
