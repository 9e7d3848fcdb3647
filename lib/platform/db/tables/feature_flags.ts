import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  customType,
  date,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  serial,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { moment, projects, users } from "./accounts.ts";

/** Any JSON value. Drizzle's `json` parses a text that it reads a second time: "true" would come back as true. */
const anyJson = customType<{ data: unknown }>({
  dataType: () => "json",
  toDriver: (value) => JSON.stringify(value),
});

/** The value that one person gets from a flag, whatever its targeting says. Whose it is, their distinct ids say. */
export type StoredPin = {
  id: string;
  distinct_ids: string[];
  /** False, true, or the key of a variant. */
  value: boolean | string;
  /** When it ends, as ISO 8601 in UTC; null: when it is removed. */
  until: string | null;
  reason: string;
  created_by_id: number | null;
  created_at: string;
};

/** `filters` is json, not jsonb: what a client sent comes back with its keys in the order it sent them. */
export const feature_flags = pgTable(
  "feature_flags",
  {
    id: serial("id").primaryKey(),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    key: text("key").notNull(),
    name: text("name").notNull().default(""),
    filters: json("filters").$type<Record<string, unknown>>().notNull(),
    deleted: boolean("deleted").notNull().default(false),
    active: boolean("active").notNull().default(true),
    version: integer("version").notNull().default(1),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    last_modified_by_id: integer("last_modified_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
    ensure_experience_continuity: boolean("ensure_experience_continuity").default(false),
    rollback_conditions: anyJson("rollback_conditions"),
    performed_rollback: boolean("performed_rollback"),
    tags: text("tags").array().notNull().default([]),
    evaluation_tags: text("evaluation_tags").array().notNull().default([]),
    analytics_dashboards: integer("analytics_dashboards").array().notNull().default([]),
    usage_dashboard_id: integer("usage_dashboard_id"),
    has_enriched_analytics: boolean("has_enriched_analytics").default(false),
    creation_context: text("creation_context").notNull().default("feature_flags"),
    is_remote_configuration: boolean("is_remote_configuration").default(false),
    has_encrypted_payloads: boolean("has_encrypted_payloads").default(false),
    evaluation_runtime: text("evaluation_runtime", { enum: ["server", "client", "all"] }).default("all"),
    pins: jsonb("pins").$type<StoredPin[]>().notNull().default([]),
    last_called_at: moment("last_called_at"),
  },
  (t) => [
    uniqueIndex("feature_flags_key").on(t.project_id, t.key),
    index("feature_flags_created").on(t.project_id, t.created_at.desc()),
    index("feature_flags_pinned").on(t.project_id).where(sql`${t.pins} <> '[]'::jsonb`),
  ],
);

/** One row: a text that opens only with the ENCRYPTION_KEY that payloads are encrypted with. */
export const encryption_checks = pgTable("encryption_checks", {
  id: integer("id").primaryKey().default(1),
  sealed: text("sealed").notNull(),
});

/** The first hash key seen for a person and a flag with experience continuity: later logins keep its value. */
export const feature_flag_hash_key_overrides = pgTable(
  "feature_flag_hash_key_overrides",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    person_id: bigint("person_id", { mode: "number" }).notNull(),
    feature_flag_key: text("feature_flag_key").notNull(),
    hash_key: text("hash_key").notNull(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.person_id, t.feature_flag_key] })],
);

/** Calls of one flag with one response on one UTC day, maintained by the event writer from `$feature_flag_called`. */
export const feature_flag_calls_daily = pgTable(
  "feature_flag_calls_daily",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    feature_flag_key: text("feature_flag_key").notNull(),
    response: text("response").notNull(),
    day: date("day", { mode: "string" }).notNull(),
    calls: bigint("calls", { mode: "number" }).notNull(),
    last_called_at: moment("last_called_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.feature_flag_key, t.day, t.response] })],
);

/** `key` null and `is_static` false: members follow `filters`; static: members are in cohort_people. */
export const cohorts = pgTable(
  "cohorts",
  {
    id: serial("id").primaryKey(),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    filters: json("filters").$type<Record<string, unknown>>().notNull(),
    is_static: boolean("is_static").notNull().default(false),
    deleted: boolean("deleted").notNull().default(false),
    count: integer("count"),
    is_calculating: boolean("is_calculating").notNull().default(false),
    errors_calculating: integer("errors_calculating").notNull().default(0),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    last_calculation: moment("last_calculation"),
  },
  (t) => [index("cohorts_created").on(t.project_id, t.created_at.desc())],
);

export const cohort_people = pgTable(
  "cohort_people",
  {
    cohort_id: integer("cohort_id")
      .notNull()
      .references(() => cohorts.id, { onDelete: "cascade" }),
    person_id: bigint("person_id", { mode: "number" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.cohort_id, t.person_id] }), index("cohort_people_person").on(t.person_id)],
);

