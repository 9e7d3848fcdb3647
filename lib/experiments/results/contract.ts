import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";
import {
  experimentResults,
  exposureResult,
  holdoutResults,
  look,
  metricResult,
  preview,
  recalculation,
  summary,
  timeseriesResult,
  unitRow,
} from "./result-schema.ts";
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
    "Supports ExperimentQuery (one metric) and ExperimentExposureQuery of a launched experiment, as of now. Other kinds are refused.",
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
    summary: "Summarize results of experiments",
    description: "Returns the last recorded results; computes nothing.",
    params: project,
    query: summariesQuery,
    status: 200,
    response: z.object({ results: z.array(summary).meta({ description: "One for each experiment found." }) }),
  }),
  preview_metric: endpoint({
    method: "POST",
    path: `${root}preview_metric/`,
    tag,
    scope: "experiment:read",
    summary: "Preview a metric",
    from_replica: true,
    description: "Computes a metric over the past days from stored events.",
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
    description: "Cumulative results, recorded at the end of each day.",
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
    summary: "Recompute a time series",
    description: "From the first day, in the background. Returns 200 if it is already under way.",
    params: one,
    body: recalculateBody,
    status: 201,
    response: recalculation,
    also: { 200: { description: "Changes were already requested.", body: recalculation } },
  }),
  results: endpoint({
    method: "GET",
    path: `${root}{id}/results/`,
    tag,
    scope: "experiment:read",
    summary: "Retrieve everything about an experiment's results",
    description:
      "Health, exposures and each metric by variant, as of now, corrected for multiple comparisons.",
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
    description: "Exactly the units that the figure counts.",
    params: one,
    query: unitsQuery,
    status: 200,
    response: envelope(unitRow).extend({
      sum: z.number().nullable().meta({
        description: "For sum and denominator: the total of all units, which equals the figure.",
      }),
    }),
  }),
  holdout_results: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/experiment_holdouts/{id}/results/",
    tag,
    scope: "experiment:read",
    summary: "Retrieve what the experiments of a holdout did together",
    description:
      "Compares everybody who called the flag of an experiment with the holdout: people held out with everybody else. Up to 20 metrics of these experiments, those of most experiments first.",
    params: z.object({ ...projectParam, id: integerId("holdout") }),
    status: 200,
    response: holdoutResults,
  }),
  looks: endpoint({
    method: "GET",
    path: `${root}{id}/looks/`,
    tag,
    scope: "experiment:read",
    summary: "List looks at an experiment's results",
    description: "Oldest first: who saw results, and for how many units.",
    params: one,
    status: 200,
    response: z.object({
      count: z.number().int().meta({ description: "Number of looks." }),
      results: z.array(look).meta({ description: "The last 1,000 looks." }),
    }),
  }),
  record_look: endpoint({
    method: "POST",
    path: `${root}{id}/looks/`,
    tag,
    scope: "experiment:write",
    summary: "Record a look at an experiment's results",
    description:
      "One look per person and set of exposures: looking at the same figures again is not a new look. Reading results has the same effect, unless look is false.",
    params: one,
    body: lookBody,
    status: 201,
    response: look,
  }),
};
