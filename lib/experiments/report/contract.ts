import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";

const file = {
  path: "/api/projects/{project_id}/experiments/{id}/report/",
  tag: "Experiments",
  params: z.object({ ...projectParam, id: integerId("experiment") }),
  media: ["text/html"],
} as const;

export const experimentReportContract = {
  report: endpoint({
    ...file,
    method: "GET",
    scope: "experiment:read",
    summary: "Download an experiment's sealed report",
    description:
      "One HTML file with the data, the definitions and the statistics engine. It opens offline, recomputes " +
      "every number and checks that they all match.",
    status: 200,
  }),
  record_report: endpoint({
    ...file,
    method: "POST",
    scope: "experiment:write",
    summary: "Record and download an experiment's sealed report",
    description:
      "The same file, with its seal recorded in the experiment's activity, so that an altered and resealed file " +
      "can be recognized.",
    status: 201,
  }),
};
