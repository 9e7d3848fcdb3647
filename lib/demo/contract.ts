import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { demoLoad } from "./schema.ts";

const tag = "Projects";
const path = "/api/organizations/@current/demo_project/" as const;

export const demoContract = {
  load: endpoint({
    method: "POST",
    path,
    tag,
    scope: "project:write",
    summary: "Load the demo project",
    description:
      "Makes a project with 300 flags, 20,000 people and 90 days of calls, and answers at once; the retrieval tells how far it is. Where there is one already, it is that one.",
    body: z.unknown().meta({ description: "Ignored." }),
    status: 201,
    response: demoLoad,
  }),
  retrieve: endpoint({
    method: "GET",
    path,
    tag,
    scope: "project:read",
    summary: "How far the demo project is",
    status: 200,
    response: demoLoad.nullable(),
  }),
};
