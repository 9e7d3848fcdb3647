import { z } from "zod";
import { checkpointSchema } from "./checkpoint-schema.ts";

const hash = z.string();

/** What the chain has of an entry, and the details that it sealed. */
const sealedEntry = z.object({
  position: z.number().int().meta({ description: "Its place in the log, from 1." }),
  source: z.string().meta({ description: "activity_log, or audit_notes for what only this log has." }),
  source_id: z.string().meta({ description: "UUID of the row there." }),
  project_id: z.number().int().nullable().meta({ description: "Project; null: the whole installation." }),
  user_id: z.number().int().nullable().meta({ description: "Number of who did it; null: the system." }),
  scope: z
    .string()
    .meta({ description: "Kind of the record: FeatureFlag, PersonalAPIKey, Session, Erasure …" }),
  item_id: z.string().meta({ description: "Id of the record." }),
  activity: z.string().meta({ description: "created, updated, signed_in, looked …" }),
  created_at: z.string().meta({ description: "When it happened, with microseconds." }),
  details: hash.meta({ description: "SHA-256 of salt and detail as they were sealed." }),
  salt: z.string().meta({ description: "16 random bytes in hex." }),
  detail: z
    .string()
    .nullable()
    .meta({ description: "The details as JSON text, to the byte; null where the row is gone." }),
  stored: z.record(z.string(), z.unknown()).optional().meta({
    description: "What its row has now in fields that were edited after they were sealed; else absent.",
  }),
});

const auditEntry = sealedEntry
  .extend({
    hash: hash.meta({ description: "SHA-256 of this entry and everything before it." }),
    user: z
      .object({
        first_name: z.string().meta({ description: "First name." }),
        email: z.string().meta({ description: "Email address." }),
      })
      .nullable()
      .meta({ description: "Who did it; null for the system." }),
    sealed_at: z
      .string()
      .nullable()
      .meta({ description: "When the entry was signed, as part of a checkpoint." }),
    is_from_before: z.boolean().meta({
      description: "Whether it was there before the audit log began, and was taken in as it was found.",
    }),
  })
  .meta({ id: "AuditEntry" });

export const auditPage = z.object({
  results: z.array(auditEntry).meta({ description: "Entries, newest first." }),
  next_before: z
    .number()
    .int()
    .nullable()
    .meta({ description: "The value of before for the next page; null on the last." }),
});

const whole = (max: number, fallback: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/, "Use a whole number of at least 1.")
    .transform((text) => Math.min(Number(text), max))
    .optional()
    .transform((value) => value ?? fallback);

const before = whole(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).meta({
  description: "Only what has a smaller position.",
});

export const auditQuery = z.object({
  before,
  limit: whole(200, 50).meta({ description: "Entries per page: 50 when absent, 200 at most." }),
  scope: z.string().optional().meta({ description: "Kind of the record." }),
});

export const checkpointQuery = z.object({
  before,
  limit: whole(1_000, 100).meta({ description: "Checkpoints per page: 100 when absent, 1,000 at most." }),
});

export const checkpointPage = z.object({
  results: z.array(checkpointSchema).meta({ description: "Checkpoints, newest first." }),
  next_before: z
    .number()
    .int()
    .nullable()
    .meta({ description: "The value of before for the next page; null on the last." }),
});

export const auditProof = z
  .object({
    format: z.literal("switchyard-audit-proof"),
    version: z.literal(1),
    entry: sealedEntry,
    previous: hash.meta({ description: "Hash of the entry before; zeros for the first." }),
    leaves: z
      .array(hash)
      .meta({ description: "What stands for each entry between this one and the end of the checkpoint." }),
    checkpoint: checkpointSchema,
  })
  .meta({ id: "AuditProof" });

const problem = z.object({
  kind: z.enum(["entry", "record", "checkpoint", "copy", "outside"]).meta({
    description:
      "What differs: the chain, the row that an entry sealed, a checkpoint, a copy of one elsewhere; or a row that is in no entry.",
  }),
  position: z.number().int().nullable().meta({ description: "Position of the entry or checkpoint." }),
  message: z.string().meta({ description: "What is wrong, in a sentence." }),
});

/** How a verification ended, as it is stored. */
export const verificationReport = z.object({
  entries: z.number().int().meta({ description: "Entries that were compared." }),
  checkpoints: z.number().int().meta({ description: "Checkpoints that were compared." }),
  unsealed: z.number().int().meta({ description: "Rows that were still to be sealed." }),
  problems: z.array(problem).meta({ description: "What is not as it was sealed; 100 at most." }),
  more: z.number().int().meta({ description: "Further problems." }),
  notices: z.array(z.string()).meta({ description: "What restoring a backup explains." }),
});

const copy = z
  .object({
    position: z.number().int().meta({ description: "The last checkpoint that was stored there; 0: none." }),
    at: z.string().nullable().meta({ description: "When that was tried last." }),
    problem: z.string().nullable().meta({ description: "Why it failed." }),
  })
  .nullable();

export const auditStatus = z
  .object({
    chain: z.string().nullable().meta({ description: "Hash of the first entry, which names the log." }),
    public_key: z.string().meta({ description: "Ed25519 key that signs checkpoints: 32 bytes in hex." }),
    checkpoint: checkpointSchema.nullable().meta({ description: "The newest checkpoint." }),
    unsealed: z
      .object({
        count: z.number().int().meta({ description: "Rows that are in no entry yet." }),
        lag_seconds: z.number().meta({ description: "For how long the oldest has been waiting." }),
      })
      .meta({ description: "What is still to be sealed, usually within a second." }),
    file: copy.meta({ description: "The file of checkpoints; null without AUDIT_CHECKPOINTS." }),
    witness: copy.meta({ description: "The other Switchyard; null without AUDIT_WITNESS_URL." }),
    verification: verificationReport
      .extend({ at: z.string().meta({ description: "When it was made." }) })
      .nullable()
      .meta({ description: "The last verification; null before the first." }),
    is_verifying: z.boolean().meta({ description: "Whether a verification is due or under way." }),
  })
  .meta({ id: "AuditStatus" });

export const eraseBody = z.object({
  text: z
    .string()
    .min(3, "Use at least three characters.")
    .max(500)
    .meta({ description: "What is taken out of the details of all entries, such as an address." }),
});

export const eraseResult = z.object({
  positions: z.array(z.number().int()).meta({ description: "Positions of the entries that had it." }),
});

export const receivedQuery = z.object({
  chain: z.string().optional().meta({ description: "Only those of this log." }),
});

export const receivedPage = z.object({
  results: z
    .array(
      z.object({
        checkpoint: checkpointSchema,
        received_at: z.string().meta({ description: "When it was received." }),
      }),
    )
    .meta({ description: "The last one received first; 10,000 at most." }),
});

export type AuditStatus = z.infer<typeof auditStatus>;
export type AuditEntry = z.infer<typeof auditEntry>;
