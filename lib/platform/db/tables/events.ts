import { sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { moment, projects, transaction } from "./accounts.ts";

/** What a reader has seen: which of those transactions had ended. Left out of backups, like the numbers of transactions. */
export const snapshot = customType<{ data: string }>({ dataType: () => "pg_snapshot" });

/** The database also keeps what they are searched by, `search_text`, see the migration: nobody reads it back. */
export const persons = pgTable(
  "persons",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    uuid: uuid("uuid").notNull().default(sql`gen_random_uuid()`),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    properties: jsonb("properties").$type<Record<string, unknown>>().notNull().default({}),
    is_identified: boolean("is_identified").notNull().default(false),
    created_at: moment("created_at").notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex("persons_uuid").on(t.project_id, t.uuid),
    index("persons_project").on(t.project_id, t.id),
  ],
);

export const person_distinct_ids = pgTable(
  "person_distinct_ids",
  {
    project_id: integer("project_id").notNull(),
    distinct_id: text("distinct_id").notNull(),
    person_id: bigint("person_id", { mode: "number" })
      .notNull()
      .references(() => persons.id, { onDelete: "cascade" }),
  },
  (t) => [
    primaryKey({ columns: [t.project_id, t.distinct_id] }),
    index("person_distinct_ids_person").on(t.person_id),
  ],
);

export const group_types = pgTable(
  "group_types",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    group_type_index: smallint("group_type_index").notNull(),
    group_type: text("group_type").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.project_id, t.group_type_index] }),
    uniqueIndex("group_types_name").on(t.project_id, t.group_type),
  ],
);

export const groups = pgTable(
  "groups",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    group_type_index: smallint("group_type_index").notNull(),
    group_key: text("group_key").notNull(),
    properties: jsonb("properties").$type<Record<string, unknown>>().notNull().default({}),
    created_at: moment("created_at").notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.group_type_index, t.group_key] })],
);

/** Partitioned by month of `timestamp` (see the migration); whose event it is follows person_distinct_ids. */
export const events = pgTable(
  "events",
  {
    project_id: integer("project_id").notNull(),
    uuid: uuid("uuid").notNull(),
    event: text("event").notNull(),
    distinct_id: text("distinct_id").notNull(),
    timestamp: moment("timestamp").notNull(),
    properties: jsonb("properties").$type<Record<string, unknown>>().notNull(),
    created_at: moment("created_at").notNull().defaultNow(),
    /** Order of arrival, for readers that go on where they stopped. */
    ingested: transaction("ingested").notNull().default(sql`pg_current_xact_id()`),
  },
  (t) => [
    primaryKey({ columns: [t.project_id, t.uuid, t.timestamp] }),
    index("events_name_time").on(t.project_id, t.event, t.timestamp),
    index("events_distinct_id").on(t.project_id, t.distinct_id, t.timestamp),
    index("events_ingested").on(t.project_id, t.ingested),
    index("events_flag_called")
      .on(t.project_id, sql`left(${t.properties} ->> '$feature_flag', 400)`, t.timestamp)
      .where(sql`${t.event} = '$feature_flag_called'`),
    // Cut, because an index entry has a size limit and what a client sends as an id has not.
    index("events_survey")
      .on(t.project_id, sql`left(${t.properties} ->> '$survey_id', 36)`, t.timestamp)
      .where(sql`${t.event} in ('survey shown', 'survey dismissed', 'survey sent', 'survey abandoned')`),
    index("events_feature")
      .on(t.project_id, t.event, sql`left(${t.properties} ->> 'feature_flag', 400)`, t.timestamp)
      .where(sql`${t.event} in ('$feature_view', 'Feature Viewed', '$feature_interaction')`),
  ],
);

/** Persons that others took over, for readers that know a person by its id. */
export const person_merges = pgTable(
  "person_merges",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    loser: bigint("loser", { mode: "number" }).notNull(),
    winner: bigint("winner", { mode: "number" }).notNull(),
    ingested: transaction("ingested").notNull().default(sql`pg_current_xact_id()`),
  },
  (t) => [index("person_merges_ingested").on(t.project_id, t.ingested)],
);

/** The uuid of every stored event: a re-sent one is recognised whatever its corrected timestamp became. */
export const event_uuids = pgTable(
  "event_uuids",
  { project_id: integer("project_id").notNull(), uuid: uuid("uuid").notNull() },
  (t) => [primaryKey({ columns: [t.project_id, t.uuid] })],
);

/**
 * Up to which moment (a UTC midnight, exclusive) a project's events were deleted, or are being deleted. The name ""
 * stands for all names that have no row of their own.
 */
export const event_horizons = pgTable(
  "event_horizons",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    event: text("event").notNull(),
    before: moment("before").notNull(),
    /** How many events arrived later from before that moment, and were refused. */
    refused: bigint("refused", { mode: "number" }).notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.event] })],
);

/** Every event name seen, maintained by the event writer. */
export const event_definitions = pgTable(
  "event_definitions",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** How many events carried it, those deleted since among them. */
    count: bigint("count", { mode: "number" }).notNull(),
    /** How many of them were deleted because of their age. */
    deleted: bigint("deleted", { mode: "number" }).notNull().default(0),
    last_seen_at: moment("last_seen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.name] })],
);

/** `type`: "person", "group" or "event"; `group_type_index` is -1 where it does not apply. */
export const property_definitions = pgTable(
  "property_definitions",
  {
    id: uuid("id").notNull().default(sql`gen_random_uuid()`),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    type: text("type").notNull(),
    group_type_index: smallint("group_type_index").notNull().default(-1),
    name: text("name").notNull(),
    /** "String", "Numeric", "Boolean" or "DateTime": what was seen first; "String" once kinds differ. */
    property_type: text("property_type").notNull(),
    /** How many persons, groups or events carry it now. */
    count: bigint("count", { mode: "number" }).notNull().default(0),
    /** How many different values are stored; 1001 once there were more than 1,000: new ones are then left out. */
    distinct_values: integer("distinct_values").notNull().default(0),
    last_seen_at: moment("last_seen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.type, t.group_type_index, t.name] })],
);

export const property_values = pgTable(
  "property_values",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    type: text("type").notNull(),
    group_type_index: smallint("group_type_index").notNull().default(-1),
    name: text("name").notNull(),
    value: text("value").notNull(),
    count: bigint("count", { mode: "number" }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.project_id, t.type, t.group_type_index, t.name, t.value] }),
    index("property_values_top").on(t.project_id, t.type, t.group_type_index, t.name, t.count.desc()),
  ],
);
