import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { parseConfig } from "#lib/platform/config.ts";
import { type Database, openDatabase } from "#lib/platform/db/connect.ts";
import { migrate } from "#lib/platform/db/migrate.ts";
import { connectionTo, type TestServer } from "./database.ts";

declare module "vitest" {
  interface ProvidedContext {
    server: TestServer;
  }
}

function addressOf({ pool }: Database, url: string | undefined): TestServer["address"] {
  const { host, port, user } = pool.options;
  if (url === undefined) return { host, port, user };
  const { hostname, port: given, username } = new URL(url);
  return { host: hostname, port: Number(given || 5432), user: username };
}

/** One server for the whole run, with a migrated database that every suite's own is copied from. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-test-"));
  const { databaseUrl } = parseConfig(process.env);
  const runtimeDir = join(tmpdir(), `switchyard-test-runtime-${process.getuid?.() ?? 0}`);
  // A test server's data may be lost in a crash.
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    max_connections: "200",
    // Of tables that nobody has analysed, the planner expects more rows than tests have, and to start processes for
    // them takes longer than to read them.
    max_parallel_workers_per_gather: "0",
  };
  const root = await openDatabase({
    databaseUrl,
    dataDir: join(folder, "data"),
    runtimeDir,
    settings,
    poolSize: 2,
  });
  const template = `switchyard_template_${process.pid}`;
  const server: TestServer = {
    url: databaseUrl,
    address: addressOf(root, databaseUrl),
    template,
    runtimeDir,
  };
  await root.pool.query(`create database ${template}`);
  const migrated = connectionTo(server, template);
  await migrate(migrated);
  await migrated.close();
  project.provide("server", server);
  return async () => {
    await root.pool.query(`drop database if exists ${template} with (force)`);
    await root.close();
    rmSync(folder, { recursive: true, force: true });
  };
}
