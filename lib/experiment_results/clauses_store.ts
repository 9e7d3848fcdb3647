import { type SQL, sql } from "drizzle-orm";

/** What queries of events are made of; `e` is the event. */

export const moment = (at: number): SQL => sql`to_timestamp(${at / 1_000}::float8)`;
export const texts = (list: readonly string[]): SQL => sql`${sql.param(list)}::text[]`;

/** The flag that an event tells of, as the index of such events has it. */
export const flagOf: SQL = sql`left(e.properties ->> '$feature_flag', 400)`;

/** The key of the group that an event tells of. */
export const groupOf = (type: string): SQL => sql`(e.properties #>> array['$groups', ${type}::text])`;

/**
 * A moment in whole milliseconds since 1970, those begun: so that what happened before a moment in SQL did so here,
 * too. A float of seconds is off by less than a thousandth of a millisecond.
 */
export const millisecondsOf = (at: SQL): SQL => sql`floor(date_part('epoch', ${at}) * 1000 + 0.0005)`;
