import { z } from "zod";

export const instanceStatus = z
  .object({
    version: z.string().meta({ description: "Version of Switchyard." }),
    node_version: z.string().meta({ description: "Version of Node that runs it." }),
    started_at: z.string().meta({ description: "Since when the process that answers has been running." }),
    database: z.object({
      kind: z
        .enum(["embedded", "server"])
        .meta({ description: "Its own PostgreSQL, or one of DATABASE_URL." }),
      version: z.string().meta({ description: "Version of PostgreSQL." }),
      schema: z.string().meta({ description: "The last migration that was applied." }),
      answers_in_ms: z.number().meta({ description: "How long a short question took just now." }),
      bytes: z.number().int().meta({ description: "Size on disk, indexes included." }),
      tables: z
        .array(
          z.object({
            name: z.string().meta({ description: "Name of the table." }),
            bytes: z.number().int().meta({ description: "Size on disk, indexes included." }),
            rows: z
              .number()
              .int()
              .meta({ description: "About how many rows, as the database last estimated." }),
          }),
        )
        .meta({ description: "The largest tables, the largest first; partitions count as their table." }),
    }),
    last_backup: z
      .object({
        created_at: z.string().meta({ description: "When it was taken." }),
        file: z.string().meta({ description: "Its name, without the folder." }),
        bytes: z.number().int().meta({ description: "Its size." }),
        rows: z.number().int().meta({ description: "How many rows it holds." }),
      })
      .nullable()
      .meta({ description: "The latest by npm run backup; null before the first." }),
    jobs: z.object({
      running: z.number().int().meta({ description: "Jobs that are being worked on." }),
      overdue: z
        .number()
        .int()
        .meta({ description: "Jobs that should have begun five minutes ago or earlier." }),
      failed: z.number().int().meta({ description: "Jobs that were given up." }),
    }),
  })
  .meta({ id: "InstanceStatus", description: "How this Switchyard and its database are." });

export type InstanceStatus = z.output<typeof instanceStatus>;
