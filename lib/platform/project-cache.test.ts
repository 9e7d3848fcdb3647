import fc from "fast-check";
import { expect, test } from "vitest";
import { DatabaseUnavailable } from "./db/errors.ts";
import { createProjectCache } from "./project-cache.ts";

/** A table of numbers by id, and a cache of it whose reads end when the scheduler says so. */
function tableWithCache(later: <T>(task: Promise<T>) => Promise<T> = (task) => task) {
  const table = new Map<number, number>();
  const reads: (readonly number[] | "all")[] = [];
  const failing = { next: false };
  const cache = createProjectCache<ReadonlyMap<number, number>>("numbers", async (_, _revision, change) => {
    reads.push(change ? [...change.ids] : "all");
    const ids = change ? change.ids : [...table.keys()];
    const found = ids.flatMap((id) => (table.has(id) ? [[id, table.get(id) ?? 0] as const] : []));
    await later(Promise.resolve());
    if (failing.next) {
      failing.next = false;
      throw new Error("The database is away.");
    }
    const value = new Map(change?.previous);
    for (const id of ids) value.delete(id);
    for (const [id, number] of found) value.set(id, number);
    return value;
  });
  return { table, cache, reads, failing };
}

test("a reader gets every change that was reported before it asked, however reads and changes overlap", async () => {
  const change = fc.record({
    id: fc.nat(4),
    value: fc.option(fc.nat(), { nil: null }),
    all: fc.boolean(),
    reads: fc.nat(2),
  });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(change, { maxLength: 12 }), async (scheduler, changes) => {
      const { table, cache } = tableWithCache((task) => scheduler.schedule(task));
      // Versions make "not older than" checkable: a value is the number of the change that wrote it.
      const readers: Promise<void>[] = [];
      for (const [number, { id, value, all, reads }] of changes.entries()) {
        if (value === null) table.delete(id);
        else table.set(id, number);
        cache.changed(1, all ? null : [id]);
        const expected = new Map(table);
        const reader = cache.project(1).then((seen) => {
          for (const [key, least] of expected) {
            if (table.has(key)) expect(seen.get(key) ?? least).toBeGreaterThanOrEqual(least);
          }
        });
        readers.push(reader);
        for (let i = 0; i < reads && scheduler.count() > 0; i += 1) await scheduler.waitOne();
      }
      await scheduler.waitFor(Promise.all(readers));
      expect(await scheduler.waitFor(cache.project(1))).toEqual(table);
    }),
  );
});

test("the latest value is there at once, and is the current one after what was reported has settled", async () => {
  const change = fc.record({ id: fc.nat(4), all: fc.boolean(), reads: fc.nat(2) });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(change, { maxLength: 12 }), async (scheduler, changes) => {
      const { table, cache } = tableWithCache((task) => scheduler.schedule(task));
      await scheduler.waitFor(cache.project(1));
      for (const [number, { id, all, reads }] of changes.entries()) {
        table.set(id, number);
        cache.changed(1, all ? null : [id]);
        // Nothing that is scheduled is let go on: it is answered from what is there.
        for (const [key, seen] of await cache.latest(1)) expect(table.get(key)).toBeGreaterThanOrEqual(seen);
        for (let i = 0; i < reads && scheduler.count() > 0; i += 1) await scheduler.waitOne();
      }
      await scheduler.waitFor(cache.settled(null));
      expect(await cache.latest(1)).toEqual(table);
    }),
  );
});

test("the latest value is waited for where notifications were missed; a read that failed is made again", async () => {
  const { table, cache, failing } = tableWithCache();
  table.set(1, 10);
  expect(await cache.latest(1)).toEqual(table);
  table.set(1, 11);
  cache.drop();
  expect(await cache.latest(1)).toEqual(table);
  table.set(1, 12);
  failing.next = true;
  cache.changed(1, [1]);
  await cache.settled(null);
  expect(failing.next).toBe(false);
  expect(await cache.latest(1)).toEqual(new Map([[1, 11]]));
  await cache.settled(null);
  expect(await cache.latest(1)).toEqual(table);
});

