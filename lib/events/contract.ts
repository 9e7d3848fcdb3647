import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { projectParam } from "#lib/http/params.ts";
import { eventListQuery, eventPage } from "./schema.ts";

export const eventContract = {
  list: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/events/",
    tag: "Events",
    scope: "person:read",
    summary: "List events",
    description: "Newest first; of a person, under one id, of one name, or all.",
    params: z.object(projectParam),
    query: eventListQuery,
    status: 200,
    response: eventPage,
  }),
};
