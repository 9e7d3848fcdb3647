import { DuckDBInstance } from "@duckdb/node-api";

/** What another program makes of an archive: `EVENTS` in the query are those in a folder. */
export async function readWithDuckDb(folder: string, query: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    const files = `read_parquet('${folder}/**/*.parquet', hive_partitioning = true)`;
    return (await connection.runAndReadAll(query.replaceAll("EVENTS", files))).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
