import { z } from "zod";
import { isObject, type Json } from "#lib/engines/json.ts";

/** What a percentage must be; said by the schema and by the check of its range. */
export const PERCENTAGE_RULE = "A rollout percentage must be a number from 0 to 100.";

const percentage = z
  .number({ error: PERCENTAGE_RULE })
  .nullish()
  .meta({ description: "0 to 100; null or absent: everyone." });

const groupTypeIndex = z
  .number({ error: "The group type index must be a whole number from 0 to 4." })
  .int({ error: "The group type index must be a whole number from 0 to 4." })
  .nullish();

const text = (what: string) => z.string({ error: `${what} must be a string.` });

/** One row of a release condition. Unknown members are preserved. */
export const flagProperty = z
  .looseObject(
    {
      key: text("The key of a property").meta({
        description: "Name of the property; for a flag dependency, the id of the flag.",
      }),
      type: text("The type of a property").optional().meta({ description: "person, group, cohort or flag." }),
      value: z
        .unknown()
        .optional()
        .meta({ description: "Value to compare with: a string, number, list or cohort id." }),
      operator: text("The operator of a property")
        .nullish()
        .meta({ description: "Operator; exact when absent." }),
      group_type_index: groupTypeIndex.meta({ description: "Group type, for type group." }),
    },
    { error: "A property must be an object." },
  )
  .meta({ id: "FlagProperty" });

/** One set of conditions that must all hold; sets are tried in order. */
export const flagGroup = z
  .looseObject(
    {
      properties: z
        .array(flagProperty, { error: "The properties of a condition set must be a list." })
        .optional()
        .meta({ description: "Conditions that must all match; empty: everyone." }),
      rollout_percentage: percentage,
      variant: text("The variant of a condition set")
        .nullish()
        .meta({ description: "Variant that this set forces." }),
      description: text("The description of a condition set")
        .nullish()
        .meta({ description: "What the set is for." }),
      aggregation_group_type_index: groupTypeIndex.meta({
        description: "Group type this set is evaluated for; absent: same as the flag.",
      }),
    },
    { error: "A condition set must be an object." },
  )
  .meta({ id: "FlagReleaseCondition" });

export const flagVariant = z
  .looseObject(
    {
      key: text("The key of a variant").meta({ description: "What the flag evaluates to." }),
      name: text("The name of a variant").nullish().meta({ description: "Human-readable name." }),
      rollout_percentage: z
        .number({ error: PERCENTAGE_RULE })
        .meta({ description: "Percentage of the people in the rollout; all add up to 100." }),
    },
    { error: "A variant must be an object." },
  )
  .meta({ id: "FlagVariant" });

const groupList = (name: string) => z.array(flagGroup, { error: `${name} must be a list.` }).nullish();
const yesOrNo = (name: string) => z.boolean({ error: `${name} must be true or false.` }).nullish();

/**
 * Targeting of a flag: what is stored after a write (see normalizeFilters) and what every answer holds. `groups` is
 * always there.
 */
export const flagFilters = z
  .looseObject({
    groups: z
      .array(flagGroup, { error: "Feature flag filters must contain at least one condition set." })
      .meta({ description: "Release conditions; the first that matches decides." }),
    multivariate: z
      .looseObject(
        { variants: z.array(flagVariant, { error: "variants must be a list." }) },
        { error: "multivariate must be an object." },
      )
      .nullish()
      .meta({ description: "Variants; absent or null for a boolean flag." }),
    payloads: z
      .record(z.string(), z.unknown(), { error: "Payloads must be an object." })
      .nullish()
      .meta({ description: "JSON string per variant; for a boolean flag, under the key true." }),
    aggregation_group_type_index: groupTypeIndex.meta({
      description: "Group type the flag is evaluated for; null: persons.",
    }),
    super_groups: groupList("super_groups").meta({
      description: "Condition sets for early access; they are checked before all others.",
    }),
    holdout_groups: groupList("holdout_groups").meta({
      description: "People held out of the flag, in the form used by older SDKs.",
    }),
    holdout: z
      .looseObject(
        {
          id: z.number({ error: "The id of a holdout must be a whole number." }).int().nullish(),
          exclusion_percentage: percentage,
        },
        { error: "holdout must be an object." },
      )
      .nullish()
      .meta({ description: "People held out of the flag; used instead of holdout_groups." }),
    feature_enrollment: yesOrNo("feature_enrollment").meta({
      description: "Whether people can opt in to early access.",
    }),
    early_exit: yesOrNo("early_exit").meta({
      description: "Whether evaluation stops at the first set whose properties match.",
    }),
  })
  .meta({ id: "FlagFilters" });

/** The same list where nothing in it changes, so that filters in order keep their identity. */
function mapList(list: unknown, change: (item: Json) => Json): unknown {
  if (!Array.isArray(list)) return list;
  const changed = list.map((item: unknown) => (isObject(item) ? change(item) : item));
  return changed.some((item, i) => item !== list[i]) ? changed : list;
}

const normalizeGroup = (group: Json): Json =>
  group.properties === null ? { ...group, properties: [] } : group;

const normalizeVariant = (variant: Json): Json =>
  typeof variant.name === "number" ? { ...variant, name: String(variant.name) } : variant;

/** `{}` and `{variants: null}` are what clients send for a flag without variants. */
function normalizeMultivariate(multivariate: unknown): unknown {
  if (!isObject(multivariate)) return multivariate;
  const variants = multivariate.variants ?? null;
  if (variants !== null) {
    const changed = mapList(variants, normalizeVariant);
    return changed === variants ? multivariate : { ...multivariate, variants: changed };
  }
  const { variants: _, ...others } = multivariate;
  return Object.keys(others).length === 0 ? null : { ...others, variants: [] };
}

/**
 * Filters in the one form in which they are stored and answered: what clients send in another form without meaning
 * anything else (null properties, `multivariate: {}`, a number as a name) is rewritten. Everything else stays as it
 * is, mistakes too. The same object comes back where nothing had to change.
 */
export function normalizeFilters(filters: Json): Json {
  const next: Json = {};
  for (const name of ["groups", "super_groups", "holdout_groups"])
    if (name in filters) next[name] = mapList(filters[name], normalizeGroup);
  if (filters.groups === null) next.groups = [];
  if ("multivariate" in filters) next.multivariate = normalizeMultivariate(filters.multivariate);
  return Object.keys(next).some((name) => next[name] !== filters[name]) ? { ...filters, ...next } : filters;
}

/** Condition sets in the form in which they are stored; see normalizeFilters. */
export const normalizeGroups = (groups: Json[]): Json[] => groups.map(normalizeGroup);

/** Filters as clients send them. findFiltersProblem says what is wrong with them; it knows the project. */
export const sentFilters = z.record(z.string(), z.unknown()).transform(normalizeFilters);

/** Filters without condition sets are read as one that matches everyone. */
export const withGroups = (filters: Json): Json =>
  "groups" in filters ? filters : { ...filters, groups: [{ properties: [], rollout_percentage: null }] };

export type FlagProperty = z.infer<typeof flagProperty>;
export type FlagGroup = z.infer<typeof flagGroup>;
export type FlagVariant = z.infer<typeof flagVariant>;
export type FlagFilters = z.infer<typeof flagFilters>;
