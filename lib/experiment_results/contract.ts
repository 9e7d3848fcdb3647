import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { envelope } from "#lib/http/paging.ts";
import { integerId, projectParam } from "#lib/http/params.ts";
import {
  experimentResults,
  exposureResult,
  look,
  metricResult,
  preview,
  recalculation,
  summary,
  timeseriesResult,
  unitRow,
} from "./result_schema.ts";
import {
  lookBody,
  previewBody,
  queryBody,
  recalculateBody,
  resultsQuery,
  summariesQuery,
  timeseriesQuery,
  unitsQuery,
} from "./schema.ts";

const tag = "Experiments";
const root = "/api/projects/{project_id}/experiments/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: integerId("experiment") });

const query = {
  method: "POST",
  tag: "Queries",
  scope: "query:read",
  description:
    "Answers ExperimentQuery (one metric) and ExperimentExposureQuery of an experiment that has started, as of now. Other kinds are refused.",
  params: project,
  body: queryBody,
  status: 200,
  response: z.union([metricResult, exposureResult]),
} as const;

export const experimentResultContract = {
  environment_query: endpoint({
    ...query,
    path: "/api/environments/{project_id}/query/",
    summary: "Compute a query in an environment",
  }),
  project_query: endpoint({
    ...query,
    path: "/api/projects/{project_id}/query/",
    summary: "Compute a query in a project",
  }),
  results_summaries: endpoint({
    method: "GET",
    path: `${root}results_summaries/`,
    tag,
    scope: "experiment:read",
    summary: "Summarise results of experiments",
    description: "As last recorded: nothing is computed for it.",
    params: project,
    query: summariesQuery,
    status: 200,
    response: z.object({ results: z.array(summary).meta({ description: "One for each that exists." }) }),
  }),
  preview_metric: endpoint({
    method: "POST",
    path: `${root}preview_metric/`,
    tag,
    scope: "experiment:read",
    summary: "Preview a metric",
    description: "What a metric would have been over the past days, of stored events.",
    params: project,
    body: previewBody,
    status: 200,
    response: preview,
  }),
  timeseries_results: endpoint({
    method: "GET",
    path: `${root}{id}/timeseries_results/`,
    tag,
    scope: "experiment:read",
    summary: "Retrieve the time series of a metric",
    description: "Results as recorded at the end of each day, cumulative.",
    params: one,
    query: timeseriesQuery,
    status: 200,
    response: timeseriesResult,
  }),
  recalculate_timeseries: endpoint({
    method: "POST",
    path: `${root}{id}/recalculate_timeseries/`,
    tag,
    scope: "experiment:write",
    summary: "Compute a time series again",
    description: "From the first day on, in the background. 200 when that is under way already.",
    params: one,
    body: recalculateBody,
    status: 201,
    response: recalculation,
  }),
  results: endpoint({
    method: "GET",
    path: `${root}{id}/results/`,
    tag,
    scope: "experiment:read",
    summary: "Retrieve everything about an experiment's results",
    description:
      "Health, exposures and each metric by variant, as of now, with corrections for many comparisons.",
    params: one,
    query: resultsQuery,
    status: 200,
    response: experimentResults,
  }),
  results_people: endpoint({
    method: "GET",
    path: `${root}{id}/results/people/`,
    tag,
    scope: "person:read",
    summary: "List the units behind a figure",
    description: "As many as the figure says, by the same reading of the events.",
    params: one,
    query: unitsQuery,
    status: 200,
    response: envelope(unitRow).extend({
      sum: z.number().nullable().meta({
        description: "For sum and denominator: what all of them add up to, which is the figure.",
      }),
    }),
  }),
  looks: endpoint({
    method: "GET",
    path: `${root}{id}/looks/`,
    tag,
    scope: "experiment:read",
    summary: "List looks at an experiment's results",
    description: "Oldest first: who saw results, and of how many units.",
    params: one,
    status: 200,
    response: z.object({
      count: z.number().int().meta({ description: "How many looks there were." }),
      results: z.array(look).meta({ description: "The last 1,000 of them." }),
    }),
  }),
  record_look: endpoint({
    method: "POST",
    path: `${root}{id}/looks/`,
    tag,
    scope: "experiment:write",
    summary: "Record a look at an experiment's results",
    description:
      "One look per person and state of the exposures: a look at the same figures again is the same look. Reading results with look=true records the same.",
    params: one,
    body: lookBody,
    status: 201,
    response: look,
  }),
};
