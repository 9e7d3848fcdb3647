import {
  bigint,
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { moment, projects } from "./accounts.ts";

const project_id = () =>
  integer("project_id")
    .notNull()
    .references(() => projects.id, { onDelete: "cascade" });

/**
 * A row for each "survey sent" event, written with the events. Those of one submission are the states of a
 * response: each has the time of the next, the last one is `latest`. Partitioned by `latest` (see the
 * migration), because most questions are about the ends alone. `survey_id` is text and refers to nothing:
 * surveys are deleted for good, their respondents' events stay.
 */
export const survey_responses = pgTable(
  "survey_responses",
  {
    project_id: project_id(),
    survey_id: text("survey_id").notNull(),
    /** Names the submission. */
    key: uuid("key").notNull(),
    uuid: uuid("uuid").notNull(),
    latest: boolean("latest").notNull(),
    timestamp: moment("timestamp").notNull(),
    next_at: moment("next_at"),
    /** When the first state of the submission came. */
    started_at: moment("started_at").notNull(),
    person_id: bigint("person_id", { mode: "number" }).notNull(),
    distinct_id: text("distinct_id").notNull(),
    /** 0: the event names none. */
    iteration: integer("iteration").notNull(),
    completed: boolean("completed").notNull(),
    /** Archived by hand. */
    archived: boolean("archived").notNull(),
    /**
     * Answer codes, one per question in the survey's order; see lib/surveys/results/ingest/answer-codes.ts.
     */
    codes: text("codes").array().notNull(),
    /** Indexes of the questions that were seen, in the order of seeing them. */
    path: smallint("path").array().notNull(),
    /** Non-blank answers by what follows "$survey_response_" in their name; "" where nothing does. */
    answers: jsonb("answers").$type<Record<string, unknown>>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.project_id, t.uuid, t.latest] }),
    index("survey_responses_chain").on(t.project_id, t.survey_id, t.key),
    index("survey_responses_time").on(t.project_id, t.survey_id, t.timestamp),
    index("survey_responses_person").on(t.person_id),
  ],
);

/**
 * Events of a person with a survey on a UTC day; for responses, states at the end of the day. The index of the
 * primary key includes the events (see the migration), so that filtered figures are counted from it alone.
 */
export const survey_person_days = pgTable(
  "survey_person_days",
  {
    project_id: project_id(),
    survey_id: text("survey_id").notNull(),
    person_id: bigint("person_id", { mode: "number" }).notNull(),
    day: date("day").notNull(),
    iteration: integer("iteration").notNull(),
    shown: integer("shown").notNull(),
    /** Before any answer. */
    dismissed: integer("dismissed").notNull(),
    /** Dismissed after some answers. */
    quit: integer("quit").notNull(),
    abandoned: integer("abandoned").notNull(),
    /** Every state of every response. */
    answering: integer("answering").notNull(),
    answered: integer("answered").notNull(),
    completed: integer("completed").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.project_id, t.survey_id, t.person_id, t.day, t.iteration] }),
    index("survey_person_days_person").on(t.person_id),
  ],
);

/**
 * What adds up to a survey's figures. A row counts things that happened on `day` and were superseded on
 * `until` (infinity: never): with the days from A to B those count that have day >= A, day <= B and until >
 * B. People count so too, superseded by their own next day: each once, whatever the days.
 */
export const survey_counts = pgTable(
  "survey_counts",
  {
    project_id: project_id(),
    survey_id: text("survey_id").notNull(),
    kind: text("kind").notNull(),
    item: text("item").notNull(),
    day: date("day").notNull(),
    until: date("until").notNull(),
    n: bigint("n", { mode: "number" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.survey_id, t.kind, t.item, t.day, t.until] })],
);

/**
 * How long completed responses took, in tenths of a second, by intervals of several widths, so that
 * percentiles are found with few rows read; `tenths` is the lower end of an interval. See
 * lib/surveys/results/ingest/durations.ts. Days as in survey_counts.
 */
export const survey_durations = pgTable(
  "survey_durations",
  {
    project_id: project_id(),
    survey_id: text("survey_id").notNull(),
    width: smallint("width").notNull(),
    tenths: bigint("tenths", { mode: "number" }).notNull(),
    day: date("day").notNull(),
    until: date("until").notNull(),
    n: bigint("n", { mode: "number" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.survey_id, t.width, t.tenths, t.day, t.until] })],
);

/** Archived responses, by the uuid of their event. */
export const survey_archived_responses = pgTable(
  "survey_archived_responses",
  {
    project_id: project_id(),
    uuid: uuid("uuid").notNull(),
    survey_id: text("survey_id").notNull(),
    archived_at: moment("archived_at").notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.uuid] })],
);

/** When the first and the last event of a kind came on a UTC day: "shown" and "dismissed". */
export const survey_moments = pgTable(
  "survey_moments",
  {
    project_id: project_id(),
    survey_id: text("survey_id").notNull(),
    kind: text("kind").notNull(),
    day: date("day").notNull(),
    first_at: moment("first_at").notNull(),
    last_at: moment("last_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.survey_id, t.kind, t.day] })],
);

/**
 * Surveys whose people are counted across surveys, each person once: in survey_counts under the empty id. A
 * survey is added or removed in the order of persons, page by page: it counts for persons up to `upto`, or
 * while it is removed, for those after.
 */
export const survey_people_members = pgTable(
  "survey_people_members",
  {
    project_id: project_id(),
    survey_id: text("survey_id").notNull(),
    upto: bigint("upto", { mode: "number" }).notNull(),
    leaving: boolean("leaving").notNull(),
  },
  (t) => [primaryKey({ columns: [t.project_id, t.survey_id] })],
);
