import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { personFlags, personFlagsQuery, personListQuery, personPage, personRecord } from "./schema.ts";

const tag = "Persons";
const root = "/api/projects/{project_id}/persons/" as const;
/** The person that a path names. */
export const onePerson = z.object({
  ...projectParam,
  id: z
    .string()
    .regex(/^(?:\d{1,15}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/)
    .meta({ description: "UUID or numeric id of the person." }),
});

export const personContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "person:read",
    summary: "List persons",
    from_replica: true,
    description:
      "Newest first. A filter on properties is evaluated like a flag's conditions, on the newest 50,000 to 175,000 persons, or until 10,000 match; next continues with earlier ones.",
    params: z.object(projectParam),
    query: personListQuery,
    status: 200,
    response: personPage,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "person:read",
    summary: "Retrieve a person",
    params: onePerson,
    status: 200,
    response: personRecord,
  }),
  cohorts: endpoint({
    method: "GET",
    path: `${root}{id}/cohorts/`,
    tag,
    scope: "cohort:read",
    summary: "List the cohorts of a person",
    description: "By name. Who is in a cohort of conditions is found now, not as last counted.",
    params: onePerson,
    status: 200,
    response: z.object({
      results: z.array(
        z.object({
          id: z.number().int().meta({ description: "Id of the cohort." }),
          name: z.string(),
          is_static: z.boolean().meta({ description: "Whether it is a list of people." }),
        }),
      ),
    }),
  }),
  feature_flags: endpoint({
    method: "GET",
    path: `${root}{id}/feature_flags/`,
    tag,
    scope: "person:read",
    summary: "Evaluate all flags for a person",
    description:
      "Uses what is stored about the person, and gives the reason for each value, next to the value that an application received last.",
    params: onePerson,
    query: personFlagsQuery,
    status: 200,
    response: personFlags,
  }),
};
