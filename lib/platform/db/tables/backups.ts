import { bigint, index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "./accounts.ts";

/** Backups taken of this database; not part of a backup, and preserved when one is restored. */
export const backups = pgTable(
  "backups",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    created_at: moment("created_at").notNull().defaultNow(),
    /** File name, without the folder. */
    file: text("file").notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull(),
    rows: bigint("rows", { mode: "number" }).notNull(),
    /** When the whole file had been read back, every checksum compared; null: it was not. */
    verified_at: moment("verified_at"),
  },
  (t) => [index("backups_created_at").on(t.created_at)],
);
