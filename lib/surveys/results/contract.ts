import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { questionsToPreview } from "#lib/surveys/surveys/questions/check-schema.ts";
import { editEffects } from "./effects-schema.ts";
import { resultsFilters } from "./filters-schema.ts";
import { crosstab, crosstabQuery, statements, statementsQuery } from "./readings-schema.ts";
import {
  exportQuery,
  responseFields,
  responseList,
  responseRow,
  responsesQuery,
  surveyResults,
} from "./schema.ts";

const tag = "Surveys";
const root = "/api/projects/{project_id}/surveys/{id}/" as const;
const survey = { ...projectParam, id: z.uuid().meta({ description: "UUID of the survey." }) };
const one = z.object(survey);
const response = z.object({
  ...survey,
  response_id: z.uuid().meta({ description: "UUID of the response, which is that of its latest event." }),
});

/** The results of a survey, and its responses. */
export const surveyResultsContract = {
  results: endpoint({
    method: "GET",
    path: `${root}results/`,
    tag,
    scope: "survey:read",
    summary: "Figures of a survey",
    description:
      "Everything a results page shows, all from the same filtered responses. Each figure has the parameters with which `responses/` returns exactly its rows.",
    params: one,
    query: resultsFilters,
    status: 200,
    response: surveyResults,
  }),
  fields: endpoint({
    method: "GET",
    path: `${root}fields/`,
    tag,
    scope: "survey:read",
    summary: "Hidden fields of a survey's responses",
    description:
      "What the events of the latest 5,000 responses have besides what SDKs define, such as the parameters of a hosted page's URL, each with its most frequent values: what the filter `fields` can be set to.",
    params: one,
    status: 200,
    response: responseFields,
  }),
  preview_questions: endpoint({
    method: "POST",
    path: `${root}preview_questions/`,
    tag,
    scope: "survey:read",
    summary: "Preview the effect of an edit on stored answers",
    from_replica: true,
    description:
      "For each stored question and each of its choices: how many stored answers would stay, move along with another " +
      "text, or be listed under a former choice. Nothing is written; questions are validated as in a PATCH.",
    params: one,
    body: questionsToPreview,
    status: 200,
    response: editEffects,
  }),
  responses: endpoint({
    method: "GET",
    path: `${root}responses/`,
    tag,
    scope: "survey:read",
    summary: "List the responses to a survey",
    description: "Newest first. With the parameters of a figure, exactly the rows it counts.",
    params: one,
    query: responsesQuery,
    status: 200,
    response: responseList,
  }),
  response: endpoint({
    method: "GET",
    path: `${root}responses/{response_id}/`,
    tag,
    scope: "survey:read",
    summary: "Retrieve a response",
    params: response,
    status: 200,
    response: responseRow,
  }),
  archive: endpoint({
    method: "POST",
    path: `${root}responses/{response_id}/archive/`,
    tag,
    scope: "survey:write",
    summary: "Archive a response",
    description: "It is excluded from all figures and lists until restored.",
    params: response,
    status: 200,
    response: responseRow,
  }),
  unarchive: endpoint({
    method: "POST",
    path: `${root}responses/{response_id}/unarchive/`,
    tag,
    scope: "survey:write",
    summary: "Restore a response",
    params: response,
    status: 200,
    response: responseRow,
  }),
  crosstab: endpoint({
    method: "GET",
    path: `${root}crosstab/`,
    tag,
    scope: "survey:read",
    summary: "Cross-tabulate two questions",
    description: "Ratings and choices. The cells' p-values are corrected by Holm's method.",
    params: one,
    query: crosstabQuery,
    status: 200,
    response: crosstab,
  }),
  statements: endpoint({
    method: "GET",
    path: `${root}statements/`,
    tag,
    scope: "survey:read",
    summary: "Summarize the answers to a question",
    description:
      "Counted statements, made without an external model. Each returns exactly the responses that support it.",
    params: one,
    query: statementsQuery,
    status: 200,
    response: statements,
  }),
  export: endpoint({
    method: "GET",
    path: `${root}export/`,
    tag,
    scope: "survey:read",
    summary: "Export the responses to a survey",
    from_replica: true,
    description:
      "Streams all rows of `responses/` with the same parameters. In CSV, cells that a spreadsheet would run as a formula start with an apostrophe.",
    params: one,
    query: exportQuery,
    status: 200,
    response: z.unknown(),
    media: ["application/json", "text/csv"],
  }),
};
