import { sql } from "drizzle-orm";
import { boolean, index, integer, json, pgTable, primaryKey, serial, text, uuid } from "drizzle-orm/pg-core";
import { moment, projects, users } from "./accounts.ts";

/** Which changes of a project need whose approval. */
export const approval_policies = pgTable(
  "approval_policies",
  {
    id: uuid("id").primaryKey().default(sql`gen_random_uuid()`),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    /** A public action, or "change" for any. */
    action_key: text("action_key").notNull(),
    /** When it is in force; {}: always. */
    conditions: json("conditions").$type<Record<string, unknown>>().notNull(),
    /** How many have to approve; not used if forbidden. */
    quorum: integer("quorum").notNull(),
    /** Ids of those who may approve; empty: every member of the organization. */
    users: integer("users").array().notNull(),
    /** Whether such a change is refused, whoever approves. */
    forbidden: boolean("forbidden").notNull(),
    allow_self_approve: boolean("allow_self_approve").notNull(),
    /** Levels of members who are free of it. */
    bypass_org_membership_levels: integer("bypass_org_membership_levels").array().notNull(),
    expires_after_seconds: integer("expires_after_seconds").notNull(),
    enabled: boolean("enabled").notNull(),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
  },
  (t) => [index("approval_policies_project").on(t.project_id)],
);

/** What was last approved of each flag and cohort, in projects with approval policies. */
export const approved_states = pgTable(
  "approved_states",
  {
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    /** `feature_flag/3`, `cohort/4`; `project`: the states of this project have been noted. */
    resource: text("resource").notNull(),
    state: json("state").$type<Record<string, unknown>>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.resource] })],
);

export const change_requests = pgTable(
  "change_requests",
  {
    id: uuid("id").primaryKey().default(sql`gen_random_uuid()`),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    title: text("title").notNull(),
    description: text("description").notNull().default(""),
    /** The calls that make the change, encrypted: payloads of flags can be secret. */
    calls: text("calls").notNull(),
    action_key: text("action_key").notNull(),
    resource_type: text("resource_type").notNull(),
    resource_id: text("resource_id"),
    /** What it does, as it is shown; see lib/approvals/change_requests/schema.ts. */
    intent_display: json("intent_display").$type<Record<string, unknown>>().notNull(),
    /** What was shown of it: whom it concerns, what it needs, and what it was computed from. */
    shown: json("shown").$type<Record<string, unknown>>().notNull(),
    validation_status: text("validation_status", { enum: ["valid", "invalid", "expired", "stale"] })
      .notNull()
      .default("valid"),
    validation_errors: json("validation_errors").$type<Record<string, unknown> | null>(),
    validated_at: moment("validated_at"),
    state: text("state", { enum: ["pending", "approved", "applied", "rejected", "expired", "failed"] })
      .notNull()
      .default("pending"),
    actor: text("actor", { enum: ["person", "key", "agent"] }).notNull(),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    applied_by_id: integer("applied_by_id").references(() => users.id, { onDelete: "set null" }),
    applied_at: moment("applied_at"),
    apply_error: text("apply_error").notNull().default(""),
    result_data: json("result_data").$type<Record<string, unknown> | null>(),
    /** Why it was applied without the approvals that it needed; null: it was not. */
    bypass_reason: text("bypass_reason"),
    expires_at: moment("expires_at").notNull(),
    /** When it is applied, once it has its approvals; null: by the last of them. */
    apply_at: moment("apply_at"),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
  },
  (t) => [index("change_requests_created").on(t.project_id, t.created_at.desc())],
);

/** Votes and comments on change requests. */
export const change_request_reviews = pgTable(
  "change_request_reviews",
  {
    id: serial("id").primaryKey(),
    change_request_id: uuid("change_request_id")
      .notNull()
      .references(() => change_requests.id, { onDelete: "cascade" }),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    /** null: a comment. */
    decision: text("decision", { enum: ["approved", "rejected", "changes_requested"] }),
    reason: text("reason").notNull().default(""),
    created_at: moment("created_at").notNull().defaultNow(),
  },
  (t) => [index("change_request_reviews_request").on(t.change_request_id, t.id)],
);
