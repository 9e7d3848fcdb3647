import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { groupListQuery, groupRecord, groupTypeRecord } from "./schema.ts";

const tag = "Groups";
const project = z.object(projectParam);

export const groupContract = {
  types: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/groups_types/",
    tag,
    scope: "person:read",
    summary: "List group types",
    params: project,
    status: 200,
    response: z.array(groupTypeRecord),
  }),
  list: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/groups/",
    tag,
    scope: "person:read",
    summary: "List the groups of one type",
    from_replica: true,
    description: "Ordered by key.",
    params: project,
    query: groupListQuery,
    status: 200,
    response: envelope(groupRecord),
  }),
};
