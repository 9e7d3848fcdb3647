import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import {
  captureAnswer,
  captureBody,
  flagsAnswer,
  flagsBody,
  flagsQuery,
  hostedSurveyQuery,
  remoteConfigAnswer,
  surveyFeedAnswer,
  surveyFeedQuery,
} from "./open_schema.ts";

const open = { tag: "SDKs", scope: null, status: 200 } as const;

const hosted = {
  ...open,
  credential: "none",
  path: "/external_surveys/{id}/",
  params: z.object({ id: z.string().meta({ description: "Id of the survey." }) }),
} as const;

/**
 * The paths that carry a project token, or nothing: what SDKs, and people who answer surveys, call. Described here
 * for readers; each is served by its own handler, because they read forms and ages of requests that no schema holds.
 */
export const openContract = {
  flags: endpoint({
    ...open,
    credential: "project_token",
    method: "POST",
    path: "/flags/",
    summary: "Evaluate flags for a person",
    query: flagsQuery,
    body: flagsBody,
    response: flagsAnswer,
  }),
  capture: endpoint({
    ...open,
    credential: "project_token",
    method: "POST",
    path: "/batch/",
    summary: "Store events",
    description: "The same as /e/, /i/v0/e/ and /capture/. Answers once the events are stored.",
    body: captureBody,
    response: captureAnswer,
  }),
  remote_config: endpoint({
    ...open,
    credential: "project_token",
    method: "GET",
    path: "/array/{token}/config/",
    summary: "Read the configuration of a browser's SDK",
    description: "Also as a script: /array/{token}/config.js.",
    params: z.object({ token: z.string().meta({ description: "The project token (phc_…)." }) }),
    response: remoteConfigAnswer,
  }),
  surveys: endpoint({
    ...open,
    credential: "project_token",
    method: "GET",
    path: "/api/surveys/",
    summary: "List surveys for respondents",
    description: "Every survey that is not archived; the SDK decides whom it asks.",
    query: surveyFeedQuery,
    response: surveyFeedAnswer,
  }),
  hosted_survey: endpoint({
    ...hosted,
    method: "GET",
    summary: "Open a hosted survey",
    description:
      "An HTML page that needs no script; for surveys of the type external_survey. Further parameters become properties of the events.",
    query: hostedSurveyQuery,
  }),
  answer_hosted_survey: endpoint({
    ...hosted,
    method: "POST",
    summary: "Answer a hosted survey",
    description:
      "The form of the page, as a browser sends it; answers with the next page, 422 where an answer is missing.",
  }),
};
