import type { Database } from "#lib/platform/db/connect.ts";

/** Makes a database read-only, or writable again. Connections take that when they are made: all of them are ended. */
export async function setReadOnly(database: Database, on: boolean): Promise<void> {
  const client = await database.connect();
  await client.query("set default_transaction_read_only = off");
  const { rows } = await client.query<{ name: string }>("select current_database() as name");
  await client.query(
    `alter database "${rows[0]?.name}" set default_transaction_read_only = ${on ? "on" : "off"}`,
  );
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await client.end();
}
