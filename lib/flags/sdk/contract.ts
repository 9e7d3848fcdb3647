import { z } from "zod";
import { flagDefinitions } from "#lib/flags/feature_flags/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
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
} from "./open-schema.ts";

const open = { tag: "SDKs", scope: null, status: 200 } as const;

const openFeature = {
  tag: "OpenFeature",
  scope: null,
  status: 200,
  credential: "bearer_project_token",
} as const;

const OFREP_ERRORS = "Errors follow the protocol: errorCode and errorDetails, with the key of a single flag.";

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
    description: "Same as /e/, /i/v0/e/ and /capture/. Responds once the events are stored.",
    body: captureBody,
    response: captureAnswer,
  }),
  remote_config: endpoint({
    ...open,
    credential: "project_token",
    method: "GET",
    path: "/array/{token}/config/",
    summary: "Retrieve the configuration of a browser SDK",
    description: "Also available as a script: /array/{token}/config.js.",
    params: z.object({ token: z.string().meta({ description: "The project token (phc_…)." }) }),
    response: remoteConfigAnswer,
  }),
  definitions: endpoint({
    ...open,
    credential: "personal_or_secret_key",
    scope: "feature_flag:read",
    method: "GET",
    path: "/flags/definitions/",
    summary: "Retrieve flag definitions for local evaluation",
    description:
      "Same as /api/feature_flag/local_evaluation/. Responds 304 when If-None-Match has the current ETag.",
    query: z.object({
      token: z.string().optional().meta({ description: "Project token; when absent, the key's project." }),
      send_cohorts: z.string().optional().meta({ description: "If present, cohorts are included." }),
    }),
    response: flagDefinitions,
  }),
  script: endpoint({
    ...open,
    credential: "none",
    method: "GET",
    path: "/static/{script}",
    summary: "Load a script of the browser SDK",
    description:
      "JavaScript of the installed posthog-js, such as array.js; also /static/{version}/{script}, which never changes.",
    params: z.object({ script: z.string().meta({ description: "File name." }) }),
  }),
  ofrep_configuration: endpoint({
    ...openFeature,
    method: "GET",
    path: "/ofrep/v1/configuration/",
    summary: "Retrieve the provider configuration",
    response: ofrepConfiguration,
  }),
  ofrep_flags: endpoint({
    ...openFeature,
    method: "POST",
    path: "/ofrep/v1/evaluate/flags/",
    summary: "Evaluate all flags",
    description: `Responds 304 when If-None-Match has the current ETag. ${OFREP_ERRORS}`,
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
    description: "Every survey that is not archived; the SDK decides who sees which.",
    query: surveyFeedQuery,
    response: surveyFeedAnswer,
  }),
  hosted_survey: endpoint({
    ...hosted,
    method: "GET",
    summary: "Open a hosted survey",
    description:
      "An HTML page that works without JavaScript, for surveys of type external_survey. Other parameters become event properties.",
    query: hostedSurveyQuery,
  }),
  answer_hosted_survey: endpoint({
    ...hosted,
    method: "POST",
    summary: "Answer a hosted survey",
    description: "The submitted form; responds with the next page, or 422 when an answer is missing.",
  }),
};
