import { sql } from "drizzle-orm";
import {
  bigint,
  index,
  integer,
  json,
  pgTable,
  serial,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { moment, projects, transaction } from "./accounts.ts";

/** Microseconds, as text: a Date would lose three digits of what is hashed. */
const exact = (name: string) => timestamp(name, { withTimezone: true, precision: 6, mode: "string" });

/** What the audit log records beside the activity log. It refers to nothing, so that it outlives what it is about. */
export const audit_notes = pgTable(
  "audit_notes",
  {
    id: uuid("id").primaryKey().default(sql`gen_random_uuid()`),
    /** null: the whole installation. */
    project_id: integer("project_id"),
    user_id: integer("user_id"),
    scope: text("scope").notNull(),
    item_id: text("item_id").notNull(),
    activity: text("activity").notNull(),
    detail: json("detail").notNull(),
    created_at: moment("created_at").notNull().default(sql`clock_timestamp()`),
    xid: transaction("xid").default(sql`pg_current_xact_id()`),
  },
  (t) => [index("audit_notes_new").on(t.xid, t.created_at, t.id)],
);

/**
 * The chain: one row for each row of the activity log and of the notes, with a copy of everything but the details, of
 * which it has a salted hash. See docs/decisions/audit-log.md.
 */
export const audit_entries = pgTable(
  "audit_entries",
  {
    /** From 1, without gaps. */
    position: bigint("position", { mode: "number" }).primaryKey(),
    /** The table of the row. */
    source: text("source").notNull(),
    source_id: uuid("source_id").notNull(),
    project_id: integer("project_id"),
    user_id: integer("user_id"),
    scope: text("scope").notNull(),
    item_id: text("item_id").notNull(),
    activity: text("activity").notNull(),
    created_at: exact("created_at").notNull(),
    details: text("details").notNull(),
    /** Of the details as they are now: erasing something from them replaces it. */
    salt: text("salt").notNull(),
    /** Hash of the entry before. */
    previous: text("previous").notNull(),
    hash: text("hash").notNull(),
  },
  (t) => [
    uniqueIndex("audit_entries_source").on(t.source_id),
    index("audit_entries_project").on(t.project_id, t.position.desc()),
    index("audit_entries_scope").on(t.scope, t.activity, t.position),
  ],
);

/** Signed statements of how long the chain is and what its last hash is. */
export const audit_checkpoints = pgTable("audit_checkpoints", {
  position: bigint("position", { mode: "number" }).primaryKey(),
  /** Position of the checkpoint before; 0 for the first. */
  previous: bigint("previous", { mode: "number" }).notNull(),
  hash: text("hash").notNull(),
  signed_at: moment("signed_at").notNull(),
  public_key: text("public_key").notNull(),
  signature: text("signature").notNull(),
  /** Rows of earlier transactions are in the chain; null after a restoration. */
  seen: transaction("seen"),
});

/** Checkpoints that other Switchyards have sent here, to be compared with their logs later. */
export const audit_received = pgTable(
  "audit_received",
  {
    id: serial("id").primaryKey(),
    project_id: integer("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    /** Names the sender's log. */
    chain: text("chain").notNull(),
    position: bigint("position", { mode: "number" }).notNull(),
    previous: bigint("previous", { mode: "number" }).notNull(),
    hash: text("hash").notNull(),
    signed_at: moment("signed_at").notNull(),
    public_key: text("public_key").notNull(),
    signature: text("signature").notNull(),
    received_at: moment("received_at").notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex("audit_received_checkpoint").on(t.project_id, t.chain, t.position, t.hash, t.signature),
    index("audit_received_chain").on(t.project_id, t.chain, t.id),
  ],
);

/** How the parts of the audit log are doing: `file` and `witness` (sending checkpoints), `verification`. */
export const audit_states = pgTable("audit_states", {
  name: text("name").primaryKey(),
  at: moment("at").notNull(),
  /** The last position that was written, sent or verified. */
  position: bigint("position", { mode: "number" }).notNull(),
  /** What is wrong, in one sentence. */
  problem: text("problem"),
  report: json("report"),
});
