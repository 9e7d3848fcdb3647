import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";

/**
 * Descending in the order of an index that is made with `.desc()`, so that a page is read from the index instead of
 * sorting everything: the database uses one only where nulls are at the same end, even if the column has none.
 */
export const descending = (column: AnyPgColumn): SQL => sql`${column} desc nulls last`;
