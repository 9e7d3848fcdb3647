import { z } from "zod";

/** Bodies and answers of the paths that SDKs use, as far as a caller needs to know them; more fields may come. */

const properties = z.record(z.string(), z.unknown());
const token = z.string().meta({ description: "The project token (phc_…). `api_key` also works." });
const distinctId = z.string().meta({ description: "Distinct id of the person." });

export const flagsBody = z
  .looseObject({
    token,
    distinct_id: distinctId,
    person_properties: properties
      .optional()
      .meta({ description: "Override stored properties of the same name." }),
    groups: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: "Group key by group type name." }),
    group_properties: z.record(z.string(), properties).optional().meta({ description: "By group type." }),
    flag_keys_to_evaluate: z.array(z.string()).optional().meta({ description: "Only these flags." }),
  })
  .meta({ id: "FlagsRequest", description: "Who to evaluate flags for. Also accepts gzip and base64." });

/** Only while the database is unavailable. */
const staleSince = z.string().meta({
  description:
    "While the database is unavailable, answers come from memory: the time as of which they are true. Also sent as the header Switchyard-Stale-Since.",
});

export const flagsQuery = z.object({
  v: z.string().optional().meta({ description: "2 for the response described here." }),
});

const flagsAnswer = z
  .looseObject({
    flags: z.record(
      z.string(),
      z.looseObject({
        key: z.string(),
        enabled: z.boolean(),
        failed: z.literal(true).optional().meta({ description: "The flag could not be decided." }),
        variant: z.string().nullable().optional(),
        reason: z.looseObject({ code: z.string() }),
        metadata: z.looseObject({ id: z.number(), version: z.number() }),
      }),
    ),
    errorsWhileComputingFlags: z.boolean().meta({
      description: "Whether a flag has failed: it depends on stored data, and the database is unavailable.",
    }),
    staleSince: staleSince.optional(),
    requestId: z.string(),
    evaluatedAt: z.number().meta({ description: "Milliseconds since 1970." }),
  })
  .meta({ id: "FlagsAnswer", description: "Every flag's value for a person." });

const valuesAnswer = z
  .looseObject({
    featureFlags: z.union([z.array(z.string()), properties]).meta({
      description: "Values by key; the keys of those that are on in the oldest form.",
    }),
  })
  .meta({ id: "FlagValues", description: "What older versions of the SDKs read." });

export const flagsAnswers = z.union([flagsAnswer, valuesAnswer]);

const event = z
  .looseObject({
    event: z.string().meta({ description: "Event name." }),
    distinct_id: distinctId.optional(),
    properties: properties.optional().meta({ description: "Can also carry distinct_id and token." }),
    timestamp: z.string().optional().meta({ description: "ISO 8601; now when absent." }),
    uuid: z
      .string()
      .optional()
      .meta({ description: "An event sent again with the same UUID is stored once." }),
  })
  .meta({ id: "SentEvent" });

export const captureBody = z
  .looseObject({
    api_key: token,
    batch: z.array(event),
    sent_at: z.string().optional().meta({ description: "Used to correct the sender's clock." }),
  })
  .meta({ id: "CaptureRequest", description: "Events. Also accepts one event or a list." });

export const captureAnswer = z
  .looseObject({
    status: z.literal("Ok"),
    rejected: z
      .array(z.object({ index: z.number().int(), reason: z.string() }))
      .optional()
      .meta({ description: "Events not stored as sent, by position." }),
  })
  .meta({ id: "CaptureAnswer" });

export const ofrepBody = z
  .object({
    context: z
      .looseObject({
        targetingKey: distinctId,
        groups: z.record(z.string(), z.string()).optional().meta({
          description: "Group key by group type name.",
        }),
        groupProperties: z.record(z.string(), properties).optional().meta({ description: "By group type." }),
      })
      .meta({ description: "Who to evaluate for; all other fields are properties of the person." }),
  })
  .meta({ id: "OfrepRequest", description: "OpenFeature's evaluation context." });

export const ofrepFlag = z
  .object({
    key: z.string(),
    value: z.union([z.boolean(), z.string()]).meta({ description: "On or off, or the key of the variant." }),
    reason: z.enum(["STATIC", "TARGETING_MATCH", "SPLIT", "DEFAULT", "DISABLED"]),
    variant: z.string().optional(),
    metadata: z.object({
      flagId: z.number().nullable(),
      version: z.number().nullable(),
      payload: z.string().optional().meta({ description: "JSON as a string." }),
      staleSince: staleSince.optional(),
    }),
  })
  .meta({ id: "OfrepFlag", description: "A flag's value for a person, in OpenFeature terms." });

export const ofrepError = z
  .object({
    key: z.string().optional().meta({ description: "Of a request about one flag." }),
    errorCode: z.string(),
    errorDetails: z.string(),
  })
  .meta({ id: "OfrepError", description: "An error in OpenFeature's terms." });

export const ofrepFlags = z
  .object({
    flags: z.array(z.union([ofrepFlag, ofrepError])),
    eventStreams: z
      .array(
        z.object({
          type: z.literal("sse"),
          endpoint: z.object({
            requestUri: z
              .string()
              .meta({ description: "Path and query of the stream, at the address of this service." }),
          }),
          inactivityDelaySec: z
            .number()
            .int()
            .meta({ description: "After so long in the background, a client closes the stream." }),
        }),
      )
      .optional()
      .meta({ description: "Streams that say when flags may have other values." }),
  })
  .meta({ id: "OfrepFlags" });

export const ofrepConfiguration = z
  .looseObject({ name: z.string(), capabilities: properties })
  .meta({ id: "OfrepConfiguration", description: "Configuration for an OpenFeature provider." });

export const surveyFeedQuery = z.object({ token: token.meta({ description: "The project token (phc_…)." }) });

const fedSurveys = z.array(
  z.looseObject({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    questions: z.array(z.looseObject({ id: z.string() })).nullable(),
    conditions: properties.nullable(),
    appearance: properties.nullable(),
    start_date: z.string().nullable(),
    end_date: z.string().nullable(),
    schedule: z.string().nullable(),
    enable_partial_responses: z.boolean().nullable(),
    linked_flag_key: z.string().optional(),
    targeting_flag_key: z.string().optional(),
    internal_targeting_flag_key: z.string().optional(),
  }),
);

export const surveyFeedAnswer = z
  .object({
    surveys: fedSurveys,
    survey_config: properties.nullable(),
    stale_since: staleSince.optional(),
  })
  .meta({ id: "SurveyFeed", description: "Surveys as sent to SDKs." });

export const remoteConfigAnswer = z
  .looseObject({
    token: z.string(),
    hasFeatureFlags: z.boolean(),
    surveys: z
      .union([fedSurveys, z.literal(false)])
      .meta({ description: "Surveys as in the list for respondents; false when there are none." }),
    supportedCompression: z.array(z.string()),
    staleSince: staleSince.optional(),
  })
  .meta({ id: "RemoteConfig", description: "What an SDK loads first." });

export const hostedSurveyQuery = z.looseObject({
  distinct_id: z
    .string()
    .optional()
    .meta({ description: "Distinct id of the respondent; random when absent." }),
  q0: z.string().optional().meta({
    description:
      "Prefills the first question (q1 the second …): the value of a rating, or the index of a choice from 0.",
  }),
  display_language: z.string().optional().meta({ description: "A language the survey is translated into." }),
  embed: z.string().optional().meta({ description: "true: no margins, for embedding in a frame." }),
});
