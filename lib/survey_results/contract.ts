import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { projectParam } from "#lib/http/params.ts";
import { questionsToPreview } from "#lib/surveys/check_schema.ts";
import { editEffects } from "./effects_schema.ts";
import { resultsFilters } from "./filters_schema.ts";
import { crosstab, crosstabQuery, statements, statementsQuery } from "./readings_schema.ts";
import {
  exportQuery,
  readingProgress,
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
  response_id: z.uuid().meta({ description: "uuid of the response: of its latest event." }),
});

/** What the answers to a survey come to, and the answers themselves. */
export const surveyResultsContract = {
  results: endpoint({
    method: "GET",
    path: `${root}results/`,
    tag,
    scope: "survey:read",
    summary: "Figures of a survey",
    description:
      "Everything that a page of results shows, all of it from the same filtered responses. Each figure says by which parameters `responses/` opens exactly its rows.",
    params: one,
    query: resultsFilters,
    status: 200,
    response: surveyResults,
  }),
  preview_questions: endpoint({
    method: "POST",
    path: `${root}preview_questions/`,
    tag,
    scope: "survey:read",
    summary: "What an edit of the questions does to stored answers",
    description:
      "For each stored question and each of its choices: how many stored answers would stay, move along with another " +
      "text, or be listed under a former choice. Nothing is written; the questions are checked as by a PATCH.",
    params: one,
    body: questionsToPreview,
    status: 200,
    response: editEffects,
  }),
  progress: endpoint({
    method: "GET",
    path: `${root}results/progress/`,
    tag,
    scope: "survey:read",
    summary: "How far the figures of a survey are",
    description:
      "Filters need the responses in memory, which takes some seconds where there are very many; and answers are read anew after questions were changed. While either goes on, figures that need it answer 503.",
    params: one,
    status: 200,
    response: readingProgress,
  }),
  responses: endpoint({
    method: "GET",
    path: `${root}responses/`,
    tag,
    scope: "survey:read",
    summary: "List the responses to a survey",
    description: "Newest first; with the parameters of a figure, exactly the rows that it counts.",
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
    summary: "Put a response away",
    description: "It leaves every figure and every list until it is brought back.",
    params: response,
    status: 200,
    response: responseRow,
  }),
  unarchive: endpoint({
    method: "POST",
    path: `${root}responses/{response_id}/unarchive/`,
    tag,
    scope: "survey:write",
    summary: "Bring a response back",
    params: response,
    status: 200,
    response: responseRow,
  }),
  crosstab: endpoint({
    method: "GET",
    path: `${root}crosstab/`,
    tag,
    scope: "survey:read",
    summary: "Answers to two questions against each other",
    description: "Ratings and choices. Cells are corrected for their number by Holm's method.",
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
    summary: "What the answers to a question come to",
    description:
      "Sentences that count, made without any outside model. Each opens exactly the responses that it rests on; one without any is never made.",
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
    description:
      "Streams the same rows as `responses/` with the same parameters, all of them. In CSV, cells that a spreadsheet would run as a formula begin with an apostrophe.",
    params: one,
    query: exportQuery,
    status: 200,
    response: z.unknown(),
  }),
};
