import { z } from "zod";
import { flagDefinitions } from "#lib/flags/feature_flags/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { errorSchema } from "#lib/platform/http/error-schema.ts";
import {
  captureAnswer,
  captureBody,
  flagsAnswers,
  flagsBody,
  flagsQuery,
  hostedSurveyQuery,
  ofrepBody,
  ofrepConfiguration,
  ofrepError,
  ofrepFlag,
  ofrepFlags,
  remoteConfigAnswer,
  surveyFeedAnswer,
  surveyFeedQuery,
} from "./open-schema.ts";

const open = { tag: "SDKs", scope: null, status: 200 } as const;

/** The protocol's own errors, for every status that there is an error with. */
const ofrepErrors = Object.fromEntries(
  [400, 401, 403, 404, 413, 415, 429, 503].map((status) => [
    status,
    { description: "In the protocol's own form.", body: ofrepError },
  ]),
);

const openFeature = {
  tag: "OpenFeature",
  scope: null,
  status: 200,
  credential: "bearer_project_token",
  also: ofrepErrors,
} as const;

const NOT_MODIFIED = { 304: { description: "If-None-Match has the current ETag." } } as const;

const OFREP_ERRORS = "Errors follow the protocol: errorCode and errorDetails, with the key of a single flag.";

const PAGE = ["text/html"] as const;

const hosted = {
  ...open,
  credential: "none",
  media: PAGE,
  also: Object.fromEntries(
    [400, 404, 413, 422, 429, 503].map((status) => [
      status,
      { description: "The page that says so.", media: PAGE },
    ]),
  ),
  path: "/external_surveys/{id}/",
  params: z.object({ id: z.string().meta({ description: "Id of the survey." }) }),
} as const;

const token = z.string().meta({ description: "The project token (phc_…)." });
const distinctId = z.string().meta({ description: "Distinct id of the person." });
const script = z.string().meta({ description: "File name." });
const stream = {
  method: "GET",
  media: ["text/event-stream"],
  also: { 503: { description: "The process has as many open streams as it may.", body: errorSchema } },
} as const;

const STREAM =
  "Server-sent events that stay open and carry no definitions. Lines that begin with a colon are heartbeats. Who comes back with Last-Event-ID gets one event for everything in between.";

const lastEvent = {
  last_event_id: z
    .string()
    .optional()
    .meta({ description: "The same as the header Last-Event-ID, for clients that cannot set it." }),
};

const bundle = { media: ["text/javascript"], also: NOT_MODIFIED } as const;

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
    response: flagsAnswers,
    aliases: ["/decide/"],
  }),
  flags_by_query: endpoint({
    ...open,
    credential: "project_token",
    method: "GET",
    path: "/flags/",
    summary: "Evaluate flags for a person named in the query",
    query: flagsQuery.extend({ token, distinct_id: distinctId }),
    response: flagsAnswers,
    aliases: ["/decide/"],
  }),
  capture: endpoint({
    ...open,
    credential: "project_token",
    method: "POST",
    path: "/batch/",
    summary: "Store events",
    description: "Responds once the events are stored.",
    body: captureBody,
    response: captureAnswer,
    also: { 204: { description: "The events are stored; to beacons, which read no answer." } },
    aliases: ["/e/", "/i/v0/e/", "/capture/", "/track/", "/engage/"],
  }),
  remote_config: endpoint({
    ...open,
    credential: "project_token",
    method: "GET",
    path: "/array/{token}/config/",
    summary: "Retrieve the configuration of a browser SDK",
    params: z.object({ token }),
    response: remoteConfigAnswer,
  }),
  remote_config_script: endpoint({
    ...open,
    credential: "project_token",
    method: "GET",
    path: "/array/{token}/config.js",
    summary: "Load the configuration of a browser SDK as a script",
    params: z.object({ token }),
    media: ["application/javascript"],
  }),
  definitions: endpoint({
    ...open,
    credential: "personal_or_secret_key",
    scope: "feature_flag:read",
    method: "GET",
    path: "/flags/definitions/",
    summary: "Retrieve flag definitions for local evaluation",
    aliases: ["/api/feature_flag/local_evaluation/"],
    also: NOT_MODIFIED,
    query: z.object({
      token: z.string().optional().meta({ description: "Project token; when absent, the key's project." }),
      send_cohorts: z.string().optional().meta({ description: "If present, cohorts are included." }),
    }),
    response: flagDefinitions,
  }),
  definitions_stream: endpoint({
    ...open,
    ...stream,
    credential: "personal_or_secret_key",
    scope: "feature_flag:read",
    path: "/flags/definitions/stream/",
    summary: "Hear of changes of flag definitions",
    description: `${STREAM} An event of type refetchDefinitions says that definitions have changed since. A client that sends its entity tag of the definitions as If-None-Match gets one at once if they have changed since then.`,
    query: z.object({
      token: z.string().optional().meta({ description: "Project token; when absent, the key's project." }),
      ...lastEvent,
    }),
  }),
  flags_stream: endpoint({
    ...open,
    ...stream,
    credential: "project_token",
    path: "/flags/stream/",
    summary: "Hear of changes of flags",
    description: `${STREAM} An event of type refetchEvaluation says that flags may have other values. OpenFeature's providers for browsers open it by themselves.`,
    query: z.object({ token, ...lastEvent }),
  }),
  script: endpoint({
    ...open,
    credential: "none",
    method: "GET",
    path: "/static/{script}",
    summary: "Load a script of the browser SDK",
    description: "JavaScript of the installed posthog-js, such as array.js.",
    params: z.object({ script }),
    ...bundle,
  }),
  script_of_version: endpoint({
    ...open,
    credential: "none",
    method: "GET",
    path: "/static/{version}/{script}",
    summary: "Load a script of a version of the browser SDK",
    description: "It never changes.",
    params: z.object({ version: z.string().meta({ description: "Version of posthog-js." }), script }),
    ...bundle,
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
    description: `${OFREP_ERRORS} eventStreams names a stream that says when to ask again.`,
    also: { ...ofrepErrors, ...NOT_MODIFIED },
    query: z.object({
      flagConfigEtag: z.string().optional().meta({
        description: "The etag of the event that led to this request: the answer is as of then, or later.",
      }),
      flagConfigLastModified: z.string().optional().meta({ description: "The same event's time. Ignored." }),
    }),
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
  schema: endpoint({
    ...open,
    tag: "API",
    credential: "none",
    method: "GET",
    path: "/api/schema/",
    summary: "Retrieve this document",
    response: z.looseObject({ openapi: z.string() }),
  }),
};
