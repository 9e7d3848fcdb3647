import { z } from "zod";
import { flagDefinitions } from "#lib/feature_flags/schema.ts";
import { endpoint } from "#lib/http/contract.ts";
import {
  captureAnswer,
  captureBody,
  flagsAnswer,
  flagsBody,
  flagsQuery,
  hostedSurveyQuery,
  ofrepBody,
  ofrepConfiguration,
  ofrepFlag,
  ofrepFlags,
  remoteConfigAnswer,
  surveyFeedAnswer,
  surveyFeedQuery,
} from "./open_schema.ts";

const open = { tag: "SDKs", scope: null, status: 200 } as const;

const openFeature = {
  tag: "OpenFeature",
  scope: null,
  status: 200,
  credential: "bearer_project_token",
} as const;

const OFREP_ERRORS =
  "Errors are the protocol's own: errorCode and errorDetails, with the key of a single flag.";

const hosted = {
  ...open,
  credential: "none",
  path: "/external_surveys/{id}/",
  params: z.object({ id: z.string().meta({ description: "Id of the survey." }) }),
} as const;

/**
 * What SDKs, OpenFeature's providers, and people who answer surveys, call. Described here
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
  definitions: endpoint({
    ...open,
    credential: "personal_or_secret_key",
    scope: "feature_flag:read",
    method: "GET",
    path: "/flags/definitions/",
    summary: "Definitions for evaluation in a server's SDK",
    description:
      "The same as /api/feature_flag/local_evaluation/. Answers 304 where If-None-Match names the current ETag.",
    query: z.object({
      token: z.string().optional().meta({ description: "The project's token; else the key's project." }),
      send_cohorts: z.string().optional().meta({ description: "Present: cohorts come along." }),
    }),
    response: flagDefinitions,
  }),
  script: endpoint({
    ...open,
    credential: "none",
    method: "GET",
    path: "/static/{script}",
    summary: "Load a script of the browser's SDK",
    description:
      "JavaScript of the installed posthog-js, such as array.js; also /static/{version}/{script}, which never changes.",
    params: z.object({ script: z.string().meta({ description: "Name of the file." }) }),
  }),
  ofrep_configuration: endpoint({
    ...openFeature,
    method: "GET",
    path: "/ofrep/v1/configuration/",
    summary: "Read what a provider may expect",
    response: ofrepConfiguration,
  }),
  ofrep_flags: endpoint({
    ...openFeature,
    method: "POST",
    path: "/ofrep/v1/evaluate/flags/",
    summary: "Evaluate all flags",
    description: `Answers 304 where If-None-Match names the current ETag. ${OFREP_ERRORS}`,
    body: ofrepBody,
    response: ofrepFlags,
  }),
  ofrep_flag: endpoint({
    ...openFeature,
    method: "POST",
    path: "/ofrep/v1/evaluate/flags/{key}/",
    summary: "Evaluate a flag",
    description: OFREP_ERRORS,
    params: z.object({ key: z.string().meta({ description: "Key of the flag." }) }),
    body: ofrepBody,
    response: ofrepFlag,
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
