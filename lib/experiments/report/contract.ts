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
  check_report: endpoint({
    method: "POST",
    path: "/api/projects/{project_id}/experiments/check_report/",
    tag: "Experiments",
    scope: "experiment:read",
    summary: "Check the signature of a sealed report",
    description:
      "Whether this instance signed a report of this project. The digest is the SHA-256 of the report's canonical JSON without its signature.",
    params: z.object(projectParam),
    body: z.object({
      experiment_id: z.number().int().meta({ description: "The experiment that the report is of." }),
      digest: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .meta({ description: "SHA-256 in hexadecimal." }),
      signature: z.string().max(200).meta({ description: "The report's signature." }),
      seal: z.string().max(200).meta({ description: "The report's seal." }),
    }),
    status: 200,
    response: z
      .object({
        signed: z
          .boolean()
          .meta({ description: "Whether this instance made it, and nothing was changed since." }),
        recorded_at: z.string().nullable().meta({
          description: "When its seal was recorded in the experiment's history; null if it was not.",
        }),
      })
      .meta({ id: "ExperimentReportCheck" }),
  }),
};
