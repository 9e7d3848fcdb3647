import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { projectParam } from "#lib/http/params.ts";

const project = z.object(projectParam);
const limited = z.object({ limit: z.string().optional(), search: z.string().optional() });
const list = <R extends z.ZodType>(record: R) => z.object({ count: z.number(), results: z.array(record) });

/** Of cohorts only what a picker shows. */
export const cohortNames = endpoint({
  method: "GET",
  path: "/api/projects/{project_id}/cohorts/",
  tag: "Cohorts",
  scope: "cohort:read",
  summary: "Cohorts, for a picker",
  params: project,
  query: limited,
  status: 200,
  response: list(
    z.object({ id: z.number(), name: z.string(), count: z.number().nullish(), is_static: z.boolean() }),
  ),
});

/** Properties that were really seen on people or groups. */
export const propertyNames = endpoint({
  method: "GET",
  path: "/api/projects/{project_id}/property_definitions/",
  tag: "Property definitions",
  scope: "property_definition:read",
  summary: "Properties seen, for a picker",
  params: project,
  query: limited.extend({ type: z.string().optional(), group_type_index: z.string().optional() }),
  status: 200,
  response: z.object({
    results: z.array(
      z.object({ name: z.string(), property_type: z.string().nullish(), count: z.number().nullish() }),
    ),
  }),
});

/** Values that a property was really seen with. */
export const propertyValues = endpoint({
  method: "GET",
  path: "/api/projects/{project_id}/property_definitions/values/",
  tag: "Property definitions",
  scope: "property_definition:read",
  summary: "Values seen, for a picker",
  params: project,
  query: z.object({
    type: z.string(),
    key: z.string(),
    value: z.string().optional(),
    group_type_index: z.string().optional(),
  }),
  status: 200,
  response: z.object({
    results: z.array(z.object({ name: z.unknown(), count: z.number().nullish() })),
  }),
});
