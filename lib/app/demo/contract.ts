import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { demoLoad } from "./schema.ts";

const tag = "Projects";
const path = "/api/organizations/@current/demo_project/" as const;

export const demoContract = {
  load: endpoint({
    method: "POST",
    path,
    tag,
    scope: "project:write",
    refuses: "project_keys",
    summary: "Load the demo project",
    description:
      "Creates a project with 300 flags, 20,000 people and 90 days of flag calls, and responds at once; GET returns the progress. Reuses the demo project if it exists.",
    body: z.unknown().meta({ description: "Ignored." }),
    status: 201,
    response: demoLoad,
  }),
  retrieve: endpoint({
    method: "GET",
    path,
    tag,
    scope: "project:read",
    refuses: "project_keys",
    summary: "Retrieve the progress of the demo project",
    status: 200,
    response: demoLoad.nullable(),
  }),
};
