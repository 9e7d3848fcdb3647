import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";
import { record, recordInProjects } from "./service.ts";

const LOG = "/api/projects/1/activity_log/";

let service: Service;
let api: Service["api"];
let grace: { id: number; uuid: string };

beforeAll(async () => {
  service = await startService();
  ({ api } = service);
  const { db } = service;
  const { project } = await addOrganization(db, "away");
  const home = (await api("GET", "/api/organizations/@current/")).json.id;
  grace = await addPerson(db, "grace@home.test", { [home]: 1 });
  service.runtime.directory.drop();
  const act = (day: number, scope: string, activity: string, name: string, user_id: number | null) => ({
    project_id: 1,
    user_id,
    scope,
    item_id: String(day),
    activity,
    name,
    at: new Date(Date.UTC(2026, 0, day, 12)),
  });
  await record(
    db,
    act(1, "FeatureFlag", "created", "checkout", 1),
    act(2, "FeatureFlag", "updated", "checkout", grace.id),
    act(3, "Survey", "created", "NPS of Checkout", grace.id),
    act(4, "Cohort", "created", "paying", null),
    { ...act(5, "FeatureFlag", "created", "elsewhere", 1), project_id: project.id },
  );
});

afterAll(() => service.close());

const days = async (query: string) =>
  (await api("GET", `${LOG}?${query}`)).json.results.map((e: { item_id: string }) => Number(e.item_id));

test.each([
  ["", [4, 3, 2, 1]],
  ["scope=FeatureFlag", [2, 1]],
  ["scopes=FeatureFlag,Survey", [3, 2, 1]],
  ["scopes=Survey, Cohort&scope=FeatureFlag", [4, 3, 2, 1]],
  ["item_id=3", [3]],
  ["item_id=3&scope=Cohort", []],
  ["user=1", [1]],
  ["user=GRACE@home.test", [3, 2]],
  ["user=nobody@home.test", []],
  ["activity=updated", [2]],
  ["search=check", [3, 2, 1]],
  ["search=%25", []],
  ["exclude_name_prefix=check", [4, 3]],
  ["exclude_name_prefix=%25", [4, 3, 2, 1]],
  ["date_from=2026-01-03", [4, 3]],
  ["date_to=2026-01-02", [2, 1]],
  ["date_to=9999-12-31", [4, 3, 2, 1]],
  ["date_from=2026-01-02T12:00:00Z&date_to=2026-01-03T14:00:00%2B01:00", [3, 2]],
  ["date_from=2026-01-02T12:00:00%2B00:00", [4, 3, 2]],
  ["date_from=2026-01-02T12:00:00", [4, 3, 2]],
  ["limit=3", [4, 3, 2]],
  ["limit=3&page=2", [1]],
  ["limit=3&page=9", []],
])("?%s tells of %j", async (query, expected) => {
  expect(await days(query)).toEqual(expected);
});

test("a person is found by UUID too", async () => {
  expect(await days(`user=${grace.uuid}`)).toEqual([3, 2]);
});

test("an entry tells who, what and when", async () => {
  const { json } = await api("GET", `${LOG}?limit=1&page=2`);
  expect(json).toMatchObject({
    total_count: 4,
    next: "http://switchyard.test/api/projects/1/activity_log/?limit=1&page=3",
    previous: "http://switchyard.test/api/projects/1/activity_log/?limit=1&page=1",
  });
  expect(json.results[0]).toMatchObject({
    user: { first_name: "grace", email: "grace@home.test" },
    activity: "created",
    scope: "Survey",
    item_id: "3",
    detail: { changes: [], trigger: null, type: null, name: "NPS of Checkout", short_id: null },
    created_at: "2026-01-03T12:00:00.000000Z",
  });
  const system = (await api("GET", `${LOG}?limit=1`)).json.results[0].user;
  expect(system).toEqual({ first_name: "System", email: null, is_system: true });
});

test("the filters on offer are those with something left", async () => {
  const { json } = await api("GET", `${LOG}available_filters/`);
  expect(json).toMatchObject({
    scopes: ["Cohort", "FeatureFlag", "Survey"],
    activities: ["created", "updated"],
    users: [{ id: 1 }, { id: grace.id, uuid: grace.uuid, email: "grace@home.test" }],
  });
});

test.each([
  ["date_from=yesterday", "date_from"],
  ["date_to=2026-13-01", "date_to"],
  ["date_from=2026-02-30", "date_from"],
  ["date_to=0000-01-01T00:00:00Z", "date_to"],
  ["date_from=9999-12-31T23:59:59-01:00", "date_from"],
  ["limit=0", "limit"],
  ["limit=ten", "limit"],
  ["page=-1", "page"],
])("?%s is refused", async (query, attr) => {
  const reply = await api("GET", `${LOG}?${query}`);
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({ type: "validation_error", attr });
});