export const dashboards = pgTable(
  "dashboards",
  {
    id: serial("id").primaryKey(),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    creation_mode: text("creation_mode").notNull().default("default"),
    deleted: boolean("deleted").notNull().default(false),
    /** [{id, name, description, query}] in the order shown; a query names a flag and what of it is counted. */
    tiles: jsonb("tiles").$type<DashboardTile[]>().notNull().default(sql`'[]'::jsonb`),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
  },
  (t) => [index("dashboards_project").on(t.project_id, t.created_at.desc())],
);

/** One figure of a dashboard: what is counted, for which flag. */
export type DashboardTile = {
  id: number;
  name: string;
  description: string;
  query: {
    kind: "FlagCalls" | "FlagCallsByValue" | "FlagViews" | "FlagInteractions";
    feature_flag_key: string;
  };
};

/** What somebody has to get from a flag, whatever is changed of it. */
export const feature_flag_test_cases = pgTable(
  "feature_flag_test_cases",
  {
    id: serial("id").primaryKey(),
    flag_id: integer("flag_id")
      .notNull()
      .references(() => feature_flags.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    distinct_id: text("distinct_id").notNull(),
    person_properties: json("person_properties").$type<Record<string, unknown>>().notNull(),
    /** Group keys by group type, and their properties. */
    groups: json("groups").$type<Record<string, string>>().notNull(),
    group_properties: json("group_properties").$type<Record<string, Record<string, unknown>>>().notNull(),
    /** False, true, or the key of a variant. */
    expected: anyJson("expected").$type<boolean | string>().notNull(),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
  },
  (t) => [index("feature_flag_test_cases_flag").on(t.flag_id)],
);

/** A scheduled change of a flag, once or recurring. */
export const scheduled_changes = pgTable(
  "scheduled_changes",
  {
    id: serial("id").primaryKey(),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    flag_id: integer("flag_id")
      .notNull()
      .references(() => feature_flags.id, { onDelete: "cascade" }),
    /** {operation, value}; payloads of a flag that encrypts them are not in it. */
    payload: json("payload").$type<{ operation: string; value: unknown }>().notNull(),
    /** When it runs next; of a finished one, when it last should have. */
    scheduled_at: moment("scheduled_at").notNull(),
    /** The occurrence from which intervals are counted: the 31st of a month comes back after a shorter one. */
    first_at: moment("first_at").notNull(),
    /** When it was finished; null: it is not. */
    executed_at: moment("executed_at"),
    last_executed_at: moment("last_executed_at"),
    failure_reason: text("failure_reason"),
    /** False where it has a recurrence: it is paused. */
    is_recurring: boolean("is_recurring").notNull().default(false),
    recurrence_interval: text("recurrence_interval", { enum: ["daily", "weekly", "monthly", "yearly"] }),
    cron_expression: text("cron_expression"),
    end_date: moment("end_date"),
    timezone: text("timezone").notNull(),
    guard: boolean("guard").notNull().default(false),
    /** Of a guarded one: whose value it was expected to change. */
    expected_impact: json("expected_impact").$type<ScheduledImpact>(),
    /** What policies let it run for; see lib/approvals/gate. null: they were not asked. */
    granted: json("granted").$type<unknown>(),
    /** Of a guarded one: the flag's version when it was made, or when it last ran. */
    seen_version: integer("seen_version"),
    deleted: boolean("deleted").notNull().default(false),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
  },
  (t) => [
    index("scheduled_changes_flag").on(t.flag_id),
    index("scheduled_changes_project").on(t.project_id),
    index("scheduled_changes_pending")
      .on(t.scheduled_at)
      .where(sql`${t.executed_at} is null and not ${t.deleted}`),
  ],
);

/** A view of the list of flags under a name: the query of its address. */
export const saved_views = pgTable(
  "saved_views",
  {
    id: serial("id").primaryKey(),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    query: text("query").notNull(),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
  },
  (t) => [uniqueIndex("saved_views_name").on(t.project_id, sql`lower(${t.name})`)],
);

/** How many people (or groups) a change concerns. */
export type ScheduledImpact = {
  changed: number;
  total: number;
  /** What is counted; null: people. */
  group_type_index: number | null;
  as_of: string;
};
