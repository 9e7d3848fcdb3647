import { sql } from "drizzle-orm";
import { boolean, index, integer, json, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "./accounts.ts";

/** Work that outlives requests and restarts: a row for each name and key, so that no key is worked on twice at once. */
export const jobs = pgTable(
  "jobs",
  {
    name: text("name").notNull(),
    key: text("key").notNull(),
    payload: json("payload").$type<unknown>(),
    /** "waiting" for run_at, "running", "done", or "failed" for good. */
    state: text("state").$type<"waiting" | "running" | "done" | "failed">().notNull().default("waiting"),
    run_at: moment("run_at").notNull(),
    /** Tries since it last succeeded, the present one included. */
    attempts: integer("attempts").notNull().default(0),
    /** Whose work it is while it runs, and until when unless renewed: a process that dies stops renewing. */
    lease_id: uuid("lease_id"),
    lease_until: moment("lease_until"),
    /** Asked for again while it ran: it runs once more afterwards. */
    again: boolean("again").notNull().default(false),
    done: integer("done").notNull().default(0),
    total: integer("total").notNull().default(0),
    /** What went wrong with single items of the last run, by the item's key. */
    failures: json("failures").$type<Record<string, string>>().notNull().default({}),
    last_error: text("last_error"),
    created_at: moment("created_at").notNull().defaultNow(),
    started_at: moment("started_at"),
    finished_at: moment("finished_at"),
  },
  (t) => [
    primaryKey({ columns: [t.name, t.key] }),
    index("jobs_due").on(t.run_at).where(sql`${t.state} in ('waiting', 'running')`),
  ],
);
