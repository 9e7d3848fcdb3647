import { desc, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { backups } from "#lib/platform/db/tables/backups.ts";

const TABLES_SHOWN = 8;
const OVERDUE_AFTER = sql`interval '5 minutes'`;

type DatabaseRow = { version: string; bytes: number; schema: string };

export async function selectDatabase(db: Db): Promise<DatabaseRow> {
  const { rows } = await db.execute<DatabaseRow>(sql`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      (select tag from schema_migrations order by idx desc limit 1) as schema`);
  if (!rows[0]) throw new Error("The database does not tell its version.");
  return rows[0];
}

/** The largest tables. Rows are the server's own estimate: counting would read them all. */
export async function selectLargestTables(db: Db) {
  const { rows } = await db.execute<{ name: string; bytes: number; rows: number }>(sql`
    select coalesce(parent.relname, c.relname)::text as name,
      sum(pg_total_relation_size(c.oid))::bigint as bytes, sum(greatest(c.reltuples, 0))::bigint as rows
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid
    left join pg_class parent on parent.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    group by 1 order by 2 desc, 1 limit ${TABLES_SHOWN}`);
  return rows;
}

export async function selectLastBackup(db: Db) {
  const [row] = await db.select().from(backups).orderBy(desc(backups.created_at)).limit(1);
  return row ?? null;
}

export async function selectJobCounts(db: Db) {
  const { rows } = await db.execute<{ running: number; overdue: number; failed: number }>(sql`
    select count(*) filter (where state = 'running')::int as running,
      count(*) filter (where state = 'waiting' and run_at < now() - ${OVERDUE_AFTER})::int as overdue,
      count(*) filter (where state = 'failed')::int as failed
    from jobs`);
  return rows[0] ?? { running: 0, overdue: 0, failed: 0 };
}
