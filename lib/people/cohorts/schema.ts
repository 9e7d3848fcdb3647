import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { defineFields, jsonShape, readShape, writeShape } from "#lib/platform/fields-schema.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { limitUpTo, pageQuery } from "#lib/platform/http/paging.ts";
import { unreadableFields } from "#lib/platform/http/stored-schema.ts";
import { definitionWords } from "./words.ts";

const NAME_MAX = 400;
const UPLOAD_MAX = 100_000;

/** The fields of a cohort; requests, records and the activity log follow from them. */
export const COHORT_FIELDS = defineFields({
  id: { read: z.number().int().meta({ description: "Id of the cohort." }) },
  name: {
    write: z.string().trim().min(1).max(NAME_MAX).meta({ description: "Name of the cohort." }),
    read: z.string().meta({ description: "Name of the cohort." }),
    logged: 1,
  },
  description: {
    write: z.string().max(10_000).meta({ description: "What the cohort is for." }),
    read: z.string().meta({ description: "What the cohort is for; may be empty." }),
    logged: 2,
  },
  filters: {
    write: z.record(z.string(), z.unknown()).meta({
      description: "Definition: {properties: {type: OR, values: [{type: AND, values: [conditions]}]}}.",
    }),
    read: z.record(z.string(), z.unknown()).meta({
      description:
        "Definition: {properties: {type, values}}, groups of conditions joined by AND or OR; {} when static.",
    }),
    json: true,
    logged: 3,
    label: "Definition",
    words: definitionWords,
  },
  groups: { read: z.array(z.unknown()).meta({ description: "Always empty: an older form of filters." }) },
  deleted: {
    write: z.boolean().meta({ description: "True soft-deletes, false restores." }),
    read: z.boolean().meta({ description: "Whether the cohort was deleted." }),
    logged: 4,
  },
  is_calculating: { read: z.boolean().meta({ description: "Whether members are being counted." }) },
  created_by: { read: userBasic.nullable().meta({ description: "Who created it; null for the system." }) },
  created_at: { read: z.string().meta({ description: "When it was created." }), shown: instant },
  last_calculation: {
    read: z.string().nullable().meta({ description: "When members were last counted; null if never." }),
    shown: instantOrNull,
  },
  errors_calculating: {
    read: z
      .number()
      .int()
      .meta({ description: "How many times counting has failed since it last succeeded." }),
  },
  count: {
    read: z.number().int().nullable().meta({ description: "Number of members at the last count." }),
    label: "Members",
  },
  is_static: {
    write: z.boolean().meta({ description: "Whether members are listed by id. Cannot be changed." }),
    read: z
      .boolean()
      .meta({ description: "true: members are listed by id; false: they follow the filters." }),
  },
  experiment_set: {
    read: z
      .array(z.number().int())
      .meta({ description: "Ids of the experiments whose exposed people it holds." }),
  },
});

/** A cohort as the API answers with it. */
export const cohortRecord = z
  .object({ ...readShape(COHORT_FIELDS), unreadable_fields: unreadableFields })
  .meta({ id: "Cohort", description: "A set of persons." });

/** What of a stored cohort is JSON. */
export const storedCohort = z.object(jsonShape(COHORT_FIELDS));

const personIds = z
  .array(z.uuid().transform((id) => id.toLowerCase()))
  .max(UPLOAD_MAX)
  .meta({ description: `UUIDs of persons, up to ${UPLOAD_MAX}; all must exist.` });
const distinctIds = z
  .array(z.string().min(1).max(400))
  .max(UPLOAD_MAX)
  .meta({ description: `Distinct ids of persons, up to ${UPLOAD_MAX}; unknown ids are ignored.` });

const { deleted, ...writable } = writeShape(COHORT_FIELDS);

export const cohortCreate = z
  .object(writable)
  .partial()
  .required({ name: true })
  .extend({ person_ids: personIds.optional(), distinct_ids: distinctIds.optional() })
  .meta({ id: "CohortCreate" });

export const cohortUpdate = z
  .object({ ...writable, deleted })
  .partial()
  .meta({ id: "CohortUpdate" });

export const cohortListQuery = z.object({
  ...pageQuery,
  search: z.string().optional().meta({ description: "Part of the name, case-insensitive." }),
});

export const membersAdd = z
  .object({ person_ids: personIds.optional(), distinct_ids: distinctIds.optional() })
  .meta({ id: "CohortMembersAdd" });

export const membersAdded = z.object({
  success: z.literal(true).meta({ description: "Always true; failures are errors." }),
  added: z.number().int().meta({ description: "How many persons were added." }),
  not_found: z.number().int().meta({ description: "How many of the distinct ids are unknown." }),
  count: z.number().int().meta({ description: "How many members the cohort has now." }),
});

export const memberRemove = z
  .object({
    person_id: z
      .uuid()
      .transform((id) => id.toLowerCase())
      .meta({ description: "UUID of the person." }),
  })
  .meta({ id: "CohortMemberRemove" });

const PAGE_MAX = 1_000;

export const membersQuery = z.object({
  limit: limitUpTo(PAGE_MAX),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "cursor must come from the next field of a page.")
    .transform(Number)
    .optional()
    .meta({ description: "Start of the page; take it from next." }),
});

const cohortMember = z
  .object({
    id: z.string().meta({ description: "UUID of the person." }),
    uuid: z.string().meta({ description: "The same." }),
    distinct_ids: z.array(z.string()).meta({ description: "Distinct ids of the person." }),
    properties: z.record(z.string(), z.unknown()).meta({ description: "Properties of the person." }),
    is_identified: z.boolean().meta({ description: "Whether the person has ever been identified." }),
    created_at: z.string().meta({ description: "When the person was first seen." }),
  })
  .meta({ id: "CohortMember", description: "A person in a cohort." });

export const membersPage = z.object({
  next: z.string().nullable().meta({
    description: "URL of the next page; null on the last. A page can be short while there is a next one.",
  }),
  previous: z.string().nullable().meta({ description: "Always null: paging only goes forward." }),
  results: z.array(cohortMember).meta({ description: "Members, in the order they were first seen." }),
});

export type CohortRecord = z.infer<typeof cohortRecord>;
export type CohortMember = z.infer<typeof cohortMember>;