test("the log has a scope of its own, and stays within the project", async () => {
  const { value } = await addKey(service.db, 1, { scopes: ["feature_flag:write", "project:write"] });
  const reader = await addKey(service.db, 1, { scopes: ["activity_log:read"] });
  expect((await api("GET", LOG, undefined, { key: value })).status).toBe(403);
  expect((await api("GET", LOG, undefined, { key: reader.value })).status).toBe(200);
  expect((await api("GET", "/api/projects/2/activity_log/")).status).toBe(403);
  expect((await api("GET", "/api/projects/77/activity_log/")).status).toBe(404);
  expect((await api("POST", LOG, {})).status).toBe(405);
});

describe("pages", () => {
  const page = async (query: string) => (await api("GET", `${LOG}?${query}`)).json;
  const link = (query: string) => `http://switchyard.test${LOG}?${query}`;

  test.each<[string, string | null, string | null, number]>([
    ["limit=4", null, null, 4],
    ["limit=2", "limit=2&page=2", null, 4],
    ["limit=2&page=2", null, "limit=2&page=1", 4],
    ["limit=3&page=2", null, "limit=3&page=1", 4],
    ["limit=1&page=3", "limit=1&page=4", "limit=1&page=2", 4],
    ["limit=2&page=9", null, "limit=2&page=8", 4],
    ["limit=1&scope=FeatureFlag", "limit=1&scope=FeatureFlag&page=2", null, 2],
    ["page=&limit=", null, null, 4],
  ])("?%s lead on to %j and back to %j", async (query, next, previous, total_count) => {
    expect(await page(query)).toMatchObject({
      next: next === null ? null : link(next),
      previous: previous === null ? null : link(previous),
      total_count,
    });
  });

  test("have ten entries when no number is given", async () => {
    const { project } = await addOrganization(service.db, "busy");
    service.runtime.directory.drop();
    const many = Array.from({ length: 11 }, (_, n) => entry(project.id, { item_id: String(n) }));
    await record(service.db, ...many);
    const { results, total_count, next } = await read(project.id);
    expect([results.length, total_count]).toEqual([10, 11]);
    expect(next).toContain("page=2");
  });
});

/** An administrator's view of the log of a project in another organization. */
async function read(projectId: number, path = "") {
  const boss = await bossOf(projectId);
  return (await api("GET", `/api/projects/${projectId}/activity_log/${path}`, undefined, { key: boss })).json;
}

async function bossOf(projectId: number): Promise<string> {
  const { projects } = await service.runtime.directory.current();
  const organization = projects.get(projectId)?.organization_id ?? "";
  const user = await addPerson(service.db, `boss-${randomUUID()}@away.test`, { [organization]: 15 });
  const { value } = await addKey(service.db, user.id);
  service.runtime.directory.drop();
  return value;
}

function entry(project_id: number, rest: Partial<Parameters<typeof record>[1]> = {}) {
  return {
    project_id,
    user_id: null,
    scope: "Survey",
    item_id: "1",
    activity: "created",
    name: "s",
    ...rest,
  };
}

describe("what is recorded", () => {
  test("of one action in several projects is in the log of each", async () => {
    const [left, right] = [
      (await addOrganization(service.db, "left")).project,
      (await addOrganization(service.db, "right")).project,
    ];
    service.runtime.directory.drop();
    const changes = [{ type: "Survey", action: "changed" as const, field: "name", before: "a", after: "b" }];
    const { project_id: _, ...act } = entry(0, { changes, name: "shared" });
    await recordInProjects(service.db, [left.id, right.id], act);
    for (const { id } of [left, right])
      expect((await read(id)).results).toMatchObject([{ detail: { name: "shared", changes } }]);
  });

  test("of nothing is nothing", async () => {
    const { project } = await addOrganization(service.db, "idle");
    service.runtime.directory.drop();
    await record(service.db);
    await recordInProjects(service.db, [], entry(0));
    expect(await read(project.id)).toEqual({ results: [], next: null, previous: null, total_count: 0 });
    expect(await read(project.id, "available_filters/")).toEqual({ scopes: [], activities: [], users: [] });
  });

  test("without a time happened now", async () => {
    const { project } = await addOrganization(service.db, "now");
    service.runtime.directory.drop();
    const before = Date.now();
    await record(service.db, entry(project.id));
    const at = Date.parse((await read(project.id)).results[0].created_at);
    expect(Math.abs(at - before)).toBeLessThan(60_000);
  });

  test("of people without a name is shown with an empty one", async () => {
    const { project, organization } = await addOrganization(service.db, "nameless");
    const user = await addPerson(service.db, "@nameless.test", { [organization.id]: 1 });
    service.runtime.directory.drop();
    await record(service.db, entry(project.id, { user_id: user.id }));
    expect((await read(project.id)).results[0].user).toEqual({ first_name: "", email: "@nameless.test" });
  });

  test("at the same moment is listed in the same order on every page", async () => {
    const { project } = await addOrganization(service.db, "at once");
    service.runtime.directory.drop();
    const at = new Date(Date.UTC(2026, 0, 1));
    await record(
      service.db,
      ...Array.from({ length: 6 }, (_, n) => entry(project.id, { at, item_id: String(n) })),
    );
    const { results } = await read(project.id);
    const ids = results.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(ids.toSorted().reverse());
    expect((await read(project.id, "?limit=2&page=2")).results.map(({ id }: { id: string }) => id)).toEqual(
      ids.slice(2, 4),
    );
  });
});

