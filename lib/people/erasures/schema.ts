import { z } from "zod";

const counts = z.record(z.string(), z.number().int());

const unchangedExperiment = z
  .object({
    experiment_id: z.number().int().meta({ description: "Id of the experiment." }),
    recorded_days: z.number().int().nullable().meta({
      description:
        "How many days of its timeseries include the person; all other figures do not. null: it is about groups, and its figures include what the person did for them.",
    }),
  })
  .meta({
    id: "UnchangedExperiment",
    description: "An experiment from which an erased person could not be removed altogether.",
  });

export const erasureRecord = z
  .object({
    id: z.string().meta({ description: "UUID of the erasure." }),
    person_uuid: z.string().meta({ description: "UUID that the person had." }),
    state: z.enum(["running", "finished"]).meta({
      description:
        "The person is gone either way; until it is finished, some of their events are still counted.",
    }),
    requested_at: z.string().meta({ description: "When it was requested." }),
    requested_by_id: z.number().int().nullable().meta({ description: "Id of the user who requested it." }),
    finished_at: z.string().nullable().meta({ description: "When the last of it was deleted." }),
    removed: counts.meta({ description: "How many rows were deleted, by table." }),
    events_deleted_before: z.string().nullable().meta({
      description:
        "Set once it is finished: events before this time had been deleted because of their age, so what was counted from them may still include the person. null: none had.",
    }),
    unchanged_experiments: z.array(unchangedExperiment).meta({
      description:
        "Experiments known to include the person still, because events that they were computed from had been deleted because of their age.",
    }),
    certificate: z
      .object({
        statement: z.string().meta({ description: "What was erased, when and by whom, as JSON text." }),
        signature: z.string().meta({ description: "Ed25519 signature of the statement's bytes, in base64." }),
        public_key: z.string().meta({ description: "The key that the signature is checked with, as PEM." }),
      })
      .nullable()
      .meta({ description: "Proof of a finished erasure, without personal data." }),
  })
  .meta({
    id: "Erasure",
    description: "The deletion of a person with everything that was stored about them.",
  });

/** People deleted by one call. */
const BULK_MAX = 1_000;

const deleteEvents = "Must be true: a person is deleted together with their events, or not at all.";

export const destroyQuery = z.object({
  delete_events: z.literal("true", { error: deleteEvents }).meta({ description: deleteEvents }),
});

export const bulkDeleteBody = z
  .object({
    ids: z
      .array(z.uuid())
      .max(BULK_MAX)
      .optional()
      .meta({ description: `UUIDs of persons; at most ${BULK_MAX}. Unknown ones are passed over.` }),
    distinct_ids: z
      .array(z.string())
      .max(BULK_MAX)
      .optional()
      .meta({
        description: `Distinct ids instead of UUIDs; at most ${BULK_MAX}. Unknown ones are passed over.`,
      }),
    delete_events: z.literal(true, { error: deleteEvents }).meta({ description: deleteEvents }),
  })
  .refine(({ ids, distinct_ids }) => (ids?.length ?? 0) > 0 !== (distinct_ids?.length ?? 0) > 0, {
    error: "Provide either ids or distinct_ids.",
  });

export const bulkDeleted = z.object({
  persons_found: z.number().int().meta({ description: "How many of them exist." }),
  persons_deleted: z.number().int().meta({ description: "How many were deleted." }),
  events_queued_for_deletion: z.boolean().meta({ description: "Whether events are being deleted." }),
  recordings_queued_for_deletion: z.boolean().meta({ description: "Always false: there are no recordings." }),
  deletion_errors: z.number().int().meta({ description: "How many could not be deleted." }),
  erasures: z.array(erasureRecord).meta({ description: "One for each deleted person." }),
});

export const storedCounts = z.object({
  stored: counts.meta({ description: "Number of rows that belong to the person, by table." }),
});

export type ErasureRecord = z.input<typeof erasureRecord>;
