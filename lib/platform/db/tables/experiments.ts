import {
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  serial,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { moment, projects, users } from "./accounts.ts";
import { cohorts, feature_flags } from "./feature_flags.ts";

/**
 * Free-form fields are json, not jsonb: they come back exactly as they were sent. A draft has no start_date, a
 * running experiment no end_date; whether it is paused is its flag's to say.
 */
export const experiments = pgTable(
  "experiments",
  {
    id: serial("id").primaryKey(),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    description: text("description").default(""),
    start_date: moment("start_date"),
    end_date: moment("end_date"),
    feature_flag_id: integer("feature_flag_id")
      .notNull()
      .references(() => feature_flags.id, { onDelete: "cascade" }),
    holdout_id: integer("holdout_id").references(() => experiment_holdouts.id, { onDelete: "set null" }),
    exposure_cohort_id: integer("exposure_cohort_id").references(() => cohorts.id, { onDelete: "set null" }),
    parameters: json("parameters").$type<Record<string, unknown> | null>(),
    secondary_metrics: json("secondary_metrics").$type<unknown[] | null>(),
    filters: json("filters").$type<Record<string, unknown>>().notNull(),
    archived: boolean("archived").notNull().default(false),
    deleted: boolean("deleted").notNull().default(false),
    type: text("type", { enum: ["web", "product"] }).default("product"),
    /** Of web experiments: share per variant key. */
    variants: json("variants").$type<Record<string, unknown> | null>(),
    exposure_criteria: json("exposure_criteria").$type<Record<string, unknown> | null>(),
    /** Each with the fingerprint that it had when the experiment was last written. */
    metrics: json("metrics").$type<Record<string, unknown>[]>().notNull(),
    metrics_secondary: json("metrics_secondary").$type<Record<string, unknown>[]>().notNull(),
    stats_config: json("stats_config").$type<Record<string, unknown> | null>(),
    conclusion: text("conclusion", {
      enum: ["won", "lost", "inconclusive", "stopped_early", "invalid"],
    }),
    conclusion_comment: text("conclusion_comment"),
    concluded_at: moment("concluded_at"),
    concluded_by_id: integer("concluded_by_id").references(() => users.id, { onDelete: "set null" }),
    /** Key of the variant that everybody got at the end; null: none was shipped. */
    shipped_variant: text("shipped_variant"),
    /** The hypothesis, primary metrics and statistics at launch; see lib/experiments/experiments/lifecycle/launch-plan.ts. */
    launch_plan: json("launch_plan").$type<Record<string, unknown> | null>(),
    primary_metrics_ordered_uuids: json("primary_metrics_ordered_uuids").$type<string[] | null>(),
    secondary_metrics_ordered_uuids: json("secondary_metrics_ordered_uuids").$type<string[] | null>(),
    /** 1 at first; one more with every write. */
    version: integer("version").notNull().default(1),
    last_modified_by_id: integer("last_modified_by_id").references(() => users.id, { onDelete: "set null" }),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
  },
  (t) => [
    index("experiments_created").on(t.project_id, t.created_at.desc()),
    index("experiments_flag").on(t.feature_flag_id),
    index("experiments_holdout").on(t.holdout_id),
  ],
);

/**
 * What a launched experiment's flag was from a moment on: a row at the launch and one whenever its key, its variants
 * or its kind of group change afterwards. Rows are only ever added, so the record outlives the flag and its history.
 */
export const experiment_phases = pgTable(
  "experiment_phases",
  {
    experiment_id: integer("experiment_id")
      .notNull()
      .references(() => experiments.id, { onDelete: "cascade" }),
    started_at: moment("started_at").notNull(),
    flag_key: text("flag_key").notNull(),
    variants: json("variants")
      .$type<{ key: string; name?: string | null; rollout_percentage: number }[]>()
      .notNull(),
    aggregation_group_type_index: smallint("aggregation_group_type_index"),
  },
  (t) => [primaryKey({ columns: [t.experiment_id, t.started_at] })],
);

/** People held out of experiments: `filters` is one condition set, of which the share gets no variant. */
export const experiment_holdouts = pgTable(
  "experiment_holdouts",
  {
    id: serial("id").primaryKey(),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    description: text("description"),
    filters: json("filters").$type<Record<string, unknown>[]>().notNull(),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
  },
  (t) => [index("experiment_holdouts_created").on(t.project_id, t.created_at.desc())],
);

/** A metric that several experiments share. */
export const experiment_saved_metrics = pgTable(
  "experiment_saved_metrics",
  {
    id: serial("id").primaryKey(),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    description: text("description"),
    query: json("query").$type<Record<string, unknown>>().notNull(),
    tags: text("tags").array().notNull().default([]),
    /** Deleted softly: experiments have it no more, and have it again when it comes back. */
    deleted: boolean("deleted").notNull().default(false),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
  },
  (t) => [index("experiment_saved_metrics_created").on(t.project_id, t.created_at.desc())],
);

/** Which saved metrics an experiment uses; `metadata.type` says whether as a primary or a secondary one. */
export const experiment_metric_links = pgTable(
  "experiment_metric_links",
  {
    id: serial("id").primaryKey(),
    experiment_id: integer("experiment_id")
      .notNull()
      .references(() => experiments.id, { onDelete: "cascade" }),
    saved_metric_id: integer("saved_metric_id")
      .notNull()
      .references(() => experiment_saved_metrics.id, { onDelete: "cascade" }),
    metadata: json("metadata").$type<Record<string, unknown>>().notNull(),
    created_at: moment("created_at").notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex("experiment_metric_links_pair").on(t.experiment_id, t.saved_metric_id),
    index("experiment_metric_links_metric").on(t.saved_metric_id),
  ],
);
