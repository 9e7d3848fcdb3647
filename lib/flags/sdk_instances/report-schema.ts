import { z } from "zod";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";

/** Of one report; a relay that has more to say sends several. */
export const REPORT_MAX = { instances: 1_000, gone: 1_000, projects: 1_000, requests: 1_000 };
/** Nothing older is of interest: instances are deleted after a day. */
export const AGE_MAX_MS = 7 * 86_400_000;

const ID_LENGTH = 12;
const CONTENT_LENGTH = 22;
export const NAME_MAX = 60;
export const PROBLEM_MAX = 500;
export const PROGRAM_MAX = 80;
export const ADDRESS_MAX = 60;

const id = z
  .string()
  .regex(/^[\w-]+$/)
  .length(ID_LENGTH);
const content = z
  .string()
  .regex(/^[\w-]+$/)
  .length(CONTENT_LENGTH)
  .nullable();
const age = z.number().int().min(0).max(AGE_MAX_MS);
const count = z.number().int().min(0).max(DATABASE_INTEGER_MAX);
const project_id = z.number().int().min(1).max(DATABASE_INTEGER_MAX);
const program = z.string().max(PROGRAM_MAX);

export const relayReport = z
  .object({
    relay: z.object({
      id: id.meta({ description: "Random; two relays never have the same." }),
      name: z.string().min(1).max(NAME_MAX),
      version: z.string().max(NAME_MAX).meta({ description: "Of Switchyard." }),
      run: id.meta({ description: "Another one after each start." }),
      uptime_ms: z
        .number()
        .int()
        .min(0)
        .max(Number.MAX_SAFE_INTEGER)
        .transform((ms) => Math.min(ms, 1e12)),
      sequence: count.meta({ description: "Grows with every report of a run." }),
      problem: z
        .string()
        .max(PROBLEM_MAX)
        .nullable()
        .meta({ description: "Why it does not have the latest bundle; null: it has." }),
      answered: z
        .object({ at_ms: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER), ago_ms: age })
        .nullable()
        .meta({
          description:
            "The last answer to a report, and how long before this report was made it came: so that a report that takes long is not thought to be newer than it is. null: there was none.",
        }),
      more: z.boolean().meta({ description: "Whether another part of the same report follows." }),
      stopping: z.boolean().meta({ description: "Whether this is its last report." }),
    }),
    projects: z
      .array(
        z.object({ id: project_id, content: content.meta({ description: "The definitions it serves." }) }),
      )
      .max(REPORT_MAX.projects)
      .meta({ description: "All that it serves; those that the key does not open are left out." }),
    instances: z
      .array(
        z.object({
          project_id,
          id,
          sdk: program,
          sdk_version: program,
          address: z.string().max(ADDRESS_MAX).nullable(),
          has_stream: z.boolean(),
          is_tagged: z.boolean(),
          content: content.meta({ description: "What it said it has." }),
          content_age_ms: age.nullable(),
          sent_content: content.meta({ description: "What it was sent and has not named yet." }),
          sent_age_ms: age.nullable(),
          lost_answers: count,
          first_seen_age_ms: age,
          last_seen_age_ms: age,
          interval_ms: count.nullable(),
        }),
      )
      .max(REPORT_MAX.instances)
      .meta({ description: "Instances that asked since the last report." }),
    gone: z
      .array(z.object({ project_id, id }))
      .max(REPORT_MAX.gone)
      .meta({ description: "Ids of callers that are known under another one." }),
    requests: z
      .array(z.object({ project_id, sdk: program, sdk_version: program, count }))
      .max(REPORT_MAX.requests)
      .meta({ description: "Further requests for evaluated flags." }),
  })
  .meta({ id: "RelayReport", description: "What a relay has seen of SDKs. Times are ages in milliseconds." });

export const relayReported = z
  .object({
    stored: z.array(z.number().int()).meta({ description: "Ids of the projects of which it is stored." }),
    answered_at_ms: z.number().int().meta({ description: "When this was answered, by the clock here." }),
    superseded: z.boolean().meta({
      description: "Whether another process reports under this id, which was started later.",
    }),
  })
  .meta({ id: "RelayReported" });

export type RelayReport = z.output<typeof relayReport>;
export type RelayReported = z.output<typeof relayReported>;
