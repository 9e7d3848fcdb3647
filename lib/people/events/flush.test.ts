import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { createTestDatabase } from "#testing/database.ts";
import { eventOf } from "#testing/events.ts";
import type { Flushed, IngestStep } from "./flush.ts";
import { createEventWriter } from "./writer.ts";

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  await bootstrap(database.db, {});
});
afterAll(() => database.close());

describe("a transaction of the writer", () => {
  it("has nothing to do for no events", async () => {
    expect(await createEventWriter(database.db).write(1, [])).toEqual({ stored: 0, rejected: [] });
  });

  it("says which events are new, and reports each transaction once", async () => {
    const reported: Flushed<{ project_id: number }>[] = [];
    const writer = createEventWriter(database.db, {
      committed: async (flushed) => void reported.push(flushed),
    });
    const [first, second] = [eventOf("e", "u"), eventOf("e", "u")];
    expect(await writer.write(1, [first, first])).toEqual({ stored: 1, rejected: [] });
    expect(await writer.write(1, [first, second])).toEqual({ stored: 1, rejected: [] });
    expect(await writer.write(1, [first, second])).toEqual({ stored: 0, rejected: [] });
    expect(reported.map(({ fresh }) => fresh.length)).toEqual([1, 1, 0]);
  });

  it("puts requests of the same moment into one transaction, each with its own answer", async () => {
    let transactions = 0;
    const step: IngestStep = async () => {
      transactions += 1;
    };
    const writer = createEventWriter(database.db, { steps: [step] });
    const results = await Promise.all([
      writer.write(1, [eventOf("e", "u")]),
      writer.write(1, [eventOf("e", "u"), eventOf("e", "v")]),
    ]);
    expect(results.map(({ stored }) => stored)).toEqual([1, 2]);
    expect(transactions).toBe(1);
  });

  it("stores nothing when a step fails, tells all who wait, and goes on", async () => {
    let fails = true;
    const step: IngestStep = async () => {
      if (fails) throw new Error("The step failed.");
    };
    const writer = createEventWriter(database.db, { steps: [step] });
    const events = [eventOf("failing", "u"), eventOf("failing", "u")];
    const answers = await Promise.allSettled([writer.write(1, events), writer.write(1, events)]);
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect((await database.db.execute(sql`select from events where event = 'failing'`)).rows).toEqual([]);
    fails = false;
    expect((await writer.write(1, events)).stored).toBe(2);
  });

  it("has stored events although what follows the commit fails", async () => {
    const writer = createEventWriter(database.db, {
      committed: () => Promise.reject(new Error("Nobody listens.")),
    });
    expect((await writer.write(1, [eventOf("e", "u")])).stored).toBe(1);
    expect((await writer.write(1, [eventOf("e", "u")])).stored).toBe(1);
  });

  it("hands each step the new events and the persons who became one", async () => {
    const seen: [string[], number][] = [];
    const step: IngestStep = async (_, fresh, merges) =>
      void seen.push([fresh.map(({ event }) => event.event), merges.length]);
    const writer = createEventWriter(database.db, { steps: [step] });
    await writer.write(1, [eventOf("e", "left"), eventOf("e", "right")]);
    await writer.write(1, [eventOf("$create_alias", "left", { alias: "right" })]);
    expect(seen).toEqual([
      [["e", "e"], 0],
      [["$create_alias"], 1],
    ]);
  });
});
