import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createRuntime, type Runtime } from "#lib/app/runtime.ts";
import { createTestDatabase } from "#testing/database.ts";
import { eventually } from "#testing/processes.ts";
import { type AnyJob, backoff, defineJob, nextSlot } from "./define.ts";
import { enqueue, readJobState, readJobStates } from "./queue.ts";
import { type RunnerOptions, startRunner } from "./runner.ts";
import type { JobContext } from "./work.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let runtime: Runtime;
const running: { stop: () => Promise<void> }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  runtime = createRuntime(database.db, { encryption_key: Buffer.alloc(32, 7) });
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((runner) => runner.stop()));
});
afterAll(() => database.close());

let made = 0;
const named = () => `test.${++made}`;
const numbers = z.object({ n: z.number() });

async function run(jobs: AnyJob<Runtime>[], options: Partial<RunnerOptions<Runtime>> = {}) {
  const subscribe: RunnerOptions<Runtime>["subscribe"] = (topic, handler) =>
    database.notifications.subscribe(topic, handler);
  const runner = await startRunner({ runtime, jobs, subscribe, ...options });
  running.push(runner);
  return runner;
}

const ended = (name: string, key = "") =>
  eventually(async () => {
    const state = await readJobState(database.db, name, key);
    return state?.state === "done" || state?.last_error ? state : undefined;
  });

describe("a runner", () => {
  it("runs each job once, however many runners there are", async () => {
    const seen: string[] = [];
    const job = defineJob({ name: named(), payload: numbers, run: async ({ key }) => void seen.push(key) });
    const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);
    await Promise.all(keys.map((key, n) => enqueue(database.db, job, key, { n })));
    await Promise.all([run([job]), run([job]), run([job])]);
    await eventually(
      async () =>
        (await readJobStates(database.db, job.name)).every(({ state }) => state === "done") || undefined,
    );
    expect(seen.toSorted()).toEqual(keys.toSorted());
  });

  it("takes what has been due longest first, and nothing before its time", async () => {
    const seen: number[] = [];
    const job = defineJob({ name: named(), payload: numbers, run: async (c) => void seen.push(c.payload.n) });
    const at = (seconds: number) => ({ runAt: new Date(Date.now() + seconds * 1_000) });
    await enqueue(database.db, job, "later", { n: 9 }, at(3_600));
    await enqueue(database.db, job, "b", { n: 2 }, at(-10));
    await enqueue(database.db, job, "a", { n: 1 }, at(-20));
    await enqueue(database.db, job, "c", { n: 3 });
    await run([job], { concurrency: 1 });
    await ended(job.name, "c");
    expect(seen).toEqual([1, 2, 3]);
    expect(await readJobState(database.db, job.name, "later")).toMatchObject({
      state: "waiting",
      attempts: 0,
    });
  });

  it("hears of a job that commits while it sleeps, and of none that is rolled back", async () => {
    const seen: number[] = [];
    const job = defineJob({ name: named(), payload: numbers, run: async (c) => void seen.push(c.payload.n) });
    await run([job], { pollMs: 600_000 });
    const undone = database.db.transaction(async (tx) => {
      await enqueue(tx, job, "one", { n: 1 });
      throw new Error("no");
    });
    await expect(undone).rejects.toThrow("no");
    await database.db.transaction((tx) => enqueue(tx, job, "two", { n: 2 }));
    await ended(job.name, "two");
    expect(seen).toEqual([2]);
    expect(await readJobState(database.db, job.name, "one")).toBeNull();
  });

  it("runs a key once more when it was requested while it ran, and never twice at once", async () => {
    const seen: number[] = [];
    let inside = 0;
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const work = async ({ payload }: JobContext<{ n: number }>) => {
      expect(++inside).toBe(1);
      seen.push(payload.n);
      begun.resolve();
      await gate.promise;
      inside -= 1;
    };
    const job = defineJob({ name: named(), payload: numbers, run: work });
    await run([job], { concurrency: 3 });
    await enqueue(database.db, job, "k", { n: 1 });
    await begun.promise;
    await enqueue(database.db, job, "k", { n: 2 });
    await enqueue(database.db, job, "k", { n: 3 });
    expect(await readJobState(database.db, job.name, "k")).toMatchObject({ state: "running" });
    gate.resolve();
    await ended(job.name, "k");
    expect(seen).toEqual([1, 3]);
  });
});

