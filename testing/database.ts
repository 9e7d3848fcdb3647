import { randomBytes } from "node:crypto";
import type pg from "pg";
import { inject } from "vitest";
import { connectTo, type Database } from "#lib/platform/db/connect.ts";
import { withDatabase } from "#lib/platform/db/connection-string.ts";

/** The run's server, as passed to the workers by the setup. */
export type TestServer = {
  /** DATABASE_URL when the run has one; its database is only used to create and drop others. */
  url: string | undefined;
  address: Pick<pg.ClientConfig, "host" | "port" | "user">;
  template: string;
  /** The embedded server's programs, so that suites which start their own need not copy them. */
  runtimeDir: string;
};

/** A database of that name on the run's server. */
export function connectionTo({ url, address }: TestServer, name: string): Database {
  const connection =
    url === undefined ? { ...address, database: name } : { connectionString: withDatabase(url, name) };
  return connectTo({
    kind: url === undefined ? "embedded" : "server",
    description: name,
    connection,
    poolSize: 10,
    // A deadline is for what hangs, not for a machine that has other things to do.
    poolWaitMs: 15_000,
  });
}

const administrative = (server: TestServer) =>
  server.url === undefined
    ? connectionTo(server, "postgres")
    : connectTo({
        kind: "server",
        description: "tests",
        connection: { connectionString: server.url },
        poolSize: 1,
        poolWaitMs: 15_000,
      });

/** A fresh, migrated, empty database of the suite's own; closing it drops it. */
export async function createTestDatabase(): Promise<Database> {
  const server = inject("server");
  const name = `test_${randomBytes(8).toString("hex")}`;
  const root = administrative(server);
  await root.pool.query(`create database ${name} template ${server.template} strategy file_copy`);
  const opened = connectionTo(server, name);
  const close = async () => {
    await opened.close();
    await root.pool.query(`drop database ${name} with (force)`);
    await root.close();
  };
  return { ...opened, close };
}

/** How a program of its own reaches a test's database. */
export function urlOf({ description }: Pick<Database, "description">): string {
  const { url, address } = inject("server");
  const base = url ?? `postgres://${address.user}@localhost/x?host=${address.host}&port=${address.port}`;
  return withDatabase(base, description);
}
