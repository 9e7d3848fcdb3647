import { z } from "zod";

/** Bodies and answers of the paths that SDKs use, as far as a caller needs to know them; more fields may come. */

const properties = z.record(z.string(), z.unknown());
const token = z.string().meta({ description: "The project token (phc_…). `api_key` is taken too." });
const distinctId = z.string().meta({ description: "Who the person is." });

export const flagsBody = z
  .looseObject({
    token,
    distinct_id: distinctId,
    person_properties: properties.optional().meta({ description: "Win over stored ones of the same name." }),
    groups: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: "Group key by the name of the group type." }),
    group_properties: z.record(z.string(), properties).optional().meta({ description: "By group type." }),
    flag_keys_to_evaluate: z.array(z.string()).optional().meta({ description: "Only these flags." }),
  })
  .meta({ id: "FlagsRequest", description: "Whom to evaluate flags for. gzip and base64 are read too." });

export const flagsQuery = z.object({
  v: z.string().optional().meta({ description: "2 for the answer described here." }),
});

export const flagsAnswer = z
  .looseObject({
    flags: z.record(
      z.string(),
      z.looseObject({
        key: z.string(),
        enabled: z.boolean(),
        variant: z.string().nullable().optional(),
        reason: z.looseObject({ code: z.string() }),
        metadata: z.looseObject({ id: z.number(), version: z.number() }),
      }),
    ),
    errorsWhileComputingFlags: z.boolean(),
    requestId: z.string(),
    evaluatedAt: z.number().meta({ description: "Milliseconds since 1970." }),
  })
  .meta({ id: "FlagsAnswer", description: "Every flag's value for one person." });

const event = z
  .looseObject({
    event: z.string().meta({ description: "Its name." }),
    distinct_id: distinctId.optional(),
    properties: properties.optional().meta({ description: "May carry distinct_id and token too." }),
    timestamp: z.string().optional().meta({ description: "ISO 8601; now where it is missing." }),
    uuid: z.string().optional().meta({ description: "Sent again with the same one, it is stored once." }),
  })
  .meta({ id: "SentEvent" });

export const captureBody = z
  .looseObject({
    api_key: token,
    batch: z.array(event),
    sent_at: z.string().optional().meta({ description: "Corrects the clock of the sender." }),
  })
  .meta({ id: "CaptureRequest", description: "Events. One event, or a list of them, is read too." });

export const captureAnswer = z
  .looseObject({
    status: z.literal("Ok"),
    rejected: z
      .array(z.object({ index: z.number().int(), reason: z.string() }))
      .optional()
      .meta({ description: "Events that are not stored as they were sent, by their place." }),
  })
  .meta({ id: "CaptureAnswer" });

export const ofrepBody = z
  .object({
    context: z
      .looseObject({
        targetingKey: distinctId,
        groups: z.record(z.string(), z.string()).optional().meta({
          description: "Group key by the name of the group type.",
        }),
        groupProperties: z.record(z.string(), properties).optional().meta({ description: "By group type." }),
      })
      .meta({ description: "Whom it is about; anything else in it is a property of the person." }),
  })
  .meta({ id: "OfrepRequest", description: "OpenFeature's evaluation context." });

export const ofrepFlag = z
  .object({
    key: z.string(),
    value: z.union([z.boolean(), z.string()]).meta({ description: "On or off, or the variant's key." }),
    reason: z.enum(["STATIC", "TARGETING_MATCH", "SPLIT", "DEFAULT", "DISABLED"]),
    variant: z.string().optional(),
    metadata: z.object({
      flagId: z.number().nullable(),
      version: z.number().nullable(),
      payload: z.string().optional().meta({ description: "JSON as text." }),
    }),
  })
  .meta({ id: "OfrepFlag", description: "A flag's value for one person, in OpenFeature's words." });

export const ofrepFlags = z.object({ flags: z.array(ofrepFlag) }).meta({ id: "OfrepFlags" });

export const ofrepConfiguration = z
  .looseObject({ name: z.string(), capabilities: properties })
  .meta({ id: "OfrepConfiguration", description: "What a provider may expect." });

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
  .object({ surveys: fedSurveys, survey_config: properties.nullable() })
  .meta({ id: "SurveyFeed", description: "Surveys as respondents' SDKs get them." });

export const remoteConfigAnswer = z
  .looseObject({
    token: z.string(),
    hasFeatureFlags: z.boolean(),
    surveys: z
      .union([fedSurveys, z.literal(false)])
      .meta({ description: "The surveys as in the list for respondents; false where there are none." }),
    supportedCompression: z.array(z.string()),
  })
  .meta({ id: "RemoteConfig", description: "What an SDK is told before anything else." });

export const hostedSurveyQuery = z.looseObject({
  distinct_id: z.string().optional().meta({ description: "Who answers; a random id where it is missing." }),
  q0: z.string().optional().meta({
    description:
      "Suggests an answer to the first question (q1 to the second …): the value of a rating, the place of a choice from 0.",
  }),
  display_language: z
    .string()
    .optional()
    .meta({ description: "A language that the survey is translated to." }),
  embed: z.string().optional().meta({ description: "true: without margins, for a frame." }),
});
