import { z } from "zod";
import { KEPT_EVENTS, RETENTION_DAYS_MAX, RETENTION_DAYS_MIN } from "./event-retention.ts";

const NAMES_MAX = 50;

const days = z
  .number()
  .int()
  .min(RETENTION_DAYS_MIN)
  .max(RETENTION_DAYS_MAX)
  .nullable()
  .meta({ description: `Days, ${RETENTION_DAYS_MIN} to ${RETENTION_DAYS_MAX}; null: forever.` });

export const eventRetention = z
  .strictObject({
    days,
    by_event: z
      .record(z.string().trim().min(1).max(200), days)
      .superRefine((names, context) => {
        for (const name of Object.keys(names))
          if (KEPT_EVENTS.includes(name))
            context.addIssue({
              code: "custom",
              path: [name],
              message: `Events named "${name}" are always kept: figures are counted from them.`,
            });
        if (Object.keys(names).length > NAMES_MAX)
          context.addIssue({ code: "custom", message: `No more than ${NAMES_MAX} events can be named.` });
      })
      .default({})
      .meta({ description: `Days by event name, for up to ${NAMES_MAX} names. They take precedence.` }),
    keep_in_clickhouse: z.boolean().optional().meta({
      description:
        "Whether older events stay in ClickHouse, from where lists and exports read them; refused where the server has no CLICKHOUSE_URL.",
    }),
  })
  .meta({
    id: "EventRetention",
    description:
      "For how long events are kept. Figures, persons and answers to surveys stay when events are deleted.",
  });

export type EventRetention = z.output<typeof eventRetention>;
