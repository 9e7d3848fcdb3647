import { z } from "zod";

export const instanceStatus = z
  .object({
    version: z.string().meta({ description: "Version of Switchyard." }),
    node_version: z.string().meta({ description: "Version of Node that runs it." }),
    started_at: z.string().meta({ description: "When the responding process started." }),
    database: z.object({
      kind: z
        .enum(["embedded", "server"])
        .meta({ description: "The embedded PostgreSQL, or the one in DATABASE_URL." }),
      version: z.string().meta({ description: "Version of PostgreSQL." }),
      schema: z.string().meta({ description: "The last migration that was applied." }),
      answers_in_ms: z.number().meta({ description: "How long a trivial query took just now." }),
      bytes: z.number().int().meta({ description: "Size on disk, including indexes." }),
      tables: z
        .array(
          z.object({
            name: z.string().meta({ description: "Name of the table." }),
            bytes: z.number().int().meta({ description: "Size on disk, including indexes." }),
            rows: z.number().int().meta({ description: "Estimated number of rows." }),
          }),
        )
        .meta({ description: "The largest tables, largest first; partitions count towards their table." }),
    }),
    last_backup: z
      .object({
        created_at: z.string().meta({ description: "When it was taken." }),
        file: z.string().meta({ description: "File name, without the folder." }),
        bytes: z.number().int().meta({ description: "File size." }),
        rows: z.number().int().meta({ description: "How many rows it holds." }),
      })
      .nullable()
      .meta({ description: "The latest made by npm run backup; null before the first." }),
    jobs: z.object({
      running: z.number().int().meta({ description: "Jobs that are running." }),
      overdue: z.number().int().meta({ description: "Jobs that are more than five minutes late." }),
      failed: z.number().int().meta({ description: "Jobs that failed for good." }),
    }),
  })
  .meta({ id: "InstanceStatus", description: "Status of this Switchyard and its database." });

export type InstanceStatus = z.output<typeof instanceStatus>;
