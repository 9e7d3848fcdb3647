import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRuntime, follow } from "#lib/app/runtime.ts";
import { createFindPerson } from "#lib/flags/feature_flags/evaluation/evaluation-store.ts";
import { eventOf } from "#testing/events.ts";
import { type Service, startService } from "#testing/service.ts";
import { createPersonCache, type FindPerson, type KnownPerson } from "./cache.ts";

/** A cache of the persons in `stored`, by distinct id, and how often it has read. */
function cacheOf(stored: Record<string, KnownPerson>) {
  const cache = createPersonCache(async (_project, id) => {
    counted.reads += 1;
    const found = stored[id] ?? null;
    await Promise.resolve();
    return found;
  });
  const counted = { ...cache, reads: 0 };
  return counted;
}

const person = (id: number, plan: string): KnownPerson => ({ id, properties: { plan } });

it("reads a person once, and again when they have changed", async () => {
  const stored = { ann: person(1, "free"), "ann@phone": person(1, "free"), bob: person(2, "free") };
  const cache = cacheOf(stored);
  for (const id of ["ann", "bob", "ann", "bob"])
    expect((await cache.find(1, id))?.properties.plan).toBe("free");
  expect(cache.reads).toBe(2);
  stored.ann = stored["ann@phone"] = person(1, "pro");
  cache.changed({ ids: [1], keys: [] });
  for (const id of ["ann", "ann@phone", "ann"])
    expect((await cache.find(1, id))?.properties.plan).toBe("pro");
  await cache.find(1, "bob");
  expect(cache.reads).toBe(4);
});

it("asks once for somebody unknown, until their distinct id has a person", async () => {
  const stored: Record<string, KnownPerson> = {};
  const cache = cacheOf(stored);
  for (const _ of [1, 2]) expect(await cache.find(1, "ann")).toBeNull();
  expect(cache.reads).toBe(1);
  stored.ann = person(1, "free");
  cache.changed({ ids: [], keys: [{ project_id: 2, distinct_id: "ann" }] });
  expect(await cache.find(1, "ann")).toBeNull();
  cache.changed({ ids: [], keys: [{ project_id: 1, distinct_id: "ann" }] });
  expect(await cache.find(1, "ann")).toEqual(person(1, "free"));
});

it("keeps nothing that was read before a change which was reported meanwhile", async () => {
  const stored = { ann: person(1, "free") };
  const cache = cacheOf(stored);
  const asked = cache.find(1, "ann");
  stored.ann = person(1, "pro");
  cache.changed({ ids: [1], keys: [] });
  await asked;
  expect(await cache.find(1, "ann")).toEqual(person(1, "pro"));
});

it("reads persons with very many properties each time, and forgets all when changes may have been missed", async () => {
  const cache = cacheOf({ ann: person(1, "free"), big: person(2, "x".repeat(100_001)) });
  for (const _ of [1, 2]) await cache.find(1, "big");
  expect(cache.reads).toBe(2);
  await cache.find(1, "ann");
  cache.changed(null);
  await cache.find(1, "ann");
  expect(cache.reads).toBe(4);
});

let service: Service;
let other: ReturnType<typeof createRuntime>;
let stored: FindPerson;
beforeAll(async () => {
  service = await startService();
  other = createRuntime(service.db, service.runtime.settings);
  for (const runtime of [service.runtime, other]) await follow(runtime, service.notifications.subscribe);
  stored = createFindPerson(service.db);
});
afterAll(() => service.close());

/** This process at once, and another one as soon as it has heard of the change, know the persons as they are stored. */
async function expectKnown(ids: readonly string[]) {
  for (const id of ids) expect(await service.runtime.persons.find(1, id), id).toEqual(await stored(1, id));
  await service.notifications.caughtUp();
  for (const id of ids) expect(await other.persons.find(1, id), id).toEqual(await stored(1, id));
}

it("knows persons as they are stored, whatever events arrive in whichever process", async () => {
  const id = fc.constantFrom("a", "b", "c", "d", "e");
  const event = fc.oneof(
    fc.record({ name: fc.constant("viewed"), id, properties: fc.constant({}) }),
    fc.record({
      name: fc.constant("viewed"),
      id,
      properties: fc.record({ $set: fc.record({ plan: fc.constantFrom("free", "pro") }) }),
    }),
    fc.record({ name: fc.constant("$identify"), id, properties: fc.record({ $anon_distinct_id: id }) }),
    fc.record({
      name: fc.constantFrom("$create_alias", "$merge_dangerously"),
      id,
      properties: fc.record({ alias: id }),
    }),
  );
  const batches = fc.array(
    fc.record({ isElsewhere: fc.boolean(), events: fc.array(event, { minLength: 1, maxLength: 5 }) }),
    { minLength: 1, maxLength: 6 },
  );
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(batches, async (all) => {
      runs += 1;
      const own = (value: string) => `${value} of run ${runs}`;
      const ids = ["a", "b", "c", "d", "e"].map(own);
      await expectKnown(ids);
      for (const { isElsewhere, events } of all) {
        const named = events.map(({ name, id: of, properties }) => {
          const entries = Object.entries(properties).map(([key, value]) => [
            key,
            typeof value === "string" ? own(value) : value,
          ]);
          return eventOf(name, own(of), Object.fromEntries(entries));
        });
        await (isElsewhere ? other : service.runtime).events.write(1, named);
        if (isElsewhere) await service.notifications.caughtUp();
        await expectKnown(ids);
      }
    }),
    { numRuns: 25 },
  );
}, 120_000);

it("hears of more changes than a notification can name", async () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => `one of many ${i}`);
  await expectKnown(ids.slice(0, 3));
  await service.runtime.events.write(
    1,
    ids.map((id) => eventOf("viewed", id, { $set: { plan: "free" } })),
  );
  await expectKnown(ids.slice(0, 3));
  expect((await other.persons.find(1, "one of many 0"))?.properties).toEqual({ plan: "free" });
});

it("knows nobody who was erased, and whom a flag gave a person", async () => {
  const flag = await service.api("POST", "/api/projects/1/feature_flags/", {
    key: "continued",
    ensure_experience_continuity: true,
    filters: { groups: [{ rollout_percentage: 50 }] },
  });
  expect(flag.status).toBe(201);
  await expectKnown(["signed up", "browser"]);
  const answer = await service.api(
    "POST",
    "/flags/?v=2",
    { token: service.token, distinct_id: "signed up", $anon_distinct_id: "browser" },
    { key: null },
  );
  expect(answer.status).toBe(200);
  await service.notifications.caughtUp();
  await expectKnown(["signed up", "browser"]);
  expect(await service.runtime.persons.find(1, "browser")).not.toBeNull();
  const { json } = await service.api("GET", "/api/projects/1/persons/?distinct_id=browser");
  const erased = await service.api(
    "DELETE",
    `/api/projects/1/persons/${json.results[0].id}/?delete_events=true`,
  );
  expect(erased.status, erased.text).toBe(202);
  await expectKnown(["signed up", "browser"]);
  expect(await service.runtime.persons.find(1, "browser")).toBeNull();
});
