import { z } from "zod";
import { sentFilters } from "#lib/people/conditions/filters-schema.ts";
import { groupRecord } from "#lib/people/groups/schema.ts";
import { personRecord } from "#lib/people/persons/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, limitUpTo, pageQuery } from "#lib/platform/http/paging.ts";
import { DATABASE_INTEGER_MAX, projectParam } from "#lib/platform/http/params.ts";
import { PROGRESS, WITH_PROGRESS } from "#lib/platform/http/progress-schema.ts";

const tag = "Feature flags";
const root = "/api/projects/{project_id}/feature_flags/who_changes/" as const;
const project = z.object(projectParam);
/** Maximum people or groups per call: few calls list all of them. */
const LISTED_MAX = 10_000;
/** Maximum flags per call: twice a page of the list. */
const BULK_MAX = 100;

const value = z.union([z.boolean(), z.string()]).nullable().meta({
  description: "False, true or a variant; null when there is no flag or the unit differs.",
});

/** Which of those behind a count are listed. */
export const listed = z.object({ limit: limitUpTo(LISTED_MAX), offset: pageQuery.offset });

/** How many persons one call evaluates for a flag; beyond that, next continues. */
export const PART_MAX = 100_000;
const PART = "100,000 persons";

const id = z.number().int().min(0).max(DATABASE_INTEGER_MAX);

/** A flag as it would be saved: what is absent stays as it is stored. */
const fields = {
  key: z
    .string()
    .max(400)
    .optional()
    .meta({ description: "Key of a new flag, or the new key of a stored one." }),
  active: z.boolean().optional(),
  filters: sentFilters.optional(),
  deleted: z.boolean().optional(),
};

export const after_person = z
  .number()
  .int()
  .min(0)
  .nullish()
  .meta({ description: `Where to continue: next from the previous response. One call looks at ${PART}.` });

const proposed = {
  id: id.nullish().meta({ description: "Id of a stored flag; absent or null for a new one." }),
  ...fields,
  after_person,
};

const cell = z.object({
  before: value,
  after: value,
  count: z.number().int().meta({ description: "Persons (or groups) whose value changes this way." }),
});

const counts = {
  total: z.number().int().meta({ description: "Persons (or groups) in all." }),
  changed: z
    .number()
    .int()
    .meta({ description: "Those who get a different value; no flag counts as false." }),
  cells: z.array(cell).meta({ description: "Every pair of values that occurs, most frequent first." }),
};

const consequence = z
  .object({
    change: z
      .enum([
        "turned_on",
        "turned_off",
        "deleted",
        "renamed",
        "unit_changed",
        "variant_removed",
        "split_changed",
        "conditions_changed",
      ])
      .meta({ description: "What the save does to the flag." }),
    user: z.object({
      type: z.enum(["experiment", "survey"]),
      id: z.string().meta({ description: "Id of the experiment or survey." }),
      name: z.string(),
      via: z.object({ id: z.number().int(), key: z.string() }).nullable().meta({
        description: "The flag it uses, if that one depends on the changed flag; else null.",
      }),
      variant: z.string().nullable().meta({
        description: "The variant for which a survey is shown; null: any value except off.",
      }),
    }),
    effect: z.enum([
      "exposure_stops",
      "exposure_resumes",
      "people_reassigned",
      "participants_change",
      "survey_stops",
      "survey_starts",
      "audience_changes",
    ]),
    ends_comparison: z.boolean().meta({
      description: "Whether results from before and after the save can no longer be compared.",
    }),
    text: z.string().meta({ description: "The effect in words." }),
  })
  .meta({ id: "FeatureFlagConsequence", description: "What a save does to a running experiment or survey." });

export const peopleOfCell = envelope(personRecord).extend({
  next_person: z.number().int().nullable().meta({
    description: "Start of the next part, as after_person; null when nobody is left.",
  }),
});
export const groupsOfCell = envelope(groupRecord.pick({ group_key: true, group_properties: true }));

