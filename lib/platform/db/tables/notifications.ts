import { sql } from "drizzle-orm";
import {
  bigserial,
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { moment, projects, users } from "./accounts.ts";

const project_id = () =>
  integer("project_id")
    .notNull()
    .references(() => projects.id, { onDelete: "cascade" });

/** Where notifications of a project go. A person who subscribes has one too, which only that person sees. */
export const notification_destinations = pgTable(
  "notification_destinations",
  {
    id: uuid("id").primaryKey().default(sql`gen_random_uuid()`),
    project_id: project_id(),
    kind: text("kind", { enum: ["webhook", "email", "slack", "person"] }).notNull(),
    /** Of the kind "person": who. */
    user_id: integer("user_id").references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** The address, encrypted: that of an incoming webhook is a credential. Empty for a person. */
    address: text("address").notNull(),
    /** Which types it gets; empty: all. */
    types: text("types").array().notNull(),
    /** Which resources it is limited to, as `feature_flag/3`; empty: all. */
    resources: text("resources").array().notNull(),
    enabled: boolean("enabled").notNull(),
    /** Of webhooks: the secrets that sign, encrypted; the newest first. */
    secrets: text("secrets"),
    /** Failed attempts in a row that show that nobody is there. */
    failures: integer("failures").notNull().default(0),
    /** Nothing is sent before. */
    blocked_until: moment("blocked_until"),
    /** A process is sending to it; one that dies keeps it until then. */
    claimed_until: moment("claimed_until"),
    delivered_at: moment("delivered_at"),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
  },
  (t) => [
    index("notification_destinations_project").on(t.project_id, t.created_at),
    uniqueIndex("notification_destinations_person")
      .on(t.project_id, t.user_id)
      .where(sql`${t.kind} = 'person'`),
  ],
);

/** Which flags, experiments and surveys people want to hear about. */
export const notification_subscriptions = pgTable(
  "notification_subscriptions",
  {
    project_id: project_id(),
    user_id: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    resource_type: text("resource_type", { enum: ["feature_flag", "experiment", "survey"] }).notNull(),
    resource_id: text("resource_id").notNull(),
    /** Whether it arrives once a day with everything else, instead of at once. */
    digest: boolean("digest").notNull(),
    created_at: moment("created_at").notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.project_id, t.user_id, t.resource_type, t.resource_id] }),
    index("notification_subscriptions_resource").on(t.project_id, t.resource_type, t.resource_id),
  ],
);

/** What has happened, as it is sent: the same for all destinations. */
export const notification_messages = pgTable(
  "notification_messages",
  {
    id: uuid("id").primaryKey().default(sql`gen_random_uuid()`),
    project_id: project_id(),
    type: text("type").notNull(),
    payload: json("payload").$type<Record<string, unknown>>().notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [index("notification_messages_project").on(t.project_id, t.created_at)],
);

/** A message on its way to one destination. */
export const notification_deliveries = pgTable(
  "notification_deliveries",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    project_id: project_id(),
    destination_id: uuid("destination_id")
      .notNull()
      .references(() => notification_destinations.id, { onDelete: "cascade" }),
    message_id: uuid("message_id")
      .notNull()
      .references(() => notification_messages.id, { onDelete: "cascade" }),
    digest: boolean("digest").notNull().default(false),
    state: text("state", { enum: ["waiting", "delivered", "dead"] })
      .notNull()
      .default("waiting"),
    attempts: integer("attempts").notNull().default(0),
    /** When it is due. */
    next_at: moment("next_at").notNull(),
    /** From when on it is given up if it fails. */
    expires_at: moment("expires_at").notNull(),
    attempted_at: moment("attempted_at"),
    /** What the last attempt was answered with; null: nothing answered. */
    response_status: integer("response_status"),
    response_body: text("response_body"),
    error: text("error"),
    /** When it was delivered or failed for good. */
    ended_at: moment("ended_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("notification_deliveries_once").on(t.message_id, t.destination_id),
    index("notification_deliveries_due").on(t.next_at).where(sql`${t.state} = 'waiting'`),
    index("notification_deliveries_destination").on(t.destination_id, t.id),
    index("notification_deliveries_dead").on(t.project_id, t.id).where(sql`${t.state} = 'dead'`),
    index("notification_deliveries_ended").on(t.ended_at),
  ],
);

/** Which things that need attention have been sent to the destinations of a project, and in which state. */
export const inbox_announcements = pgTable(
  "inbox_announcements",
  {
    project_id: project_id(),
    item: text("item").notNull(),
    version: text("version").notNull(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.item] })],
);

/** What people have set aside in their inbox, until it changes. */
export const inbox_dismissals = pgTable(
  "inbox_dismissals",
  {
    project_id: project_id(),
    user_id: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    item: text("item").notNull(),
    /** The state that was set aside. */
    version: text("version").notNull(),
    created_at: moment("created_at").notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.user_id, t.item] })],
);
