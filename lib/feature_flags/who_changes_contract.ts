import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { envelope, limitUpTo, pageQuery } from "#lib/http/paging.ts";
import { DATABASE_INTEGER_MAX, projectParam } from "#lib/http/params.ts";
import { personRecord } from "#lib/persons/schema.ts";
import { sentFilters } from "./filters_schema.ts";

const tag = "Feature flags";
const root = "/api/projects/{project_id}/feature_flags/who_changes/" as const;
const project = z.object(projectParam);
const PEOPLE_MAX = 1_000;
/** Flags that one call takes: twice as many as a page of the list shows. */
const BULK_MAX = 100;

const value = z.union([z.boolean(), z.string()]).nullable().meta({
  description: "False, true or a variant; null where there is no flag, or where the unit is another.",
});

/** How many persons one call looks at, of one flag; of more it says where the next call goes on. */
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

const after_person = z
  .number()
  .int()
  .min(0)
  .nullish()
  .meta({ description: `Where to go on: next of the answer before. One call looks at ${PART}.` });

const proposed = {
  id: id.nullish().meta({ description: "The stored flag; absent or null: a new one." }),
  ...fields,
  after_person,
};

const cell = z.object({
  before: value,
  after: value,
  count: z.number().int().meta({ description: "Persons (or groups) who go from one to the other." }),
});

const counts = {
  total: z.number().int().meta({ description: "Persons (or groups) there are." }),
  changed: z.number().int().meta({ description: "Those who get another value; no flag counts as false." }),
  cells: z.array(cell).meta({ description: "Every pair of values that occurs, the most frequent first." }),
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
        description: "The flag that it uses, where that one depends on the changed flag; else null.",
      }),
      variant: z.string().nullable().meta({
        description: "The variant for which a survey is shown; null: any value but off.",
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
    text: z.string().meta({ description: "The same in words." }),
  })
  .meta({ id: "FeatureFlagConsequence", description: "What a save does to a running experiment or survey." });

const effects = {
  group_type_index: z.number().int().nullable().meta({ description: "What is counted; null: persons." }),
  unit_changed: z.boolean().meta({
    description: "The save changes what the flag is decided by; values before it cannot be compared.",
  }),
  consequences: z.array(consequence).meta({
    description:
      "What the save does to experiments and surveys that run on the flag or on one that depends on it.",
  }),
  reaches_everyone: z.boolean().meta({
    description: "Whether everyone would get a value other than off, and does not now.",
  }),
  refusal: z.string().nullable().meta({
    description: "Why the API would refuse to delete the flag; null when it would not.",
  }),
};

const dependents = z
  .array(z.object({ id: z.number().int(), key: z.string(), ...counts }))
  .meta({ description: "Flags whose conditions look at a changed one, and how they change with it." });
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
        description: `Where to go on, as after_person; null when nobody is left. Beyond ${PART} the figures are of this part, to be added up.`,
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
        "Every flag of the request, in an order in which they can be saved. Deletions that would be refused come last and count nobody.",
    }),
    next: z.number().int().nullable().meta({
      description:
        "Where to go on, as after_person; null when nobody is left. Figures are of one part, to be added up.",
    }),
    dependents,
    as_of,
  })
  .meta({ id: "WhoChangesInBulk", description: "Whose values several saves would change." });

/** Whom a change reaches, before it is made: counts, and the people behind each of them. */
export const whoChangesContract = {
  who_changes: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "feature_flag:read",
    summary: "Whose value a change of a flag would change",
    description: `Counted on every stored person (or group), shares included, in parts of ${PART}; nothing is saved.`,
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
    summary: "Whose values changes of several flags would change",
    description: `As for one flag, with all changes made together; nothing is saved. The more flags, the fewer persons one call looks at.`,
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
    summary: "The people behind one count of a change",
    description: "Exactly those whom who_changes counts in this cell; of flags that are decided per person.",
    params: project,
    query: z.object({ limit: limitUpTo(PEOPLE_MAX), offset: pageQuery.offset }),
    body: z.object({ ...proposed, before: value, after: value }),
    status: 200,
    response: envelope(personRecord).extend({
      next_person: z.number().int().nullable().meta({
        description: "Where the next part begins, as after_person; null when nobody is left.",
      }),
    }),
  }),
};

export type WhoChangesAnswer = z.output<typeof whoChangesAnswer>;
export type BulkWhoChangesAnswer = z.output<typeof bulkAnswer>;
