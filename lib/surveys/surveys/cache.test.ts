import { afterAll, beforeAll, expect, it } from "vitest";
import { createRuntime, follow, forget, type Runtime } from "#lib/app/runtime.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import { type Database, type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { createTestDatabase } from "#testing/database.ts";
import { hasSurveys } from "./feed.ts";
import { deleteSurvey, insertSurvey, updateSurvey } from "./store.ts";

const ID = "0199aa10-7c01-7000-9d3e-2b1f00c0ffee";

/** A process that only listens, while the writes below are another's. */
let database: Database;
let listener: Runtime;
beforeAll(async () => {
  database = await createTestDatabase();
  await bootstrap(database.db, {});
  listener = createRuntime(database.db, { encryption_key: Buffer.alloc(32, 7) });
  await follow(listener, database.notifications.subscribe);
});
afterAll(() => database.close());

const write = (change: (tx: Db) => Promise<void>) => inTransaction(database.db, change);

it.each([
  ["created", (tx: Db) => insertSurvey(tx, { id: ID, project_id: 1, name: "One", type: "popover" }), true],
  ["archived", (tx: Db) => updateSurvey(tx, ID, { archived: true }), false],
  ["restored", (tx: Db) => updateSurvey(tx, ID, { archived: false }), true],
  ["deleted", (tx: Db) => deleteSurvey(tx, ID), false],
])("learns of a survey that another process has %s", async (_, change, after) => {
  expect(await hasSurveys(listener, 1)).toBe(!after);
  await write(change);
  await expect.poll(() => hasSurveys(listener, 1), { timeout: 60_000 }).toBe(after);
});

it("costs no query while nothing changes, and one for any number of readers after a change", async () => {
  let queries = 0;
  const counted = new Proxy(database.db, {
    get(target, name) {
      if (name === "select") queries += 1;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const { surveys } = createRuntime(counted, listener.settings);
  queries = 0;
  const readAll = () => Promise.all(Array.from({ length: 50 }, () => surveys.project(1)));
  await readAll();
  await readAll();
  expect(queries).toBe(1);
  surveys.changed(2);
  await readAll();
  expect(queries).toBe(1);
  surveys.changed(1);
  await readAll();
  expect(queries).toBe(2);
});

it("reads again when notifications may have been missed", async () => {
  const deaf = createRuntime(database.db, listener.settings);
  expect(await hasSurveys(deaf, 1)).toBe(false);
  await write((tx) => insertSurvey(tx, { id: ID, project_id: 1, name: "One", type: "popover" }));
  expect(await hasSurveys(deaf, 1)).toBe(false);
  forget(deaf);
  expect(await hasSurveys(deaf, 1)).toBe(true);
});
