import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { envelope, limitUpTo, pageQuery } from "#lib/http/paging.ts";
import { projectParam } from "#lib/http/params.ts";
import { personRecord } from "#lib/persons/schema.ts";
import { sentFilters } from "./filters_schema.ts";

const tag = "Feature flags";
const root = "/api/projects/{project_id}/feature_flags/who_changes/" as const;
const project = z.object(projectParam);
const PEOPLE_MAX = 1_000;

const value = z.union([z.boolean(), z.string()]).nullable().meta({
  description: "False, true or a variant; null where there is no flag, or where the unit is another.",
});

const PART = "100,000 persons";

/** A flag as it would be saved: what is absent stays as it is stored. */
const proposed = {
  id: z.number().int().nullish().meta({ description: "The stored flag; absent or null: a new one." }),
  key: z
    .string()
    .max(400)
    .optional()
    .meta({ description: "Key of a new flag, or the new key of a stored one." }),
  active: z.boolean().optional(),
  filters: sentFilters.optional(),
  deleted: z.boolean().optional(),
  after_person: z
    .number()
    .int()
    .min(0)
    .nullish()
    .meta({ description: `Where to go on: what the answer before named. One call looks at ${PART}.` }),
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

const whoChangesAnswer = z
  .object({
    ...counts,
    next: z
      .number()
      .int()
      .nullable()
      .meta({
        description: `Where to go on, as after_person; null when nobody is left. Beyond ${PART} the figures are of this part, to be added up.`,
      }),
    group_type_index: z.number().int().nullable().meta({ description: "What is counted; null: persons." }),
    unit_changed: z.boolean().meta({
      description: "The save changes what the flag is decided by; values before it cannot be compared.",
    }),
    dependents: z
      .array(z.object({ id: z.number().int(), key: z.string(), ...counts }))
      .meta({ description: "Flags whose conditions look at this one, and how they change with it." }),
    as_of: z.string().meta({ description: "When it was counted." }),
  })
  .meta({ id: "WhoChanges", description: "Whose value of a flag a save would change." });

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
