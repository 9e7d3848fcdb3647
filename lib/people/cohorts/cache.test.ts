import { afterAll, beforeAll, expect, test } from "vitest";
import { addOrganization } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";
import { createCohortCache } from "./cache.ts";
import { insertCohort, updateCohort } from "./store.ts";

let service: Service;
let away: number;

const add = (name: string, project_id = 1) =>
  insertCohort(service.db, { project_id, name, filters: {}, is_static: true });

beforeAll(async () => {
  service = await startService();
  away = (await addOrganization(service.db, "away")).project.id;
});
afterAll(() => service.close());

test("cohorts are read once until they change, each project's by itself", async () => {
  const cache = createCohortCache(service.db);
  const [mine, theirs] = [await add("mine"), await add("theirs", away)];
  const first = await cache.project(1);
  expect(first.byId.get(mine.id)).toMatchObject({ name: "mine", is_static: true });
  expect(first.byId.has(theirs.id)).toBe(false);
  const other = await cache.project(away);
  expect([...other.byId.keys()]).toEqual([theirs.id]);
  const later = await add("later");
  expect(await cache.project(1)).toBe(first);
  cache.changed(1);
  const second = await cache.project(1);
  expect(second.byId.has(later.id)).toBe(true);
  expect(second.revision).toBeGreaterThan(first.revision);
  expect(first.byId.has(later.id)).toBe(false);
  expect(await cache.project(away)).toBe(other);
});

test("a change of a project that nobody has asked for is no matter", async () => {
  const cache = createCohortCache(service.db);
  cache.changed(1);
  cache.drop();
  const made = await add("early");
  expect((await cache.project(1)).byId.has(made.id)).toBe(true);
});

test("deleted cohorts are left out", async () => {
  const cache = createCohortCache(service.db);
  const { id } = await add("short-lived");
  expect((await cache.project(1)).byId.has(id)).toBe(true);
  await updateCohort(service.db, id, { deleted: true });
  cache.changed(1);
  expect((await cache.project(1)).byId.has(id)).toBe(false);
});

test("everything is read again after it was dropped", async () => {
  const cache = createCohortCache(service.db);
  const before = [await cache.project(1), await cache.project(away)];
  const made = [await add("a"), await add("b", away)];
  cache.drop();
  const after = [await cache.project(1), await cache.project(away)];
  after.forEach((cohorts, i) => {
    expect(cohorts).not.toBe(before[i]);
    expect(cohorts.byId.has(made[i]?.id ?? 0)).toBe(true);
  });
});

test("those who ask at once share one reading, and nobody gets what was before a change", async () => {
  const cache = createCohortCache(service.db);
  const [first, same] = await Promise.all([cache.project(1), cache.project(1)]);
  expect(same).toBe(first);
  const { id } = await add("fresh");
  cache.changed(1);
  const asked = await Promise.all([cache.project(1), cache.project(1), cache.project(1)]);
  for (const cohorts of asked) {
    expect(cohorts).toBe(asked[0]);
    expect(cohorts.byId.has(id)).toBe(true);
  }
  expect(asked[0]?.revision).toBe(first.revision + 1);
});

test("a change during a reading is read as well", async () => {
  const cache = createCohortCache(service.db);
  const first = await cache.project(1);
  cache.changed(1);
  const reading = cache.project(1);
  cache.changed(1);
  expect((await reading).revision).toBe(first.revision + 2);
});

test("a reading that fails is reported, and the next one tries again", async () => {
  const cache = createCohortCache(service.db);
  await expect(cache.project(2 ** 40)).rejects.toThrow();
  await expect(cache.project(2 ** 40)).rejects.toThrow();
  expect((await cache.project(1)).byId.size).toBeGreaterThan(0);
});
