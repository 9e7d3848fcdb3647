import {
  bigint,
  boolean,
  date,
  doublePrecision,
  index,
  integer,
  json,
  numeric,
  pgTable,
  primaryKey,
  real,
  serial,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { moment, projects, users } from "./accounts.ts";
import { snapshot } from "./events.ts";
import { experiments } from "./experiments.ts";

const experiment = () =>
  integer("experiment_id")
    .notNull()
    .references(() => experiments.id, { onDelete: "cascade" });

/**
 * How far an experiment's figures are: in them is every event that `seen` sees and that happened before `cut_at`,
 * and no other one, so that each later one can be added once.
 */
export const experiment_states = pgTable("experiment_states", {
  experiment_id: integer("experiment_id")
    .primaryKey()
    .references(() => experiments.id, { onDelete: "cascade" }),
  project_id: integer("project_id")
    .notNull()
    .references(() => projects.id, { onDelete: "cascade" }),
  /** Hash of everything that decides who is exposed; another one makes all of it worthless. */
  definition: text("definition").notNull(),
  /** Null: nothing is stored, as after a restoration. */
  seen: snapshot("seen"),
  cut_at: moment("cut_at").notNull(),
  /** How many numbers a unit has, those of metrics that are gone among them: further ones go behind them. */
  width: integer("width").notNull().default(0),
  updated_at: moment("updated_at").notNull(),
  /** Events behind the figures were deleted after the end: the figures stay, and cannot be recomputed. */
  sealed: boolean("sealed").notNull().default(false),
});

/** Who was exposed: persons by their id, groups by their key. No foreign key: its checks cost more than the rows. */
export const experiment_units = pgTable(
  "experiment_units",
  {
    experiment_id: integer("experiment_id").notNull(),
    unit: text("unit").notNull(),
    /** The variant whose figures count the unit; "$multiple" for one that counts nowhere. */
    variant: text("variant").notNull(),
    first_at: moment("first_at").notNull(),
    /** What it adds to each metric, at the series' places; what lies behind the last number is 0. */
    cells: doublePrecision("cells").array().notNull().default([]),
  },
  (t) => [primaryKey({ columns: [t.experiment_id, t.unit] })],
);

/** Progress of a long computation, updated while it runs: 0 to 1. */
export const experiment_progress = pgTable("experiment_progress", {
  experiment_id: experiment().primaryKey(),
  share: real("share").notNull(),
  updated_at: moment("updated_at").notNull(),
});

/** Units by the day of their first exposure, in the project's time zone. */
export const experiment_unit_days = pgTable(
  "experiment_unit_days",
  {
    experiment_id: experiment(),
    variant: text("variant").notNull(),
    day: date("day", { mode: "string" }).notNull(),
    units: bigint("units", { mode: "number" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.experiment_id, t.variant, t.day] })],
);

/** A metric in one configuration: the key of its stored figures. */
export const experiment_series = pgTable(
  "experiment_series",
  {
    id: serial("id").primaryKey(),
    experiment_id: experiment(),
    metric_uuid: text("metric_uuid").notNull(),
    fingerprint: text("fingerprint").notNull(),
    metric: json("metric").$type<Record<string, unknown>>().notNull(),
    /** Where its numbers begin among experiment_units.cells, as of the experiment's state; null: they are not there. */
    place: smallint("place"),
    /** When its past days were last requested to be recomputed. */
    recalculated_at: moment("recalculated_at"),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
  },
  (t) => [uniqueIndex("experiment_series_key").on(t.experiment_id, t.metric_uuid, t.fingerprint)],
);

/** Sums of what units add, exact. `step` is a funnel's steps reached, else 0. */
export const experiment_totals = pgTable(
  "experiment_totals",
  {
    series_id: integer("series_id")
      .notNull()
      .references(() => experiment_series.id, { onDelete: "cascade" }),
    variant: text("variant").notNull(),
    step: smallint("step").notNull(),
    units: bigint("units", { mode: "number" }).notNull(),
    value: numeric("value").notNull(),
    value_squares: numeric("value_squares").notNull(),
    other: numeric("other").notNull(),
    other_squares: numeric("other_squares").notNull(),
    value_other: numeric("value_other").notNull(),
    covariate: numeric("covariate").notNull(),
    covariate_squares: numeric("covariate_squares").notNull(),
    value_covariate: numeric("value_covariate").notNull(),
  },
  (t) => [primaryKey({ columns: [t.series_id, t.variant, t.step] })],
);

/** A metric's result as of the end of a day in the project's time zone: cumulative, as it was recorded. */
export const experiment_days = pgTable(
  "experiment_days",
  {
    series_id: integer("series_id")
      .notNull()
      .references(() => experiment_series.id, { onDelete: "cascade" }),
    day: date("day", { mode: "string" }).notNull(),
    state: text("state").$type<"completed" | "failed">().notNull(),
    query_to: moment("query_to").notNull(),
    result: json("result").$type<Record<string, unknown> | null>(),
    error: text("error"),
    completed_at: moment("completed_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.series_id, t.day] })],
);

/** Who looked at an experiment's results, and at how many exposed units each time. */
export const experiment_looks = pgTable(
  "experiment_looks",
  {
    id: serial("id").primaryKey(),
    experiment_id: experiment(),
    user_id: integer("user_id").references(() => users.id, { onDelete: "set null" }),
    at: moment("at").notNull(),
    total: integer("total").notNull(),
    exposures: json("exposures").$type<Record<string, number>>().notNull(),
  },
  (t) => [index("experiment_looks_experiment").on(t.experiment_id, t.id)],
);
