import { sql } from "drizzle-orm";
import type pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type SdkService, startSdkService } from "#testing/sdk.ts";
import { createFindPerson } from "./evaluation-store.ts";

let service: SdkService;
let pool: pg.Pool;
let plan: (distinctId: string, projectId?: number) => Promise<unknown>;

beforeAll(async () => {
  service = await startSdkService();
  pool = (service.db as unknown as { $client: pg.Pool }).$client;
  await service.storePerson(["ann", "ann@phone"], { plan: "pro" });
  await service.storePerson(["bob"], { plan: "free" });
  const findPerson = createFindPerson(service.db);
  plan = async (distinctId, projectId = 1) =>
    (await findPerson(projectId, distinctId))?.properties.plan ?? null;
});
afterAll(() => service.close());

it("finds each person by any of their ids, within the project", async () => {
  const asked = [plan("ann"), plan("bob"), plan("nobody"), plan("ann@phone"), plan("ann"), plan("ann", 2)];
  expect(await Promise.all(asked)).toEqual(["pro", "free", null, "pro", "pro", null]);
});

it("reads those together who are asked for in one turn of the event loop", async () => {
  const statements = vi.spyOn(pool, "query");
  const asked = [plan("bob"), plan("nobody"), plan("ann"), plan("ann@phone")];
  expect(await Promise.all(asked)).toEqual(["free", null, "pro", "pro"]);
  expect(statements).toHaveBeenCalledTimes(1);
  await plan("bob");
  expect(statements).toHaveBeenCalledTimes(2);
  statements.mockRestore();
});

/** Holds up every statement until it is released. */
function holdStatements() {
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const statements = vi.spyOn(pool, "query");
  statements.mockImplementation((...args: unknown[]) => released.then(() => query(...args)) as never);
  return { statements, release };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it("reads those together who are asked for while others of their project are being read", async () => {
  const { statements, release } = holdStatements();
  const asked: Promise<unknown>[] = [];
  for (const id of ["ann", "bob", "ann@phone", "nobody", "bob"]) {
    asked.push(plan(id));
    await nextTurn();
  }
  expect(statements).toHaveBeenCalledTimes(1);
  release();
  expect(await Promise.all(asked)).toEqual(["pro", "free", "pro", null, "free"]);
  expect(statements).toHaveBeenCalledTimes(2);
  statements.mockRestore();
});

it("lets no project wait for the people of another", async () => {
  const { statements, release } = holdStatements();
  const many = Array.from({ length: 50 }, (_, i) => plan(`person ${i}`));
  await nextTurn();
  expect(statements).toHaveBeenCalledTimes(1);
  const other = plan("ann", 2);
  await nextTurn();
  expect(statements).toHaveBeenCalledTimes(2);
  release();
  expect(await Promise.all([...many, other])).toEqual(Array.from({ length: 51 }, () => null));
  statements.mockRestore();
});

it("tells everybody who waited that the database failed, and asks again", async () => {
  const failing = vi.spyOn(pool, "query").mockRejectedValueOnce(new Error("The connection broke."));
  const outcomes = await Promise.allSettled([plan("ann"), plan("bob")]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await plan("bob")).toBe("free");
  failing.mockRestore();
});

it("looks people up one by one, even where there are so few that reading all of them seems as cheap", async () => {
  await service.db.execute(sql`
    with added as (
      insert into persons (project_id, properties) select 1, '{}' from generate_series(1, 3000) returning id
    )
    insert into person_distinct_ids (project_id, distinct_id, person_id) select 1, 'one of many ' || id, id from added`);
  await service.db.execute(sql`analyze persons, person_distinct_ids`);
  const statements = vi.spyOn(pool, "query");
  expect(await plan("ann")).toBe("pro");
  const [query] = statements.mock.lastCall as unknown as [{ text: string }];
  statements.mockRestore();
  const client = await pool.connect();
  try {
    await client.query("set plan_cache_mode = force_generic_plan; set random_page_cost = 4");
    await client.query(`prepare of_any_number as ${query.text}`);
    const { rows } = await client.query("explain execute of_any_number('{1,1}', '{ann,bob}', 1)");
    const steps = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(steps).toContain("Index Scan using persons_pkey");
    expect(steps).not.toContain("Seq Scan");
  } finally {
    client.release(true);
  }
});
