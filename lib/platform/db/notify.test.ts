import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase } from "#testing/database.ts";
import { type Database, inTransaction } from "./connect.ts";
import { publish } from "./notify.ts";

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const say = (topic: string, payload: unknown) =>
  inTransaction(database.db, (tx) => publish(tx, topic, payload));

async function eventually(done: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !done(); await delay(5)) {
    if (Date.now() > deadline) throw new Error("Waited too long.");
  }
}

it("delivers what a transaction publishes once it commits, in order, and nothing of one that does not", async () => {
  const heard: unknown[] = [];
  const stop = await database.notifications.subscribe("flags", (payload) => heard.push(payload));
  await say("flags", { project_id: 1 });
  await say("surveys", { project_id: 2 });
  const broken = inTransaction(database.db, async (tx) => {
    await publish(tx, "flags", { project_id: 3 });
    throw new Error("rolled back");
  });
  await expect(broken).rejects.toThrow("rolled back");
  await say("flags", { project_id: 4 });
  await eventually(() => heard.length === 2);
  expect(heard).toEqual([{ project_id: 1 }, { project_id: 4 }]);
  stop();
  const witness: unknown[] = [];
  await database.notifications.subscribe("flags", (payload) => witness.push(payload));
  await say("flags", { project_id: 5 });
  await eventually(() => witness.length === 1);
  expect(heard).toHaveLength(2);
});

it("goes on when one of several subscribers fails", async () => {
  const heard: unknown[] = [];
  await database.notifications.subscribe("failing", () => {
    throw new Error("a subscriber's own fault");
  });
  await database.notifications.subscribe("failing", (payload) => heard.push(payload));
  await say("failing", 1);
  await eventually(() => heard.length === 1);
});

it("reports a gap when its connection breaks, listens again, and reports that nothing is missed from then on", async () => {
  const heard: unknown[] = [];
  let gaps = 0;
  const stop = database.notifications.onGap(() => gaps++);
  await database.notifications.subscribe("after", (payload) => heard.push(payload));
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query in ('listen switchyard', 'select 1') and pid <> pg_backend_pid()",
  );
  await eventually(() => gaps === 2);
  await say("after", "still here");
  await eventually(() => heard.length === 1);
  stop();
});

it("refuses to carry more than a name of what changed", async () => {
  await expect(say("flags", "x".repeat(8_000))).rejects.toThrow(RangeError);
});
