import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verify } from "#lib/app/rollups.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { createTestDatabase } from "#testing/database.ts";
import { COMPILED } from "#testing/processes.ts";

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  await bootstrap(database.db, {});
});
afterAll(() => database.close());

/** Starts a process that stores events, kills it in the middle, and returns what it had been told is stored. */
async function killedInTheMiddle(acknowledgements: number): Promise<string[]> {
  const { host, port, user, database: name, connectionString } = database.pool.options;
  const connection = connectionString ? { connectionString } : { host, port, user, database: name };
  const script = new URL("../../../testing/ingest-process.ts", import.meta.url).pathname;
  const args = ["--connection", JSON.stringify(connection), "--project", "1"];
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...COMPILED },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length >= acknowledgements) child.kill("SIGKILL");
  }
  await ended;
  return acknowledged.filter((line) => line.length === 36);
}

it("has every acknowledged event after kill -9, and figures that agree with what is stored", async () => {
  for (const acknowledgements of [1, 300, 1_700]) {
    const acknowledged = await killedInTheMiddle(acknowledgements);
    expect(acknowledged.length).toBeGreaterThanOrEqual(acknowledgements);
    const { rows } = await database.db.execute<{ uuid: string }>(sql`
      select uuid from unnest(${sql.param(acknowledged)}::uuid[]) as wanted(uuid)
      where not exists (select from events e where e.project_id = 1 and e.uuid = wanted.uuid)`);
    expect(rows).toEqual([]);
    expect((await verify(database.db)).filter((finding) => finding.differences !== 0)).toEqual([]);
  }
});
