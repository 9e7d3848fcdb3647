import { z } from "zod";
import { onePerson } from "#lib/people/persons/contract.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { bulkDeleteBody, bulkDeleted, destroyQuery, erasureRecord, storedCounts } from "./schema.ts";

const tag = "Persons";
const person = "/api/projects/{project_id}/persons/{id}/" as const;
const root = "/api/projects/{project_id}/erasures/" as const;

/** What can be done with all data of a person; served with the other endpoints of persons. */
export const personDataContract = {
  destroy: endpoint({
    method: "DELETE",
    path: person,
    tag,
    scope: "person:write",
    summary: "Erase a person",
    description:
      "Deletes the person with everything stored about them: identifiers, properties, events, answers to surveys, their part in experiments and in all counts. The person is gone when this returns; a job deletes the events, and its result can be read from the erasure. Events with the same distinct ids that arrive afterwards create a new person. Groups and their properties stay.",
    params: onePerson,
    query: destroyQuery,
    status: 202,
    response: erasureRecord,
  }),
  bulk_delete: endpoint({
    method: "POST",
    path: "/api/projects/{project_id}/persons/bulk_delete/",
    tag,
    scope: "person:write",
    summary: "Erase several persons",
    description: "As for one person; each of them gets an erasure of their own.",
    params: z.object(projectParam),
    body: bulkDeleteBody,
    status: 202,
    response: bulkDeleted,
  }),
  stored: endpoint({
    method: "GET",
    path: `${person}stored/`,
    tag,
    scope: "person:read",
    summary: "Count what is stored about a person",
    description: "What the export contains and an erasure deletes.",
    params: onePerson,
    status: 200,
    response: storedCounts,
  }),
  export: endpoint({
    method: "GET",
    path: `${person}export/`,
    tag,
    scope: "person:read",
    summary: "Export everything about a person",
    description: "One JSON object, streamed: the person, then a list for each table with rows of theirs.",
    params: onePerson,
    status: 200,
    response: z.unknown(),
  }),
};

export const erasureContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "person:read",
    summary: "List erasures",
    description: "Newest first.",
    params: z.object(projectParam),
    query: z.object(pageQuery),
    status: 200,
    response: envelope(erasureRecord),
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "person:read",
    summary: "Retrieve an erasure",
    description: "With its certificate, once it is finished.",
    params: z.object({ ...projectParam, id: z.uuid().meta({ description: "UUID of the erasure." }) }),
    status: 200,
    response: erasureRecord,
  }),
};
