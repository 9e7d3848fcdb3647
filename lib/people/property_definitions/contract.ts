import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import {
  eventDefinition,
  eventDefinitionListQuery,
  propertyDefinition,
  propertyListQuery,
  propertyValues,
  propertyValuesQuery,
} from "./schema.ts";

const tag = "Property definitions";
const root = "/api/projects/{project_id}/property_definitions/" as const;
const project = z.object(projectParam);

export const propertyDefinitionContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "property_definition:read",
    summary: "List the properties of persons or groups",
    description: "Properties in use, most used first.",
    params: project,
    query: propertyListQuery,
    status: 200,
    response: envelope(propertyDefinition),
  }),
  values: endpoint({
    method: "GET",
    path: `${root}values/`,
    tag,
    scope: "property_definition:read",
    summary: "List the values of a property",
    from_replica: true,
    description: "Most used first.",
    params: project,
    query: propertyValuesQuery,
    status: 200,
    response: propertyValues,
  }),
  events: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/event_definitions/",
    tag,
    scope: "property_definition:read",
    summary: "List event names",
    description: "Most frequent first.",
    params: project,
    query: eventDefinitionListQuery,
    status: 200,
    response: envelope(eventDefinition),
  }),
};
