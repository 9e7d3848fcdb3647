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

const SLOW_MS = 100;
const STATEMENTS_SHOWN = 10;
const STATEMENT_SHOWN = 2_000;

type Statement = { statement: string; calls: number; mean_ms: number; max_ms: number };

/**
 * The slow statements of this application on this database.
 *
 * @returns null where the server does not collect them: the library is not loaded, or not an extension of the database
 */
export async function selectSlowStatements(db: Db): Promise<Statement[] | null> {
  const { rows: found } = await db.execute<{ schema: string | null }>(sql`
    select (select n.nspname::text from pg_extension e join pg_namespace n on n.oid = e.extnamespace
      where e.extname = 'pg_stat_statements' and current_setting('pg_stat_statements.max', true) is not null) as schema`);
  const schema = found[0]?.schema;
  if (!schema) return null;
  const { rows } = await db.execute<Statement>(sql`
    select left(regexp_replace(query, '\\s+', ' ', 'g'), ${STATEMENT_SHOWN}) as statement, calls,
      round(mean_exec_time::numeric, 1)::float8 as mean_ms, round(max_exec_time::numeric, 1)::float8 as max_ms
    from ${sql.identifier(schema)}.pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database())
      and userid = (select oid from pg_roles where rolname = current_user)
      and max_exec_time > ${SLOW_MS} and query ~* '^\\s*(select|insert|update|delete|with)\\M'
    order by total_exec_time desc limit ${STATEMENTS_SHOWN}`);
  return rows;
}

export async function selectJobCounts(db: Db) {
  const { rows } = await db.execute<{ running: number; overdue: number; failed: number }>(sql`
    select count(*) filter (where state = 'running')::int as running,
      count(*) filter (where state = 'waiting' and run_at < now() - ${OVERDUE_AFTER})::int as overdue,
      count(*) filter (where state = 'failed')::int as failed
    from jobs`);
  return rows[0] ?? { running: 0, overdue: 0, failed: 0 };
}
