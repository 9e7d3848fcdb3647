import { afterEach, beforeEach, expect, inject, it } from "vitest";
import type { Database } from "#lib/platform/db/connect.ts";
import { createTestDatabase } from "#testing/database.ts";
import { FAULTS, takeDatabaseAway } from "./database-away.ts";

let database: Database;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());

it.each(FAULTS)(
  "while its database is %s, a process serves, keeps events, and refuses changes",
  async (fault) => {
    const { address } = inject("server");
    const outcome = await takeDatabaseAway({
      fault,
      seconds: 4,
      database,
      target: { host: String(address.host), port: Number(address.port) },
      urlAt: (port) => `postgresql://${address.user}@127.0.0.1:${port}/${database.description}`,
      // Other tests use the machine at the same time.
      p99_ms: 500,
    });
    expect(outcome.problems).toEqual([]);
    expect(outcome.accepted_events).toBeGreaterThan(10);
  },
);
