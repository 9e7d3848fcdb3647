import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { moment, projects } from "./accounts.ts";

/** What the flag definitions of a project have said, from one change to the next. */
export const definition_versions = pgTable(
  "definition_versions",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    /** Names what the definitions said: the same in every process. */
    content: text("content").notNull(),
    number: integer("number").notNull(),
    /** The version of each flag in it, by the flag's id. */
    flags: jsonb("flags").$type<Record<string, number>>().notNull(),
    /** When it was first served. */
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.project_id, t.content] }),
    uniqueIndex("definition_versions_number").on(t.project_id, t.number),
  ],
);

/** Instances of SDKs that evaluate flags themselves, and which definitions each of them has. */
export const sdk_instances = pgTable(
  "sdk_instances",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    id: text("id").notNull(),
    sdk: text("sdk").notNull(),
    sdk_version: text("sdk_version").notNull(),
    /** The address that it calls from: of a server that has a key. */
    address: text("address"),
    /** Whether it has a stream open, by which it hears of changes; otherwise it polls. */
    has_stream: boolean("has_stream").notNull().default(false),
    /** Whether it sends its tag back. Of one that does not, nobody knows what it has. */
    is_tagged: boolean("is_tagged").notNull().default(true),
    /** The definitions that it said it has, and since when. */
    content: text("content"),
    content_since: moment("content_since"),
    /** Definitions that it was sent and has not named yet. */
    sent_content: text("sent_content"),
    sent_at: moment("sent_at"),
    /** How many answers in a row it came back without. */
    lost_answers: integer("lost_answers").notNull().default(0),
    first_seen_at: moment("first_seen_at").notNull(),
    last_seen_at: moment("last_seen_at").notNull(),
    /** How often it usually asks; null: it has asked once. */
    interval_ms: integer("interval_ms"),
    /** The relay that it asked last; null: it asked the service itself. */
    relay_id: text("relay_id"),
  },
  (t) => [
    primaryKey({ columns: [t.project_id, t.id] }),
    index("sdk_instances_last_seen").on(t.project_id, t.last_seen_at.desc()),
  ],
);

/** Relays, and which definitions of each project they serve. */
export const sdk_relays = pgTable(
  "sdk_relays",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    /** Random, and the same after a restart. */
    id: text("id").notNull(),
    name: text("name").notNull(),
    /** Of Switchyard. */
    version: text("version").notNull(),
    /** One start of the process, and when that was. */
    run_id: text("run_id").notNull(),
    run_started_at: moment("run_started_at").notNull(),
    /** The number of its last report in that run. */
    sequence: integer("sequence").notNull(),
    /** The definitions that it serves; null: none yet. */
    content: text("content"),
    /** Why it does not have the latest ones, in its own words. */
    problem: text("problem"),
    first_seen_at: moment("first_seen_at").notNull(),
    reported_at: moment("reported_at").notNull(),
    /** When it said that it was ending. */
    stopped_at: moment("stopped_at"),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.id] })],
);

/** Which programs have flags evaluated by the service, by version. */
export const sdk_callers = pgTable(
  "sdk_callers",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    sdk: text("sdk").notNull(),
    sdk_version: text("sdk_version").notNull(),
    requests: bigint("requests", { mode: "number" }).notNull(),
    first_seen_at: moment("first_seen_at").notNull(),
    last_seen_at: moment("last_seen_at").notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.sdk, t.sdk_version] })],
);
