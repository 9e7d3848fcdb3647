import { index, integer, json, pgTable, primaryKey, serial, text, uuid } from "drizzle-orm/pg-core";
import { moment, projects, users } from "./accounts.ts";

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
    id: uuid("id").primaryKey().defaultRandom(),
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
    policy_snapshot: json("policy_snapshot").$type<Record<string, unknown>>().notNull(),
    /** The consequence that was shown, and what it was computed from. */
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