test("readers share a read, and a change costs one read of what changed", async () => {
  const { table, cache, reads } = tableWithCache();
  table.set(1, 10).set(2, 20);
  const [first, same] = await Promise.all([cache.project(1), cache.project(1)]);
  expect(same).toBe(first);
  expect(await cache.project(1)).toBe(first);
  expect(reads).toEqual(["all"]);
  table.set(1, 11).delete(2);
  cache.changed(1, [1]);
  cache.changed(1, [2]);
  expect(await cache.project(1)).toEqual(new Map([[1, 11]]));
  expect([...first]).toEqual([...new Map<number, number>().set(1, 10).set(2, 20)]);
  expect(reads).toEqual(["all", [1, 2]]);
});

test("a change of one project leaves the others' values in place", async () => {
  const { cache, reads } = tableWithCache();
  const other = await cache.project(2);
  cache.changed(1, null);
  cache.changed(3, [7]);
  expect(await cache.project(2)).toBe(other);
  expect(reads).toEqual(["all"]);
});

test("where changes never end, a reader gets the value with the changes before its own call", async () => {
  let stored = 0;
  const cache = createProjectCache("numbers", async () => {
    const value = stored;
    stored += 1;
    // Whatever is read, it has changed again by then.
    if (stored < 1_000) cache.changed(1, [1]);
    return value;
  });
  await cache.project(1);
  const before = stored;
  const seen = await cache.project(1);
  expect(seen).toBeGreaterThanOrEqual(before);
  expect(seen).toBeLessThan(before + 5);
});

test("settled for one project does not wait for the reads of another", async () => {
  const blocked = Promise.withResolvers<void>();
  let isBlocked = false;
  const cache = createProjectCache("numbers", async (projectId) => {
    if (isBlocked && projectId === 1) await blocked.promise;
    return 0;
  });
  await Promise.all([cache.project(1), cache.project(2)]);
  isBlocked = true;
  cache.changed(1, [1]);
  cache.changed(2, [1]);
  await cache.settled(2);
  const all = cache.settled(null).then(() => "all");
  expect(await Promise.race([all, Promise.resolve("waiting")])).toBe("waiting");
  blocked.resolve();
  expect(await all).toBe("all");
});

test("after a drop everything is read again", async () => {
  const { cache, reads } = tableWithCache();
  await cache.project(1);
  cache.drop();
  await cache.project(1);
  expect(reads).toEqual(["all", "all"]);
});

test("a read that fails is reported, and the next one reads everything", async () => {
  const { table, cache, reads, failing } = tableWithCache();
  await cache.project(1);
  table.set(5, 50);
  cache.changed(1, [5]);
  failing.next = true;
  await expect(cache.project(1)).rejects.toThrow("away");
  expect(await cache.project(1)).toEqual(new Map([[5, 50]]));
  expect(reads).toEqual(["all", [5], "all"]);
});

test("while the database is away, the last value goes on serving, and is read again afterwards", async () => {
  let away = false;
  let stored = 1;
  const cache = createProjectCache("numbers", async () => {
    if (away) throw new DatabaseUnavailable("Away.");
    return stored;
  });
  expect(await cache.project(1)).toBe(1);
  stored = 2;
  away = true;
  cache.drop();
  expect(await cache.project(1)).toBe(1);
  await expect(cache.project(2)).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(cache.remembered()).toEqual(new Map([[1, 1]]));
  away = false;
  expect(await cache.project(1)).toBe(2);

  const next = createProjectCache("numbers", async () => {
    if (away) throw new DatabaseUnavailable("Away.");
    return 3;
  });
  away = true;
  next.recall(cache.remembered());
  expect(await next.project(1)).toBe(2);
  away = false;
  expect(await next.project(1)).toBe(3);
});
