import { sql } from "drizzle-orm";
import {
  bigserial,
  boolean,
  customType,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  serial,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

/** A moment with a time zone, read as a JavaScript Date (millisecond precision). */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 6, mode: "date" });

/**
 * The transaction that wrote a row, as the server numbers them for good. Whoever reads up to
 * `pg_snapshot_xmin(pg_current_snapshot())` misses nothing that commits later. Backups leave these columns out:
 * the numbers mean nothing in another server.
 */
export const transaction = customType<{ data: string }>({ dataType: () => "xid8" });

export const organizations = pgTable("organizations", {
  id: uuid("id").primaryKey().default(sql`gen_random_uuid()`),
  name: text("name").notNull(),
  slug: text("slug").notNull(),
  created_at: moment("created_at").notNull().defaultNow(),
});

export const users = pgTable(
  "users",
  {
    id: serial("id").primaryKey(),
    uuid: uuid("uuid").notNull().default(sql`gen_random_uuid()`),
    distinct_id: text("distinct_id").notNull(),
    first_name: text("first_name").notNull().default(""),
    last_name: text("last_name").notNull().default(""),
    email: text("email").notNull(),
    is_email_verified: boolean("is_email_verified").notNull().default(false),
    hedgehog_config: json("hedgehog_config"),
    role_at_organization: text("role_at_organization"),
    is_active: boolean("is_active").notNull().default(true),
    created_at: moment("created_at").notNull().defaultNow(),
  },
  (t) => [uniqueIndex("users_email").on(sql`lower(${t.email})`), uniqueIndex("users_uuid").on(t.uuid)],
);

/** `level`: 1 member, 8 administrator, 15 owner. */
export const organization_memberships = pgTable(
  "organization_memberships",
  {
    organization_id: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    user_id: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    level: smallint("level").notNull().default(1),
    joined_at: moment("joined_at").notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.user_id] })],
);

/** Days that events are kept, null forever: by name, and those of all other names. */
export type StoredRetention = {
  days: number | null;
  by_event: Record<string, number | null>;
  /** Whether older ones stay in ClickHouse. */
  keep_in_clickhouse?: boolean | undefined;
};

export const projects = pgTable(
  "projects",
  {
    id: serial("id").primaryKey(),
    uuid: uuid("uuid").notNull().default(sql`gen_random_uuid()`),
    organization_id: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    api_token: text("api_token").notNull(),
    secret_api_token: text("secret_api_token").notNull(),
    timezone: text("timezone").notNull().default("UTC"),
    is_demo: boolean("is_demo").notNull().default(false),
    /** Conditions that events of real users fulfil; experiments can leave out exposures that do not. */
    test_account_filters: json("test_account_filters")
      .$type<Record<string, unknown>[]>()
      .notNull()
      .default(sql`'[]'::json`),
    /** For how long events are kept; null: forever. */
    event_retention: json("event_retention").$type<StoredRetention>(),
    ingested_event: boolean("ingested_event").notNull().default(false),
    created_at: moment("created_at").notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex("projects_api_token").on(t.api_token),
    uniqueIndex("projects_secret_api_token").on(t.secret_api_token),
  ],
);

/** `secure_value` is "sha256$" and the hex digest of the key; the key itself is never stored. */
export const personal_api_keys = pgTable(
  "personal_api_keys",
  {
    id: uuid("id").primaryKey().default(sql`gen_random_uuid()`),
    user_id: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    label: text("label").notNull(),
    secure_value: text("secure_value").notNull(),
    mask_value: text("mask_value").notNull(),
    scopes: text("scopes").array().notNull(),
    scoped_teams: integer("scoped_teams").array().notNull().default([]),
    scoped_organizations: text("scoped_organizations").array().notNull().default([]),
    created_at: moment("created_at").notNull().defaultNow(),
    last_used_at: moment("last_used_at"),
    last_rolled_at: moment("last_rolled_at"),
    expires_at: moment("expires_at"),
  },
  (t) => [
    uniqueIndex("personal_api_keys_secure_value").on(t.secure_value),
    index("personal_api_keys_user").on(t.user_id),
  ],
);

/**
 * Sessions of the dashboard. `digest` and `key_digest` have the form of a key's `secure_value`; a session of a key of
 * another Switchyard has no key here.
 */
export const dashboard_sessions = pgTable(
  "dashboard_sessions",
  {
    digest: text("digest").primaryKey(),
    key_digest: text("key_digest").notNull(),
    /** What the browser called itself when it signed in. */
    user_agent: text("user_agent").notNull().default(""),
    created_at: moment("created_at").notNull(),
    last_used_at: moment("last_used_at").notNull(),
    expires_at: moment("expires_at").notNull(),
  },
  (t) => [index("dashboard_sessions_expires").on(t.expires_at)],
);

/**
 * `item_id` is text because flags count and surveys are UUIDs. `user_id` null: the system did it. The audit log finds
 * entries that are new by `xid`.
 */
export const activity_log = pgTable(
  "activity_log",
  {
    id: uuid("id").primaryKey().default(sql`gen_random_uuid()`),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    user_id: integer("user_id").references(() => users.id, { onDelete: "set null" }),
    scope: text("scope").notNull(),
    item_id: text("item_id").notNull(),
    activity: text("activity").notNull(),
    detail: json("detail").notNull(),
    created_at: moment("created_at").notNull().defaultNow(),
    xid: transaction("xid").default(sql`pg_current_xact_id()`),
  },
  (t) => [
    index("activity_log_new").on(t.xid, t.created_at, t.id),
    index("activity_log_item").on(t.project_id, t.scope, t.item_id, t.created_at.desc()),
    index("activity_log_project").on(t.project_id, t.created_at.desc()),
  ],
);

/** Entries of the log for which nobody has been notified yet. No foreign key: its checks cost more than the rows. */
export const activity_outbox = pgTable("activity_outbox", {
  id: bigserial("id", { mode: "number" }).primaryKey(),
  activity_id: uuid("activity_id").notNull(),
});

/**
 * Projects that are environments of one another: those of a group, in the order of `place`. A project is in one group
 * at most.
 */
export const environments = pgTable(
  "environments",
  {
    project_id: integer("project_id")
      .primaryKey()
      .references(() => projects.id, { onDelete: "cascade" }),
    group_id: uuid("group_id").notNull(),
    place: smallint("place").notNull(),
    name: text("name").notNull(),
  },
  (t) => [index("environments_group").on(t.group_id, t.place)],
);

/** How far the loading of a demo project has come; `state`: running, done or failed. */
export const demo_loads = pgTable("demo_loads", {
  project_id: integer("project_id")
    .primaryKey()
    .references(() => projects.id, { onDelete: "cascade" }),
  state: text("state").notNull(),
  /** 0 to 100. */
  percent: integer("percent").notNull().default(0),
  /** When it began; dates of the demo count back from here, also when it is resumed. */
  started_at: moment("started_at").notNull(),
  updated_at: moment("updated_at").notNull(),
});
