import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";

/** After so many changed rows, the planner's statistics of a table are out of date. */
const MANY_ROWS = 20_000;

/**
 * Analyses tables that were loaded too recently to have statistics: the planner would otherwise
 * guess, and join millions of rows one by one. Tables that this role does not own are passed over by the server.
 */
export async function analyseLoaded(db: Db): Promise<void> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select s.relid::regclass::text as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    left join pg_inherits i on i.inhrelid = s.relid
    where (i.inhparent = 'events'::regclass or s.relid in ('persons'::regclass, 'person_distinct_ids'::regclass,
        'experiment_units'::regclass))
      and s.n_mod_since_analyze > ${MANY_ROWS} and s.n_mod_since_analyze > greatest(c.reltuples, 0) / 2`);
  for (const { name } of rows) await db.execute(sql`analyze ${sql.raw(name)}`);
}
