import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  doublePrecision,
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
import { snapshot } from "./events.ts";
import { feature_flags } from "./feature_flags.ts";

/** A plan of steps for one flag, and where it is. */
export const ramps = pgTable(
  "ramps",
  {
    id: serial("id").primaryKey(),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    flag_id: integer("flag_id")
      .notNull()
      .references(() => feature_flags.id, { onDelete: "cascade" }),
    /** {steps, guardrails, alpha}; never changed. */
    plan: json("plan").$type<Record<string, unknown>>().notNull(),
    /** The split that the flag had before; {shares, variants}. */
    before: json("before").$type<Record<string, unknown>>().notNull(),
    status: text("status", {
      enum: ["running", "paused", "completed", "rolled_back", "cancelled"],
    }).notNull(),
    /** Index of the step. */
    step: smallint("step").notNull(),
    /** Number of its latest run: the same step runs again after a pause. */
    run: integer("run").notNull(),
    /** Why it is paused, or was rolled back or cancelled; {code, detail, guardrail}. */
    reason: json("reason").$type<Record<string, unknown>>(),
    /** What policies let it run for; see lib/approvals/gate. null: they were not asked. */
    granted: json("granted").$type<unknown>(),
    /** Digest of the flag's targeting as the ramp left it: another one was written by somebody else. */
    written: text("written").notNull(),
    /** What it has cost, computed once when it ended. */
    cost: json("cost").$type<Record<string, unknown>>(),
    created_by_id: integer("created_by_id").references(() => users.id, { onDelete: "set null" }),
    created_at: moment("created_at").notNull().defaultNow(),
    updated_at: moment("updated_at").notNull().defaultNow(),
    ended_at: moment("ended_at"),
  },
  (t) => [
    index("ramps_flag").on(t.flag_id, t.id),
    index("ramps_project").on(t.project_id, t.id),
    uniqueIndex("ramps_unfinished").on(t.flag_id).where(sql`${t.ended_at} is null`),
  ],
);

/**
 * A step from its beginning until the ramp went on, was paused or ended. In its figures is every event that `seen` sees
 * and that happened before `cut_at`.
 */
export const ramp_runs = pgTable(
  "ramp_runs",
  {
    ramp_id: integer("ramp_id")
      .notNull()
      .references(() => ramps.id, { onDelete: "cascade" }),
    run: integer("run").notNull(),
    step: smallint("step").notNull(),
    started_at: moment("started_at").notNull(),
    /** Whether somebody approved its end. */
    approved: boolean("approved").notNull().default(false),
    ended_at: moment("ended_at"),
    /** What ended it. */
    outcome: text("outcome", { enum: ["advanced", "paused", "completed", "rolled_back", "cancelled"] }),
    /** Null: no events were read yet, or none that a restored database knows of. */
    seen: snapshot("seen"),
    cut_at: moment("cut_at").notNull(),
    /** What was seen of people, as the engine takes it. */
    observed: json("observed").$type<Record<string, unknown>>(),
  },
  (t) => [primaryKey({ columns: [t.ramp_id, t.run] })],
);

/**
 * People who were exposed in a run, until the ramp has ended; in run 0 those for whom the flag was called before one of
 * the runs. No foreign key: its checks cost more than the rows.
 */
export const ramp_people = pgTable(
  "ramp_people",
  {
    ramp_id: integer("ramp_id").notNull(),
    run: integer("run").notNull(),
    person_id: bigint("person_id", { mode: "number" }).notNull(),
    /** Null: the ramp does not decide what this person gets, who therefore is not compared. */
    is_treated: boolean("is_treated"),
    /** The condition set whose people this one is compared with. */
    stratum: smallint("stratum").notNull(),
    exposed_at: moment("exposed_at").notNull(),
    /** Value and denominator for each guardrail. */
    cells: doublePrecision("cells").array().notNull().default([]),
  },
  (t) => [
    primaryKey({ columns: [t.ramp_id, t.run, t.person_id] }),
    index("ramp_people_person").on(t.person_id),
  ],
);
