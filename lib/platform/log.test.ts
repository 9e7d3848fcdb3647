import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "#lib/platform/db/connect.ts";
import { createTestDatabase } from "#testing/database.ts";
import { describeError } from "./log.ts";

const CANARY = "canary@people.example";

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query("create table of_people (id int primary key, mail text unique, age int)");
  await database.pool.query("insert into of_people values (1, $1, 30)", [CANARY]);
});
afterAll(() => database.close());

it.each([
  ["a wrong type", sql`select ${CANARY}::int`, "22P02"],
  ["a second one of the same", sql`insert into of_people values (2, ${CANARY}, 1)`, "23505"],
  ["a table that is missing", sql`select * from nobody where mail = ${CANARY}`, "42P01"],
])("an error of the database about %s is logged without what it was about", async (_, query, code) => {
  const error: unknown = await database.db.execute(query).catch((thrown: unknown) => thrown);
  const described = describeError(new Error("It failed.", { cause: error }));
  expect(described).toMatchObject({ type: "Error", message: "It failed.", cause: { code } });
  expect(JSON.stringify(described)).not.toContain("canary");
  expect(describeError(error)).toMatchObject({
    stack: expect.arrayContaining([expect.stringMatching(/^at /)]),
  });
});

it("anything can be thrown", () => {
  expect(describeError("no error")).toEqual({ message: "no error" });
  expect(describeError(undefined)).toEqual({ message: "undefined" });
  const endless = new Error("endless");
  endless.cause = endless;
  expect(JSON.stringify(describeError(endless)).length).toBeLessThan(20_000);
});
