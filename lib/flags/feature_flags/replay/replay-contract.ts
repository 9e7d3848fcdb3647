import { z } from "zod";
import { flagDraft } from "#lib/flags/feature_flags/evaluation/evaluate-contract.ts";
import { type Call, endpoint } from "#lib/platform/http/contract.ts";
import { envelope, limitUpTo, pageQuery } from "#lib/platform/http/paging.ts";
import { DATABASE_INTEGER_MAX, projectParam } from "#lib/platform/http/params.ts";
import { PROGRESS, WITH_PROGRESS } from "#lib/platform/http/progress-schema.ts";

const tag = "Feature flags";
const root = "/api/projects/{project_id}/feature_flags/replay/" as const;
const project = z.object(projectParam);

const DAYS_MAX = 90;
const LISTED_MAX = 10_000;

const id = z.number().int().min(0).max(DATABASE_INTEGER_MAX);

const replayed = {
  id: id.meta({ description: "Id of the flag whose recorded calls are replayed." }),
  days: z
    .number()
    .int()
    .min(1)
    .max(DAYS_MAX)
    .default(7)
    .meta({ description: "Number of days (UTC), including today." }),
  draft: flagDraft.nullish().meta({ description: "Replays against the flag with these unsaved fields." }),
  version: z
    .number()
    .int()
    .min(0)
    .max(DATABASE_INTEGER_MAX)
    .nullish()
    .meta({ description: "Replays against this stored version of the flag." }),
  other_flag_id: id
    .nullish()
    .meta({ description: "Replays against another flag of the project, as it is stored." }),
};

const against =
  "Give at most one of draft, version and other_flag_id; without any, the flag as it is stored.";

const value = z.union([z.boolean(), z.string()]).nullable().meta({
  description:
    "False, true or a variant; null: no value. Beyond the 50 most frequent recorded values, the rest is (other values).",
});

const tally = {
  calls: z.number().int(),
  people: z.number().int().meta({
    description: "Different persons, as persons are now; a distinct id without a person counts as one.",
  }),
  first: z.string().nullable().meta({ description: "The first of these calls; null: there is none." }),
  last: z.string().nullable().meta({ description: "The last of them." }),
};

const CAUSES = [
  "pinned",
  "before_first_version",
  "wrong_runtime",
  "no_value",
  "earlier_version",
  "other_distinct_id",
  "not_explained",
] as const;

const cause = z.enum(CAUSES).meta({
  description:
    "The likely cause, not a proof. pinned: the person is pinned to the recorded value. before_first_version: the flag was created here after the call. wrong_runtime: the flag was for another runtime than the calling library's. no_value: the library had no value. earlier_version: the version before gives the recorded value. other_distinct_id: another distinct id of the person gives it. not_explained: none of these.",
});

const replayAnswer = z
  .object({
    key: z.string(),
    from: z.string().meta({ description: "Start of the first day." }),
    as_of: z.string().meta({ description: "When it was replayed." }),
    deleted_before: z.string().nullable().meta({
      description:
        "Calls before this time are no longer stored in PostgreSQL and not replayed; null: all are.",
    }),
    ...tally,
    differing: z.object(tally).meta({
      description: "Calls that would be answered differently; no value counts as false.",
    }),
    cells: z.array(z.object({ before: value, after: value, ...tally })).meta({
      description: "Every pair of recorded and replayed value that occurs, most calls first.",
    }),
    by_day: z.array(z.object({ day: z.string(), calls: z.number().int(), differing: z.number().int() })),
    unexplained: z.object({ ...tally, causes: z.array(z.object({ cause, ...tally })) }).meta({
      description:
        "Recorded values that the version stored at the moment of the call does not give, by likely cause.",
    }),
    sign_in_flips: z.number().int().nullable().meta({
      description:
        "People among the callers whose distinct ids get different values, so that the value flips on sign-in. null: the flag keeps its value across sign-in or is evaluated per group.",
    }),
  })
  .meta({ id: "FeatureFlagReplay", description: "Recorded calls of a flag, answered again." });

const rows = z.discriminatedUnion("of", [
  z.object({ of: z.literal("cell"), before: value, after: value }),
  z.object({ of: z.literal("cause"), cause }),
  z.object({ of: z.literal("flips") }),
]);

const replayedPerson = z
  .object({
    distinct_id: z.string().meta({ description: "The first distinct id of these calls, alphabetically." }),
    person: z.object({ id: z.string(), name: z.string() }).nullable().meta({
      description: "The person now; null: none is stored.",
    }),
    ...tally,
    recorded: value,
    replayed: value.meta({ description: "What the replayed flag gives." }),
    expected: value.meta({ description: "What the version stored at the moment of the call gives." }),
    values: z.array(z.object({ distinct_id: z.string(), value })).meta({
      description: "For sign-in flips: what each of the person's distinct ids gets, at most 50.",
    }),
  })
  .omit({ people: true })
  .meta({ id: "FeatureFlagReplayPerson" });

/** Recorded calls of a flag, answered again by a draft, a stored version or another flag. */
export const replayContract = {
  replay: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "feature_flag:read",
    summary: "Replay the recorded calls of a feature flag",
    from_replica: true,
    description: `Evaluates the recorded $feature_flag_called events of the last days again, each for the distinct id that it was sent with. ${against} Persons, groups, cohorts and other flags are taken as they are now: events do not store what they were then. ${PROGRESS} Of a replay, they are numbers of calls.`,
    media: WITH_PROGRESS,
    params: project,
    body: z.object(replayed).meta({ id: "FeatureFlagReplayRequest" }),
    status: 200,
    response: replayAnswer,
  }),
  replay_people: endpoint({
    method: "POST",
    path: `${root}people/`,
    tag,
    scope: "person:read",
    summary: "List the people behind one count of a replay",
    from_replica: true,
    description: "Exactly those that replay counts, one row for each.",
    params: project,
    query: z.object({ limit: limitUpTo(LISTED_MAX), offset: pageQuery.offset }),
    body: z.object({ ...replayed, rows }),
    status: 200,
    response: envelope(replayedPerson),
  }),
};

export type ReplayRequest = NonNullable<Call<typeof replayContract.replay>["body"]>;
export type ReplayAnswer = z.output<typeof replayAnswer>;
export type ReplayRows = z.input<typeof rows>;
export type ReplayCause = z.output<typeof cause>;
export type ReplayValue = z.output<typeof value>;
