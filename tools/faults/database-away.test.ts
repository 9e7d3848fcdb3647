import { afterEach, beforeEach, expect, inject, it } from "vitest";
import type { Database } from "#lib/platform/db/connect.ts";
import { createTestDatabase } from "#testing/database.ts";
import { FAULTS, startWithBrokenServer, startWithoutDatabase, takeDatabaseAway } from "./database-away.ts";

let database: Database;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());

/** The suite's database, as a line to it needs to know it. */
function reach() {
  const { address } = inject("server");
  return {
    target: { host: String(address.host), port: Number(address.port) },
    urlAt: (port: number) => `postgresql://${address.user}@127.0.0.1:${port}/${database.description}`,
  };
}

it("a process that starts without its database serves what the one before it knew, until the database is back", async () => {
  expect(await startWithoutDatabase(reach())).toEqual([]);
});

it("a process whose embedded server cannot be started serves what the one before it knew, until it can", async () => {
  expect(await startWithBrokenServer()).toEqual([]);
});

it.each(FAULTS)(
  "while its database is %s, a process serves, keeps events, and refuses changes",
  async (fault) => {
    // Other tests use the machine at the same time: what waits for the database waits for longer than this.
    const outcome = await takeDatabaseAway({ fault, seconds: 2.5, database, p99_ms: 3_000, ...reach() });
    expect(outcome.problems).toEqual([]);
    expect(outcome.accepted_events).toBeGreaterThan(0);
  },
);
