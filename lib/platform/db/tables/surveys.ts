import { sql } from "drizzle-orm";
import { boolean, index, integer, json, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import type { Question } from "#lib/engines/branching/question.ts";
import { moment, projects, users } from "./accounts.ts";

/** A choice with every text that it ever had, each from a moment (null: always) until another (null: now). */
export type StoredChoice = {
  id: string;
  texts: { text: string; from: number | null; until: number | null; translated?: true }[];
};

/**
 * Free-form fields are json, not jsonb: they come back exactly as they were sent. A survey aims with up to four
 * flags: one somebody chose (linked), one from its own filters (targeting), one that leaves out people who have
 * answered (internal targeting) and one that spreads the invitations over time (internal response sampling).
 */
export const surveys = pgTable(
  "surveys",
  {
    id: uuid("id").primaryKey().default(sql`gen_random_uuid()`),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    type: text("type", { enum: ["popover", "widget", "external_survey", "api"] }).notNull(),
    schedule: text("schedule", { enum: ["once", "recurring", "always"] }).default("once"),
    linked_flag_id: integer("linked_flag_id"),
    targeting_flag_id: integer("targeting_flag_id"),
    internal_targeting_flag_id: integer("internal_targeting_flag_id"),
    internal_response_sampling_flag_id: integer("internal_response_sampling_flag_id"),
    questions: json("questions").$type<Question[] | null>(),
    /** Every text that choices had, and when; null until the questions of an older survey are saved again. */
    choice_history: json("choice_history").$type<Record<string, StoredChoice[]> | null>(),
    conditions: json("conditions").$type<Record<string, unknown> | null>(),
    appearance: json("appearance").$type<Record<string, unknown> | null>(),
    start_date: moment("start_date"),
    end_date: moment("end_date"),
    archived: boolean("archived").notNull().default(false),
    responses_limit: integer("responses_limit"),
    enable_partial_responses: boolean("enable_partial_responses").default(false),
    iteration_count: integer("iteration_count"),
    iteration_frequency_days: integer("iteration_frequency_days"),
    /** ISO 8601 texts; computed from start_date, iteration_count and iteration_frequency_days. */
    iteration_start_dates: json("iteration_start_dates").$type<string[] | null>(),
    current_iteration: integer("current_iteration"),
    current_iteration_start_date: moment("current_iteration_start_date"),
    response_sampling_start_date: moment("response_sampling_start_date"),
    response_sampling_interval_type: text("response_sampling_interval_type", {
      enum: ["day", "week", "month"],
    }).default("week"),
    response_sampling_interval: integer("response_sampling_interval"),
    response_sampling_limit: integer("response_sampling_limit"),
    /** JSON text of the plan, a row a day; computed from the other response_sampling fields. */
    response_sampling_daily_limits: text("response_sampling_daily_limits"),
    version: integer("version").notNull().default(1),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex("surveys_name").on(t.project_id, t.name),
    index("surveys_created").on(t.project_id, t.created_at.desc()),
  ],
);