describe("changes to keys", () => {
  let projectId: number;
  let member: { id: number; key: string };
  let other: { id: number };
  let key: string;

  beforeAll(async () => {
    const { project, organization } = await addOrganization(service.db, "keys");
    projectId = project.id;
    other = await addPerson(service.db, "other@keys.test", { [organization.id]: 1 });
    const { id } = await addPerson(service.db, "member@keys.test", { [organization.id]: 1 });
    member = { id, key: (await addKey(service.db, id)).value };
    service.runtime.directory.drop();
    key = await bossOf(projectId);
    const act = (day: number, scope: string, user_id: number, activity: string) =>
      entry(projectId, {
        scope,
        user_id,
        activity,
        item_id: String(day),
        at: new Date(Date.UTC(2026, 1, day)),
      });
    await record(
      service.db,
      act(1, "PersonalAPIKey", id, "created"),
      act(2, "PersonalAPIKey", other.id, "deleted"),
      act(3, "Survey", id, "updated"),
      // Comes first by scope, though not by number.
      act(4, "Annotation", id, "created"),
      act(5, "Survey", other.id, "updated"),
    );
  });

  const items = async (as: string, query = "") => {
    const path = `/api/projects/${projectId}/activity_log/${query}`;
    const { json } = await api("GET", path, undefined, { key: as });
    expect(json.total_count).toBe(json.results.length);
    return json.results.map(({ item_id }: { item_id: string }) => Number(item_id));
  };

  test("by others are shown to administrators only", async () => {
    expect(await items(key)).toEqual([5, 4, 3, 2, 1]);
    expect(await items(member.key)).toEqual([5, 4, 3, 1]);
    expect(await items(member.key, "?scope=PersonalAPIKey")).toEqual([1]);
    expect(await items(member.key, `?user=${other.id}`)).toEqual([5]);
  });

  test("by others are not offered to filter by, and people are in the order of their numbers", async () => {
    const filters = async (as: string) =>
      (await api("GET", `/api/projects/${projectId}/activity_log/available_filters/`, undefined, { key: as }))
        .json;
    const person = (id: number, name: string) => ({
      id,
      uuid: expect.any(String),
      first_name: name,
      last_name: "",
      email: `${name}@keys.test`,
    });
    expect(other.id).toBeLessThan(member.id);
    expect(await filters(key)).toEqual({
      scopes: ["Annotation", "PersonalAPIKey", "Survey"],
      activities: ["created", "deleted", "updated"],
      users: [person(other.id, "other"), person(member.id, "member")],
    });
    expect(await filters(member.key)).toEqual({
      scopes: ["Annotation", "PersonalAPIKey", "Survey"],
      activities: ["created", "updated"],
      users: [person(other.id, "other"), person(member.id, "member")],
    });
  });
});

test.each([
  ["scopes=%20Survey%20,", [3]],
  ["scopes=,", [4, 3, 2, 1]],
  ["scope=&item_id=&user=&activity=&search=&date_from=&date_to=", [4, 3, 2, 1]],
  ["scope=%20Cohort%20", [4]],
  ["scope=Nothing", []],
  ["activity=created&scopes=FeatureFlag,Cohort", [4, 1]],
  ["search=CHECKOUT", [3, 2, 1]],
  ["search=checkout&activity=updated", [2]],
  ["user=0", []],
  ["date_to=2026-01-02T12:00:00Z", [1]],
  ["date_from=2026-01-02&date_to=2026-01-03", [3, 2]],
])("?%s tells of %j as well", async (query, expected) => {
  expect(await days(query)).toEqual(expected);
});

test("entries of the same moment come in the order in which they were written, the newest first", async () => {
  const at = new Date(Date.UTC(2026, 0, 9));
  const names = Array.from({ length: 8 }, (_, place) => String(place));
  for (const name of names)
    await record(service.db, {
      project_id: 1,
      user_id: 1,
      scope: "Holdout",
      item_id: name,
      activity: "created",
      name,
      at,
    });
  expect(await days("scope=Holdout")).toEqual(names.map(Number).toReversed());
});

test("a page is read from the index, without the older entries", async () => {
  const { db } = service;
  await db.execute(sql`
    insert into activity_log (project_id, scope, item_id, activity, detail, created_at)
    select 1, 'Survey', n::text, 'updated', '{"changes":[],"trigger":null,"type":null,"name":null,"short_id":null}', now() - n * interval '1 minute'
    from generate_series(1, 3000) n`);
  await db.execute(sql`analyze activity_log`);
  const pool = (db as unknown as { $client: pg.Pool }).$client;
  const statements = vi.spyOn(pool, "query");
  await api("GET", LOG);
  const calls = statements.mock.calls as unknown as [{ text: string }, unknown[]][];
  const [query, values] = calls.find(([{ text }]) => /order by "activity_log"/.test(text ?? "")) ?? [];
  statements.mockRestore();
  const { rows } = await pool.query(`explain ${query?.text}`, values);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toContain("Index Scan using activity_log_project");
  expect(plan).toContain("Presorted Key: activity_log.created_at");
});