const effects = {
  group_type_index: z.number().int().nullable().meta({ description: "What is counted; null: persons." }),
  unit_changed: z.boolean().meta({
    description: "The save changes what the flag is evaluated for; earlier values cannot be compared.",
  }),
  consequences: z.array(consequence).meta({
    description:
      "What the save does to running experiments and surveys that use the flag or one that depends on it.",
  }),
  reaches_everyone: z.boolean().meta({
    description: "Whether everyone would newly get a value other than off.",
  }),
  pinned: z.number().int().meta({
    description: "How many people are pinned to a value: the save does not affect them.",
  }),
  refusal: z.string().nullable().meta({
    description: "Why the flag cannot be deleted; null when it can.",
  }),
};

const dependents = z
  .array(z.object({ id: z.number().int(), key: z.string(), ...counts }))
  .meta({ description: "Flags that depend on a changed one, and how they change with it." });
const as_of = z.string().meta({ description: "When it was counted." });

const whoChangesAnswer = z
  .object({
    ...counts,
    ...effects,
    next: z
      .number()
      .int()
      .nullable()
      .meta({
        description: `Where to continue, as after_person; null when nobody is left. Beyond ${PART}, figures cover this part only: add them up.`,
      }),
    dependents,
    as_of,
  })
  .meta({ id: "WhoChanges", description: "Whose value of a flag a save would change." });

const bulkAnswer = z
  .object({
    people: z.object({
      total: z.number().int().meta({ description: "Persons looked at." }),
      changed: z.number().int().meta({ description: "Persons for whom at least one of the flags changes." }),
    }),
    flags: z.array(z.object({ id: z.number().int(), key: z.string(), ...counts, ...effects })).meta({
      description:
        "Every flag of the request, in an order that can be saved. Deletions that would be refused come last and count nobody.",
    }),
    next: z.number().int().nullable().meta({
      description:
        "Where to continue, as after_person; null when nobody is left. Figures cover one part only: add them up.",
    }),
    dependents,
    as_of,
  })
  .meta({ id: "WhoChangesInBulk", description: "Whose values several saves would change." });

/** Who is affected by a change before it is made: counts, and the people or groups behind each count. */
export const whoChangesContract = {
  who_changes: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "feature_flag:read",
    summary: "Count whose value a flag change would change",
    from_replica: true,
    description: `Counted on every stored person (or group), including rollouts and variants, in parts of ${PART}; nothing is saved. ${PROGRESS} It counts everybody then, not a part.`,
    media: WITH_PROGRESS,
    params: project,
    body: z.object(proposed),
    status: 200,
    response: whoChangesAnswer,
  }),
  bulk_who_changes: endpoint({
    method: "POST",
    path: `${root}bulk/`,
    tag,
    scope: "feature_flag:read",
    summary: "Count whose values several flag changes would change",
    from_replica: true,
    description: `As for one flag, with all changes together; nothing is saved. The more flags, the fewer persons per call. ${PROGRESS} It counts everybody then, not a part.`,
    media: WITH_PROGRESS,
    params: project,
    body: z.object({
      changes: z
        .array(z.object({ id, ...fields }))
        .min(1)
        .max(BULK_MAX),
      after_person,
    }),
    status: 200,
    response: bulkAnswer,
  }),
  who_changes_people: endpoint({
    method: "POST",
    path: `${root}people/`,
    tag,
    scope: "person:read",
    summary: "List the people behind one count of a change",
    from_replica: true,
    description: "Exactly those that who_changes counts in this cell, for flags evaluated per person.",
    params: project,
    query: listed,
    body: z.object({ ...proposed, before: value, after: value }),
    status: 200,
    response: peopleOfCell,
  }),
  who_changes_groups: endpoint({
    method: "POST",
    path: `${root}groups/`,
    tag,
    scope: "person:read",
    summary: "List the groups behind one count of a change",
    from_replica: true,
    description: "Exactly those that who_changes counts in this cell, for flags evaluated per group.",
    params: project,
    query: listed,
    body: z.object({ id: proposed.id, ...fields, before: value, after: value }),
    status: 200,
    response: groupsOfCell,
  }),
};

export type WhoChangesAnswer = z.output<typeof whoChangesAnswer>;
export type BulkWhoChangesAnswer = z.output<typeof bulkAnswer>;
