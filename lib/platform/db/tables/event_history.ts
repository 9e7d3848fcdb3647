import { sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import { moment, projects, transaction } from "./accounts.ts";

/** Up to which event a project is copied: older ones are in the order of names, newer ones in that of arrival. */
export type EventPosition =
  | { among: "older"; event: string; at: string; uuid: string }
  | { among: "newer"; ingested: string; uuid: string | null };

/** Up to which merge of persons a project is copied. */
export type MergePosition = { ingested: string; id: number };

/**
 * The copy of all events in ClickHouse: one row, or none where there never was a copy. Like the tables below, it says
 * something about this database and that copy, so that backups leave it out and a restoration preserves it.
 */
export const event_history = pgTable(
  "event_history",
  {
    only: boolean("only").primaryKey().default(true),
    /** The copy carries the same, so that nobody writes into another's. */
    id: uuid("id").notNull().defaultRandom(),
    /** Rises when a backup is restored: the copy then begins again. */
    generation: integer("generation").notNull().default(1),
    /** When merged persons were last written into the copied events. */
    folded_at: moment("folded_at").notNull().defaultNow(),
  },
  (t) => [check("event_history_only", sql`${t.only}`)],
);

/** How far each project is copied, and the batch that is on its way. */
export const event_history_positions = pgTable("event_history_positions", {
  project_id: integer("project_id").primaryKey(),
  /** Events of earlier transactions are the older ones. */
  cut: transaction("cut").notNull(),
  /** The last event that is copied for certain; null: none. */
  position: jsonb("position").$type<EventPosition>(),
  /** The batch after it, until it is acknowledged; ClickHouse knows it by the id if it comes twice. */
  batch_id: uuid("batch_id"),
  batch_end: jsonb("batch_end").$type<EventPosition>(),
  merges: jsonb("merges").$type<MergePosition>(),
});

/** Deleted events that may still be in the copy. */
export const event_history_deletions = pgTable(
  "event_history_deletions",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    project_id: integer("project_id").notNull(),
    /** These events, which happened between two days (inclusive) … */
    uuids: uuid("uuids").array(),
    first_day: date("first_day"),
    last_day: date("last_day"),
    /** … or all of one name before a moment. */
    event: text("event"),
    before: timestamp("before", { withTimezone: true, precision: 6, mode: "string" }),
  },
  (t) => [index("event_history_deletions_project").on(t.project_id)],
);

/**
 * Events that left PostgreSQL because of their age and are only in the copy: how many, and a sum of hashes over
 * everything that is stored of them. Unlike the other tables, backups have it: it says what they lack.
 */
export const event_history_kept = pgTable(
  "event_history_kept",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    event: text("event").notNull(),
    /** In UTC. */
    day: date("day").notNull(),
    count: bigint("count", { mode: "number" }).notNull(),
    hash: numeric("hash").notNull(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.event, t.day] })],
);
