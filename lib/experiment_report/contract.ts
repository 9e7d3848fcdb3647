import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { integerId, projectParam } from "#lib/http/params.ts";

export const experimentReportContract = {
  report: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/experiments/{id}/report/",
    tag: "Experiments",
    scope: "experiment:read",
    summary: "Download an experiment's sealed report",
    description:
      "One HTML file with the data, the definitions and the statistics engine. It opens offline, recomputes " +
      "every number and says whether all agree. Its seal is written into the experiment's activity.",
    params: z.object({ ...projectParam, id: integerId("experiment") }),
    status: 200,
    response: z.string().meta({ description: "The file, as text/html." }),
  }),
};
