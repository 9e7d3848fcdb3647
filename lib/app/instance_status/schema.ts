import { z } from "zod";

export const instanceStatus = z
  .object({
    version: z.string().meta({ description: "Version of Switchyard." }),
    node_version: z.string().meta({ description: "Version of Node that runs it." }),
    started_at: z.string().meta({ description: "When the responding process started." }),
    relay_public_key: z.string().meta({
      description: "What relays check the origin's signature with: their setting RELAY_PUBLIC_KEY.",
    }),
    database: z.object({
      kind: z
        .enum(["embedded", "server"])
        .meta({ description: "The embedded PostgreSQL, or the one in DATABASE_URL." }),
      version: z.string().meta({ description: "Version of PostgreSQL." }),
      schema: z.string().meta({ description: "The last migration that was applied." }),
      answers_in_ms: z.number().meta({ description: "How long a trivial query took just now." }),
      bytes: z.number().int().meta({ description: "Size on disk, including indexes." }),
      replica: z
        .object({
          as_of: z
            .string()
            .nullable()
            .meta({ description: "It has everything that was committed up to then; null if not known." }),
          problem: z
            .string()
            .nullable()
            .meta({ description: "Why the database itself answers large reads; null if it does not." }),
        })
        .nullable()
        .meta({ description: "The read replica, as the responding process sees it; null if there is none." }),
      tables: z
        .array(
          z.object({
            name: z.string().meta({ description: "Name of the table." }),
            bytes: z.number().int().meta({ description: "Size on disk, including indexes." }),
            rows: z.number().int().meta({ description: "Estimated number of rows." }),
          }),
        )
        .meta({ description: "The largest tables, largest first; partitions count towards their table." }),
      event_partitions: z.object({
        count: z.number().int().meta({ description: "Number of partitions of the table of events." }),
        bytes: z.number().int().meta({ description: "Size on disk of all of them, including indexes." }),
      }),
      slow_statements: z
        .array(
          z.object({
            statement: z.string().meta({ description: "Text, with placeholders instead of values." }),
            calls: z.number().int().meta({ description: "How often it ran." }),
            mean_ms: z.number().meta({ description: "Mean duration." }),
            max_ms: z.number().meta({ description: "Longest duration." }),
          }),
        )
        .nullable()
        .meta({
          description:
            "Statements that took more than 100 ms at least once since the statistics began, those first that took longest in all; null if the database does not have pg_stat_statements.",
        }),
    }),
    last_backup: z
      .object({
        created_at: z.string().meta({ description: "When it was taken." }),
        file: z.string().meta({ description: "File name, without the folder." }),
        bytes: z.number().int().meta({ description: "File size." }),
        rows: z.number().int().meta({ description: "How many rows it holds." }),
        verified_at: z.string().nullable().meta({
          description:
            "When it had been read back and its checksums compared; null for one made by npm run backup.",
        }),
      })
      .nullable()
      .meta({ description: "The latest, scheduled or made by npm run backup; null before the first." }),
    backup_schedule: z
      .object({
        every_seconds: z.number().int().meta({ description: "How often one is made." }),
        keep: z.number().int().meta({ description: "How many are stored." }),
        place: z.enum(["folder", "bucket"]).meta({ description: "Where they are stored." }),
        next_at: z.string().nullable().meta({ description: "When the next one is due, or tried again." }),
        last_error: z.string().nullable().meta({
          description: "Why the last one failed; null if it did not.",
        }),
      })
      .nullable()
      .meta({ description: "Backups on a schedule; null if BACKUP_EVERY is not set." }),
    spool: z
      .object({
        files: z.number().int().meta({ description: "Batches of events that wait for the database." }),
        bytes: z.number().int().meta({ description: "Their size." }),
        limit_bytes: z.number().int().meta({ description: "How much may wait." }),
      })
      .nullable()
      .meta({ description: "The spool in DATA_DIR of the responding process; null if it is off." }),
    only_in_clickhouse: z
      .object({
        events: z.number().int().meta({ description: "How many events, of all projects." }),
        from: z.string().meta({ description: "Day (UTC) of the first one." }),
        to: z.string().meta({ description: "Day (UTC) of the last one." }),
        problem: z
          .string()
          .nullable()
          .meta({ description: "Why they cannot be read at all; null if the server has a ClickHouse." }),
      })
      .nullable()
      .meta({
        description:
          "Events that left PostgreSQL because of their age and are only in ClickHouse; null if there are none.",
      }),
    jobs: z.object({
      running: z.number().int().meta({ description: "Jobs that are running." }),
      overdue: z.number().int().meta({ description: "Jobs that are more than five minutes late." }),
      failed: z.number().int().meta({ description: "Jobs that failed for good." }),
      kinds: z
        .array(
          z.object({
            name: z.string().meta({ description: "Name of the kind of job." }),
            waiting: z.number().int().meta({ description: "Jobs in line." }),
            running: z.number().int().meta({ description: "Jobs that are running." }),
            retrying: z.number().int().meta({ description: "Jobs in line after a failed try." }),
            failed: z.number().int().meta({ description: "Jobs that failed for good." }),
            late_seconds: z.number().int().meta({ description: "For how long the next one has been due." }),
            last_error: z.string().nullable().meta({ description: "Why the latest failed one failed." }),
            last_finished_at: z.string().nullable().meta({ description: "When one last ended." }),
            next_run_at: z.string().nullable().meta({ description: "When the next one is due." }),
          }),
        )
        .meta({ description: "Background work by kind; kinds without any job are missing." }),
    }),
  })
  .meta({ id: "InstanceStatus", description: "Status of this Switchyard and its database." });

export const jobRetry = z.object({
  name: z.string().min(1).max(200).meta({ description: "Name of the kind of job." }),
});

export const jobRetried = z
  .object({ retried: z.number().int().meta({ description: "How many failed jobs run again." }) })
  .meta({ id: "JobsRetried", description: "What a retry of jobs did." });

export type InstanceStatus = z.output<typeof instanceStatus>;
