import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { events } from "#lib/platform/db/tables/events.ts";
import { feature_flag_calls_daily } from "#lib/platform/db/tables/feature_flags.ts";
import { addKey, addOrganization } from "#testing/accounts.ts";
import { clearOfMidnight } from "#testing/clock.ts";
import { type Service, startService } from "#testing/service.ts";
import { selectFlagEvents } from "./figures-store.ts";
import { createUsageDashboard, enrichUsageDashboard, renameFlagInDashboards } from "./service.ts";

await clearOfMidnight();

const DASHBOARDS = "/api/projects/1/dashboards/";
const DAY_MS = 86_400_000;

let service: Service;
let api: Service["api"];
let awayProject: number;

const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const make = (key: string, project_id = 1) =>
  createUsageDashboard(service.db, { project_id, feature_flag_key: key, created_by_id: 1 });

type Tile = {
  query: { kind: string };
  result: { days: string[]; series: { label: string; count: number; data: number[] }[] };
};
const tileOf = (tiles: Tile[], kind: string) => tiles.find((tile) => tile.query.kind === kind)?.result;

async function addCalls(key: string, response: string, day: string, calls: number, project_id = 1) {
  await service.db
    .insert(feature_flag_calls_daily)
    .values({ project_id, feature_flag_key: key, response, day, calls, last_called_at: new Date() });
}

async function addEvent(event: string, flag: string, daysAgo: number, project_id = 1) {
  const timestamp = new Date(Date.now() - daysAgo * DAY_MS);
  const uuid = crypto.randomUUID();
  const properties = { feature_flag: flag };
  await service.db
    .insert(events)
    .values({ project_id, uuid, event, distinct_id: "p", timestamp, properties });
}

beforeAll(async () => {
  service = await startService();
  ({ api } = service);
  awayProject = (await addOrganization(service.db, "away")).project.id;
  service.runtime.directory.drop();
});

afterAll(() => service.close());

test("a usage dashboard shows calls by day and by value, of its own flag and project only", async () => {
  const id = await make("checkout");
  await addCalls("checkout", "true", dayBefore(0), 7);
  await addCalls("checkout", "true", dayBefore(29), 2);
  await addCalls("checkout", "true", dayBefore(30), 1_000);
  await addCalls("checkout", "false", dayBefore(0), 3);
  await addCalls("other", "true", dayBefore(0), 500);
  await addCalls("checkout", "true", dayBefore(1), 500, awayProject);
  const reply = await api("GET", `${DASHBOARDS}${id}/`);
  expect(reply.status).toBe(200);
  expect(reply.json).toMatchObject({
    id,
    name: "Generated Dashboard: checkout Usage",
    creation_mode: "template",
    deleted: false,
    created_by: { id: 1 },
  });
  expect(reply.json.tiles.map((tile: { name: string }) => tile.name)).toEqual([
    "Feature Flag Called Total Volume",
    "Feature Flag calls made by value",
  ]);
  const total = tileOf(reply.json.tiles, "FlagCalls");
  expect(total?.days).toHaveLength(30);
  expect(total?.series).toEqual([{ label: "total", count: 12, data: [2, ...Array(28).fill(0), 10] }]);
  expect(tileOf(reply.json.tiles, "FlagCallsByValue")?.series.map((s) => [s.label, s.count])).toEqual([
    ["true", 9],
    ["false", 3],
  ]);
});

test("an enriched dashboard counts views and interactions from events", async () => {
  const id = await make("banner");
  await enrichUsageDashboard(service.db, id, "banner");
  await addEvent("$feature_view", "banner", 0);
  await addEvent("Feature Viewed", "banner", 2);
  await addEvent("$feature_view", "banner", 31);
  await addEvent("$feature_view", "other", 0);
  await addEvent("$feature_view", "banner", 0, awayProject);
  await addEvent("$feature_interaction", "banner", 0);
  await addEvent("$pageview", "banner", 0);
  const { tiles } = (await api("GET", `${DASHBOARDS}${id}/`)).json;
  expect(tiles).toHaveLength(4);
  expect(tileOf(tiles, "FlagViews")?.series[0]?.count).toBe(2);
  expect(tileOf(tiles, "FlagInteractions")?.series[0]?.count).toBe(1);
});

test("views are found by their index", async () => {
  const query = selectFlagEvents(service.db, 1, ["$feature_view"], "banner", dayBefore(29), dayBefore(0));
  const plan = await service.db.transaction(async (tx) => {
    await tx.execute(sql`set local enable_seqscan = off`);
    return tx.execute(sql`explain (costs off) ${query}`);
  });
  expect(JSON.stringify(plan.rows)).toMatch(/Index Cond: .*?feature_flag.*?'banner'/);
});

test("a dashboard follows its flag's new key", async () => {
  const id = await make("old-key");
  await addCalls("new-key", "true", dayBefore(0), 4);
  await renameFlagInDashboards(service.db, 1, "old-key", "new-key");
  const { json } = await api("GET", `${DASHBOARDS}${id}/`);
  expect(json.name).toBe("Generated Dashboard: new-key Usage");
  expect(tileOf(json.tiles, "FlagCalls")?.series[0]?.count).toBe(4);
});

test("dashboards are renamed, deleted and restored; the list shows live ones of the project", async () => {
  const id = await make("listed");
  const foreign = await make("foreign", awayProject);
  const path = `${DASHBOARDS}${id}/`;
  expect((await api("PATCH", path, { name: "Mine", description: "" })).json).toMatchObject({ name: "Mine" });
  const ids = async () => (await api("GET", DASHBOARDS)).json.results.map((d: { id: number }) => d.id);
  expect(await ids()).toContain(id);
  expect(await ids()).not.toContain(foreign);
  expect((await api("PATCH", path, { deleted: true })).json.deleted).toBe(true);
  expect(await ids()).not.toContain(id);
  await api("PATCH", path, { deleted: false });
  const page = await api("GET", `${DASHBOARDS}?limit=1`);
  expect(page.json.results).toMatchObject([{ id }]);
  expect(page.json.results[0]).not.toHaveProperty("tiles");
  const log = (await api("GET", `/api/projects/1/activity_log/?scope=Dashboard&item_id=${id}`)).json.results;
  expect(log.map((e: { activity: string }) => e.activity)).toEqual(["restored", "deleted", "updated"]);
});

test("refusals: scope, other projects' dashboards, unknown ids, wrong types", async () => {
  const id = await make("refused");
  const foreign = await make("refused", awayProject);
  const { value } = await addKey(service.db, 1, { scopes: ["dashboard:read"] });
  expect((await api("GET", `${DASHBOARDS}${id}/`, undefined, { key: value })).status).toBe(200);
  expect((await api("PATCH", `${DASHBOARDS}${id}/`, {}, { key: value })).status).toBe(403);
  for (const unknown of [foreign, 999_999, "x"]) {
    expect((await api("GET", `${DASHBOARDS}${unknown}/`)).status).toBe(404);
    expect((await api("PATCH", `${DASHBOARDS}${unknown}/`, { name: "x" })).status).toBe(404);
  }
  for (const [given, attr] of [
    [{ name: "" }, "name"],
    [{ name: 1 }, "name"],
    [{ deleted: "yes" }, "deleted"],
    [{ description: null }, "description"],
  ] as const)
    expect((await api("PATCH", `${DASHBOARDS}${id}/`, given)).json).toMatchObject({ attr });
});
