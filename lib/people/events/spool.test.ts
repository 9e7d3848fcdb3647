import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createWriter } from "#lib/app/rollups.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import { type Database, DatabaseUnavailable } from "#lib/platform/db/connect.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { log } from "#lib/platform/log.ts";
import { createTestDatabase } from "#testing/database.ts";
import { eventOf } from "#testing/events.ts";
import { setReadOnly } from "#testing/read-only.ts";
import type { ProjectEvent } from "./ingest-store.ts";
import { createSpool } from "./spool.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "switchyard-spool-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MEGABYTE = 1024 * 1024;
const spoolOf = (max_bytes = MEGABYTE) => createSpool({ folder, max_bytes });
const batch = (...names: string[]): ProjectEvent[] =>
  names.map((name) => ({ project_id: 1, event: eventOf(name, "ann") }));

/** What a spool hands over, until it fails. */
async function replayed(spool = spoolOf(), stores = Number.POSITIVE_INFINITY): Promise<string[]> {
  const names: string[] = [];
  let left = stores;
  await spool
    .replay(async (events) => {
      if (left-- <= 0) throw new DatabaseUnavailable("Away.");
      names.push(...events.map(({ event }) => event.event));
    })
    .catch((error: unknown) => expect(error).toBeInstanceOf(DatabaseUnavailable));
  return names;
}

describe("a spool", () => {
  it("hands over what another process left, in order, once", async () => {
    const spool = spoolOf();
    expect(spool.isEmpty).toBe(true);
    await spool.append(batch("a", "b"));
    await spool.append(batch("c"));
    const next = spoolOf();
    expect(next.isEmpty).toBe(false);
    expect(await replayed(next)).toEqual(["a", "b", "c"]);
    expect(next.isEmpty).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
    // The first process still knows of the files that are gone.
    expect(await replayed(spool)).toEqual([]);
    expect(spool.isEmpty).toBe(true);
  });

  it("removes what a process left that was killed while it wrote, once nobody can be writing it any more", () => {
    const [old, recent] = ["old.events.part", "recent.events.part"].map((name) => join(folder, name));
    for (const path of [old, recent]) writeFileSync(String(path), "half");
    utimesSync(String(old), 1, 1);
    spoolOf();
    expect(readdirSync(folder)).toEqual(["recent.events.part"]);
  });

  it("keeps every value that an event can hold", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (properties) => {
        const event = { ...eventOf("any", "ann", properties), json: JSON.stringify(properties) };
        const spool = spoolOf();
        await spool.append([{ project_id: 7, event }]);
        const found: ProjectEvent[] = [];
        await spoolOf().replay(async (events) => void found.push(...events));
        expect(found).toEqual([{ project_id: 7, event: JSON.parse(JSON.stringify(event)) }]);
      }),
      { numRuns: 30 },
    );
  });

  it("goes on where it was interrupted", async () => {
    const spool = spoolOf();
    for (const name of ["a", "b", "c"]) await spool.append(batch(name));
    expect(await replayed(spool, 1)).toEqual(["a"]);
    expect(await replayed(spoolOf(), 1)).toEqual(["b"]);
    expect(await replayed()).toEqual(["c"]);
  });

  it("refuses what is too much, and takes it again once there is room", async () => {
    const spool = spoolOf(1_500);
    const long = batch("x".repeat(200), "y".repeat(200));
    await spool.append(long);
    await expect(spool.append(long)).rejects.toMatchObject({ status: 503 });
    await expect(spool.append(long)).rejects.toBeInstanceOf(ApiError);
    expect(await replayed(spool)).toHaveLength(2);
    await spool.append(long);
  });

  it("keeps a damaged file aside, and hands over the others", async () => {
    const logged = vi.spyOn(log(), "error").mockImplementation(() => undefined);
    const spool = spoolOf();
    for (const name of ["a", "b", "c"]) await spool.append(batch(name));
    const [first = "", second = ""] = readdirSync(folder).sort();
    truncateSync(join(folder, first), 80);
    writeFileSync(join(folder, second), readFileSync(join(folder, second), "utf8").replace('"ann"', '"bob"'));
    expect(await replayed()).toEqual(["c"]);
    expect(readdirSync(folder).sort()).toEqual([`${first}.damaged`, `${second}.damaged`]);
    expect(logged).toHaveBeenCalledTimes(2);
    logged.mockRestore();
  });

  it("does not take a file for whole that was not written to its end", async () => {
    writeFileSync(join(folder, "01a.events.part"), "half");
    expect(spoolOf().isEmpty).toBe(true);
  });
});

describe("events while the database is away", () => {
  let database: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
    await bootstrap(database.db, {});
  });
  afterAll(() => database.close());

  /** What is stored, and the property that the last event set. */
  const stored = async () => {
    const { rows } = await database.db.execute<{ events: string[]; last: string }>(sql`
      select (select array_agg(event order by event) from events) as events,
        (select properties ->> 'last' from persons) as last`);
    return rows[0];
  };
  const named = (name: string) => eventOf(name, "ann", { $set: { last: name } });
  it("are kept, and stored once each in their order as soon as it is back", async () => {
    const spool = spoolOf();
    const events = createWriter(database.db, { spool });
    await events.write(1, [named("a")]);
    const twice = named("c");
    await setReadOnly(database, true);
    await events.write(1, [named("b"), twice]);
    await events.write(1, [twice, named("d")]);
    expect(await stored()).toEqual({ events: ["a"], last: "a" });
    expect(spool.isEmpty).toBe(false);
    await setReadOnly(database, false);
    await events.write(1, [named("e")]);
    await expect.poll(() => spool.isEmpty, { timeout: 20_000 }).toBe(true);
    expect(await stored()).toEqual({ events: ["a", "b", "c", "d", "e"], last: "e" });
    await events.drain();
  });

  it("are refused without a spool", async () => {
    await setReadOnly(database, true);
    const events = createWriter(database.db);
    await expect(events.write(1, [named("refused")])).rejects.toBeInstanceOf(DatabaseUnavailable);
  });
});
