import { z } from "zod";
import { eventRetention } from "#lib/identity/projects/event-retention-schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { projectParam } from "#lib/platform/http/params.ts";

const tag = "Events";
const params = z.object(projectParam);

/** Up to so many events are counted. */
export const COUNTED_MAX = 100_000;

const retentionUse = z
  .object({
    name: z.string().meta({ description: "What computes figures from them." }),
    from: z.string().meta({ description: "From when on they are kept." }),
  })
  .meta({ id: "EventRetentionUse", description: "What keeps events beyond their retention." });

export const retentionState = z
  .object({
    deleted: z.number().meta({ description: "How many events were deleted because of their age." }),
    only_in_clickhouse: z.number().meta({
      description: "How many events are only in ClickHouse: they left PostgreSQL because of their age.",
    }),
    only_in_clickhouse_days: z
      .object({
        from: z.string().meta({ description: "First day (UTC) of which ClickHouse has events alone." }),
        to: z.string().meta({ description: "Last such day." }),
      })
      .nullable()
      .meta({ description: "When these events happened; null if there are none." }),
    can_keep_in_clickhouse: z
      .boolean()
      .meta({ description: "Whether the server copies events to ClickHouse, where old ones can stay." }),
    horizons: z
      .array(
        z.object({
          event: z.string().nullable().meta({ description: "Name of the events; null: all other names." }),
          deleted_before: z.string().meta({ description: "Events before this time were deleted." }),
          refused: z
            .number()
            .meta({ description: "How many events from before this time arrived later, and were refused." }),
        }),
      )
      .meta({ description: "Up to when events were deleted." }),
  })
  .meta({ id: "EventRetentionState", description: "What was deleted." });

export const retentionPreview = z
  .object({
    count: z
      .number()
      .meta({ description: `How many events would be deleted, counted up to ${COUNTED_MAX}.` }),
    is_more: z.boolean().meta({ description: "Whether there are more than that." }),
    horizons: z
      .array(
        z.object({
          event: z.string().nullable().meta({ description: "Name of the events; null: all other names." }),
          deleted_before: z.string().meta({ description: "Events before this time would be deleted." }),
        }),
      )
      .meta({ description: "Up to when events would be deleted." }),
    kept_for: z.array(retentionUse).meta({ description: "What keeps events beyond that." }),
  })
  .meta({ id: "EventRetentionPreview", description: "What the next daily run would delete." });

export const retentionContract = {
  event_retention: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/event_retention/",
    tag,
    scope: "project:read",
    summary: "Retrieve what was deleted because of its age",
    params,
    status: 200,
    response: retentionState,
  }),
  preview_event_retention: endpoint({
    method: "POST",
    path: "/api/projects/{project_id}/event_retention/preview/",
    tag,
    scope: "project:read",
    summary: "Count the events that a retention would delete",
    description: "Changes nothing.",
    params,
    body: z
      .object({ event_retention: eventRetention.nullable().meta({ description: "null: forever." }) })
      .meta({ id: "EventRetentionPreviewBody" }),
    status: 200,
    response: retentionPreview,
  }),
};
