import { sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment, transaction } from "./accounts.ts";

/**
 * People who were erased. Rows that a database holds stay when a backup is restored, which then applies them; so they
 * refer to no other table.
 */
export const erasures = pgTable(
  "erasures",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    project_id: integer("project_id").notNull(),
    person_uuid: uuid("person_uuid").notNull(),
    requested_by_id: integer("requested_by_id"),
    requested_at: moment("requested_at").notNull().defaultNow(),
    /** Events of this and earlier transactions are erased; later ones with the same distinct id are somebody else's. */
    cut: transaction("cut").notNull().default(sql`pg_current_xact_id()`),
    /** The person's number, and those of persons merged into it. */
    person_ids: bigint("person_ids", { mode: "number" }).array().notNull(),
    /** Emptied when all is done. */
    distinct_ids: text("distinct_ids").array().notNull(),
    /** Those of which the copy may have events that are only there; emptied when it has none. */
    copied_distinct_ids: text("copied_distinct_ids").array().notNull().default(sql`'{}'::text[]`),
    /** Keyed hashes of the distinct ids: they find the person in a backup without saying who it is. */
    hashes: text("hashes").array().notNull(),
    /** How many rows went, by table. */
    removed: jsonb("removed").$type<Record<string, number>>().notNull(),
    /** Experiments whose figures still contain something of the person; see lib/people/erasures/step.ts. */
    unchanged_experiments: jsonb("unchanged_experiments")
      .$type<{ experiment_id: number; recorded_days: number | null }[]>()
      .notNull()
      .default(sql`'[]'::jsonb`),
    /** Up to when events had been deleted by age; null: none had. */
    events_deleted_before: moment("events_deleted_before"),
    finished_at: moment("finished_at"),
  },
  (t) => [index("erasures_project").on(t.project_id, t.requested_at)],
);
