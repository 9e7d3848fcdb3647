import { afterAll, beforeAll, expect, test } from "vitest";
import { addKey, addOrganization, addPerson } from "#lib/testing/accounts.ts";
import { type Service, startService } from "#lib/testing/service.ts";
import { record } from "./service.ts";

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
  ["date_from=2026-01-03", [4, 3]],
  ["date_to=2026-01-02", [2, 1]],
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
