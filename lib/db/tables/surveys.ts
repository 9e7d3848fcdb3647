import { sql } from "drizzle-orm";
import { boolean, index, integer, json, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment, projects, users } from "./accounts.ts";

/** Free-form fields are json, not jsonb: they come back exactly as they were sent. */
export const surveys = pgTable(
  "surveys",
  {
    id: uuid("id").primaryKey().default(sql`gen_random_uuid()`),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    type: text("type").notNull(),
    schedule: text("schedule").default("once"),
    linked_flag_id: integer("linked_flag_id"),
    targeting_flag_id: integer("targeting_flag_id"),
    internal_targeting_flag_id: integer("internal_targeting_flag_id"),
    questions: json("questions").$type<Record<string, unknown>[]>().notNull(),
    conditions: json("conditions").$type<Record<string, unknown> | null>(),
    appearance: json("appearance").$type<Record<string, unknown> | null>(),
    start_date: moment("start_date"),
    end_date: moment("end_date"),
    archived: boolean("archived").notNull().default(false),
    responses_limit: integer("responses_limit"),
    enable_partial_responses: boolean("enable_partial_responses").default(false),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
  },
  (t) => [index("surveys_created").on(t.project_id, t.created_at.desc())],
);
