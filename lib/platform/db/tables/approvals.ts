import { sql } from "drizzle-orm";
import { boolean, index, integer, json, pgTable, text, uuid } from "drizzle-orm/pg-core";
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