describe("what goes wrong", () => {
  it("is recorded with its message, and retried later", async () => {
    const fails = defineJob({
      name: named(),
      payload: numbers,
      run: async () => Promise.reject(new Error("no luck")),
    });
    await enqueue(database.db, fails, "k", { n: 1 });
    await run([fails]);
    const state = await ended(fails.name, "k");
    expect(state).toMatchObject({ state: "waiting", attempts: 1, last_error: "no luck" });
    const delay = (state?.run_at.getTime() ?? 0) - Date.now();
    expect(delay).toBeGreaterThan(20_000);
    expect(delay).toBeLessThanOrEqual(30_000);
  });

  it("with one item leaves the others done", async () => {
    const done: number[] = [];
    const job = defineJob({
      name: named(),
      payload: z.object({ items: z.array(z.number()) }),
      run: (context) =>
        context.each(context.payload.items, String, async (n) => {
          if (n === 2) throw new Error("two is odd");
          done.push(n);
        }),
    });
    await enqueue(database.db, job, "k", { items: [1, 2, 3] });
    await run([job]);
    expect(await ended(job.name, "k")).toMatchObject({
      failures: { 2: "two is odd" },
      last_error: "1 of 3 failed.",
      done: 3,
      total: 3,
    });
    expect(done).toEqual([1, 3]);
  });

  it("with what is stored says so", async () => {
    const job = defineJob({ name: named(), payload: numbers, run: async () => undefined });
    const other = defineJob({ name: job.name, payload: z.string(), run: async () => undefined });
    await enqueue(database.db, other, "k", "text");
    await run([job]);
    expect((await ended(job.name, "k"))?.last_error).toMatch(/expected object/);
  });

  it("does not show what a query was about", async () => {
    const name = named();
    const again = defineJob({ name, payload: numbers, run: async () => undefined });
    const job = defineJob({
      name,
      payload: numbers,
      run: ({ db }) => enqueue(db, again, "secret\0", { n: 1 }),
    });
    await enqueue(database.db, job, "k", { n: 1 });
    await run([job]);
    expect((await ended(job.name, "k"))?.last_error).not.toMatch(/secret/);
  });
});

describe("schedules", () => {
  it("run at once when new, then at the next slot, once over all runners", async () => {
    let times = 0;
    const job = defineJob({
      name: named(),
      every: 86_400_000,
      offset: 3_600_000,
      run: async () => void times++,
    });
    await Promise.all([run([job]), run([job])]);
    const state = await eventually(async () => {
      const now = await readJobState(database.db, job.name);
      return now?.finished_at ? now : undefined;
    });
    expect(state).toMatchObject({ state: "waiting", attempts: 0 });
    expect(state?.run_at).toEqual(nextSlot(job as { every: number; offset: number }, new Date()));
    expect(times).toBe(1);
  });

  it.each([
    [60_000, 0, "2026-01-01T00:00:30Z", "2026-01-01T00:01:00.000Z"],
    [60_000, 0, "2026-01-01T00:01:00Z", "2026-01-01T00:02:00.000Z"],
    [86_400_000, 7_200_000, "2026-01-01T01:59:59Z", "2026-01-01T02:00:00.000Z"],
    [86_400_000, 7_200_000, "2026-01-01T02:00:00Z", "2026-01-02T02:00:00.000Z"],
  ])("every %i ms after %i: after %s comes %s", (every, offset, now, next) => {
    expect(nextSlot({ every, offset }, new Date(now)).toISOString()).toBe(next);
  });

  it.each([
    [1, 30_000],
    [2, 60_000],
    [7, 1_920_000],
    [8, 3_600_000],
    [1_000, 3_600_000],
  ])("after %i failed tries the next one waits %i ms", (attempts, delay) => {
    expect(backoff(attempts)).toBe(delay);
  });
});

describe("a process that ends", () => {
  it("gives its job back when it stops in order", async () => {
    const begun = Promise.withResolvers<void>();
    const job = defineJob({
      name: named(),
      payload: numbers,
      run: async ({ signal }) => {
        begun.resolve();
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    await enqueue(database.db, job, "k", { n: 1 });
    const runner = await run([job]);
    await begun.promise;
    await runner.stop();
    expect(await readJobState(database.db, job.name, "k")).toMatchObject({
      state: "waiting",
      attempts: 0,
      last_error: null,
    });
  });

  it("loses its job to another when it was killed", async () => {
    const { host, port, user, connectionString } = database.pool.options;
    const connection = connectionString
      ? { connectionString }
      : { host, port, user, database: database.description };
    const program = fileURLToPath(new URL("hang.fixture.ts", import.meta.url));
    const child = spawn(process.execPath, [program, JSON.stringify(connection)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const seen: number[] = [];
    const job = defineJob({
      name: "test.hang",
      payload: numbers,
      run: async ({ payload }) => void seen.push(payload.n),
    });
    await enqueue(database.db, job, "k", { n: 7 });
    try {
      await once(child.stdout, "data");
      expect(await readJobState(database.db, job.name, "k")).toMatchObject({ state: "running", attempts: 1 });
    } finally {
      child.kill("SIGKILL");
      await once(child, "close");
    }
    await run([job], { leaseMs: 500 });
    expect(await ended(job.name, "k")).toMatchObject({ state: "done" });
    expect(seen).toEqual([7]);
  });
});
