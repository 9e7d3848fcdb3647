import { type SQL, sql } from "drizzle-orm";

/** Parts of event queries; `e` is the event. */

export const moment = (at: number): SQL => sql`to_timestamp(${at / 1_000}::float8)`;
export const texts = (list: readonly string[]): SQL => sql`${sql.param(list)}::text[]`;

/** The flag that an event names, as in the index of such events. */
export const flagOf: SQL = sql`left(e.properties ->> '$feature_flag', 400)`;

/** The key of the group that an event names. */
export const groupOf = (type: string): SQL => sql`(e.properties #>> array['$groups', ${type}::text])`;

/**
 * A moment in whole milliseconds since 1970, those begun: so that what happened before a moment in SQL did so here,
 * too. A float of seconds is off by less than a thousandth of a millisecond.
 */
export const millisecondsOf = (at: SQL): SQL => sql`floor(date_part('epoch', ${at}) * 1000 + 0.0005)`;
