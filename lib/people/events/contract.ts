import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { eventListQuery, eventPage } from "./schema.ts";

export const eventContract = {
  list: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/events/",
    tag: "Events",
    scope: "person:read",
    summary: "List events",
    from_replica: true,
    description: "Newest first; all, or filtered by person, id or name.",
    params: z.object(projectParam),
    query: eventListQuery,
    status: 200,
    response: eventPage,
  }),
};
