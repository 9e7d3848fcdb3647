import { z } from "zod";

/** Where an instance is on the way to a change. */
export const STATES = ["confirmed", "sent", "undelivered", "waiting", "behind", "unknown", "silent"] as const;
export type State = (typeof STATES)[number];

const STATE_WORDS =
  "confirmed: it has said that it has it. sent: it was answered with it, and has not asked since. undelivered: it was answered with it several times, and came back without it: answers get lost on their way. waiting: it has not asked since the change, and is not due yet. behind: it should have asked by now, or asks a relay that does not have the change. unknown: its relay does not report or was restarted since it asked, or it was just answered with an older version than it had. silent: it has not asked for 10 minutes and 5 of its intervals, or had stopped before the change; it is probably not running.";

const state = z.enum(STATES).meta({ description: STATE_WORDS });

/** Where a relay is on the way to a change. */
const RELAY_STATES = ["current", "behind", "unreachable", "stopped"] as const;
export type RelayState = (typeof RELAY_STATES)[number];

export const sdkRelay = z
  .object({
    id: z.string().meta({ description: "Random, and the same after a restart." }),
    name: z.string(),
    version: z.string().meta({ description: "Of Switchyard." }),
    state: z.enum(RELAY_STATES).meta({
      description:
        "current: it serves the change. behind: it does not yet. unreachable: it has not reported for 25 seconds, and nobody can tell what its instances have. stopped: it said that it was ending.",
    }),
    instances: z.number().int().meta({ description: "Instances that ask it: all but the silent ones." }),
    served: z.number().int().meta({ description: "Those that have the change: confirmed and sent." }),
    flag_version: z.number().int().nullable().meta({
      description: "The version of the flag that it serves; null without flag, or where it has none.",
    }),
    definitions_version: z.number().int().nullable().meta({
      description: "Number of the definitions that it serves; null if that is not known.",
    }),
    behind_by: z.number().int().nullable().meta({
      description: "Versions that it lacks: of the flag or, without one, of the definitions. null: unknown.",
    }),
    problem: z.string().nullable().meta({
      description: "Why it does not get new bundles, as it says: it refuses them, for example.",
    }),
    first_seen_at: z.string(),
    reported_at: z.string().meta({ description: "When it last reported what its instances have." }),
  })
  .meta({ id: "SdkRelay", description: "A relay, which serves SDKs in place of the service." });

export const sdkInstance = z
  .object({
    id: z.string().meta({ description: "Random; a client that is started again is another instance." }),
    sdk: z.string().meta({ description: "Name of the SDK or program; empty where it does not say." }),
    sdk_version: z.string(),
    address: z.string().nullable().meta({ description: "IP address that it calls from." }),
    relay: z
      .object({ id: z.string(), name: z.string() })
      .nullable()
      .meta({ description: "The relay that it asks; null: it asks the service itself." }),
    as_of: z.string().meta({
      description:
        "As of when its state is known: now or, where there are relays, when the last of them to report did so.",
    }),
    via: z.enum(["poll", "stream"]).meta({ description: "How it hears of changes." }),
    sends_tags: z.boolean().meta({
      description:
        "Whether it sends back the ETag of definitions. If not, nobody can tell what it has: only what it was sent.",
    }),
    state,
    flag_version: z.number().int().nullable().meta({
      description: "The version of the flag that it has; null without flag, or where it has none.",
    }),
    definitions_version: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Number of the definitions that it has; null if that is not known." }),
    first_seen_at: z.string(),
    last_seen_at: z.string(),
    due_at: z.string().meta({ description: "When it should ask next." }),
    poll_interval_ms: z
      .number()
      .int()
      .nullable()
      .meta({ description: "How often it usually asks; null until it has asked twice." }),
  })
  .meta({ id: "SdkInstance", description: "A running SDK that evaluates flags itself." });

const instances = z.number().int();

export const receipt = z
  .object({
    flag_id: z.number().int(),
    version: z.number().int().meta({ description: "The flag's version that this is about: the latest." }),
    changed_at: z.string().meta({ description: "When it was saved." }),
    as_of: z.string(),
    complete: z.boolean().meta({
      description:
        "Whether all that are running have confirmed it, and no relay serves an older version; of those that send no ETag back, that it was sent is enough.",
    }),
    total: instances.meta({ description: "Instances that are running: all but the silent ones." }),
    served: instances.meta({ description: "Those that have it: confirmed and sent." }),
    confirmed: instances,
    sent: instances,
    undelivered: instances,
    waiting: instances,
    behind: instances,
    unknown: instances.meta({
      description: "Those of which nobody can tell: mostly because their relay has not reported.",
    }),
    silent: instances,
    served_after_ms: z.number().int().nullable().meta({
      description:
        "Time from the change until the last of those that have it got it, of instances that ran before it. null: nobody has it, or other definitions have followed since.",
    }),
    due_within_ms: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Until the last of the waiting ones asks; null: none is waiting." }),
    behind_versions: z
      .array(z.object({ flag_version: z.number().int().nullable(), instances }))
      .meta({ description: "Versions of the flag that those behind have; null: none, or unknown." }),
    relays: z.array(sdkRelay).meta({ description: "The relays of the project." }),
    older_calls: z
      .array(
        z.object({
          lib: z.string(),
          version: z.number().int(),
          calls: z.number().int(),
          last_called_at: z.string(),
        }),
      )
      .meta({
        description:
          "Calls since the change that were answered by an older version, as SDKs report them in $feature_flag_called, of the last 24 hours: also of browsers, which are not instances.",
      }),
  })
  .meta({ id: "FeatureFlagReceipt", description: "How far the latest change of a flag has come." });

export const sdkSummary = z
  .object({
    instances: z.array(
      z.object({
        sdk: z.string(),
        sdk_version: z.string(),
        instances,
        addresses: z.number().int().meta({ description: "Distinct addresses." }),
        first_seen_at: z.string(),
        last_seen_at: z.string(),
      }),
    ),
    callers: z
      .array(
        z.object({
          sdk: z.string(),
          sdk_version: z.string(),
          requests: z.number().int(),
          first_seen_at: z.string(),
          last_seen_at: z.string(),
        }),
      )
      .meta({
        description: "Programs that have flags evaluated by the service: up to date with every request.",
      }),
  })
  .meta({ id: "SdkSummary", description: "Which SDKs and versions call." });

export type SdkRelay = z.output<typeof sdkRelay>;
export type SdkInstance = z.output<typeof sdkInstance>;
export type Receipt = z.output<typeof receipt>;
export type SdkSummary = z.output<typeof sdkSummary>;
