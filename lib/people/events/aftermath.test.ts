import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createRuntime, follow } from "#lib/app/runtime.ts";
import { addOrganization } from "#testing/accounts.ts";
import { eventOf } from "#testing/events.ts";
import { type Service, startService } from "#testing/service.ts";

/** What happens after the answer, on a busy machine too. */
const soon = (expected: () => Promise<void>) => vi.waitFor(expected, { timeout: 60_000 });

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const call = (at: number, flag = "f") => ({
  ...eventOf("$feature_flag_called", "u", { $feature_flag: flag, $feature_flag_response: true }),
  at,
});

const lastCalled = async () => {
  const { json } = await service.api("GET", "/api/projects/1/feature_flags/");
  return (json.results as { key: string; last_called_at?: string | null }[]).find((flag) => flag.key === "f")
    ?.last_called_at;
};

const stored = async () => {
  const { rows } = await service.db.execute<{ at: number | null }>(
    sql`select (extract(epoch from last_called_at) * 1000)::float8 as at from feature_flags where key = 'f'`,
  );
  return rows[0]?.at ?? null;
};

it("a flag knows when it was last called, to the minute; caches hear of it hourly", async () => {
  const made = await service.api("POST", "/api/projects/1/feature_flags/", {
    key: "f",
    filters: { groups: [{}] },
  });
  expect(made.status).toBe(201);
  const cached = async () =>
    (await service.runtime.flags.project(1)).byId.get(made.json.id)?.last_called_at?.getTime() ?? null;
  expect(await cached()).toBeNull();
  const start = Date.now() - 10 * 3_600_000;
  await service.runtime.events.write(1, [call(start), call(start - 5_000), call(start, "unknown")]);
  await soon(async () => expect(await stored()).toBe(start));
  await soon(async () => expect(await cached()).toBe(start));
  const revision = (await service.runtime.flags.project(1)).revision;
  await service.runtime.events.write(1, [call(start + 59_000)]);
  await service.runtime.events.write(1, [call(start + 60_000)]);
  await soon(async () => expect(await stored()).toBe(start + 60_000));
  expect((await service.runtime.flags.project(1)).revision).toBe(revision);
  await service.runtime.events.write(1, [call(start + 2 * 3_600_000)]);
  await soon(async () => expect(await cached()).toBe(start + 2 * 3_600_000));
  expect(Date.parse((await lastCalled()) ?? "")).toBe(start + 2 * 3_600_000);
});

it("a project knows that it has events", async () => {
  const { project } = await addOrganization(service.db, "quiet");
  service.runtime.directory.drop();
  const knows = async () =>
    (await service.runtime.directory.current()).projects.get(project.id)?.ingested_event;
  expect(await knows()).toBe(false);
  await service.runtime.events.write(project.id, [eventOf("first", "u")]);
  await soon(async () => expect(await knows()).toBe(true));
});

it("other processes learn that a project has events", async () => {
  const { project } = await addOrganization(service.db, "quiet elsewhere");
  const other = createRuntime(service.db, service.runtime.settings);
  await follow(other, service.notifications.subscribe);
  service.runtime.directory.drop();
  const known = async () => (await other.directory.current()).projects.get(project.id)?.ingested_event;
  expect(await known()).toBe(false);
  await service.runtime.events.write(project.id, [eventOf("first", "u")]);
  await soon(async () => expect(await known()).toBe(true));
});

it("definitions name a new type of groups as soon as its first event is stored", async () => {
  const types = async () => (await service.runtime.definitions.project(1)).group_types.mapping;
  expect(await types()).toEqual({ "0": "company" });
  await service.runtime.events.write(1, [eventOf("e", "u", { $groups: { team: "red" } })]);
  expect(await types()).toEqual({ "0": "company", "1": "team" });
});
