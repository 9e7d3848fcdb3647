import { sql } from "drizzle-orm";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { FLAGS_TOPIC } from "./cache.ts";

let service: Service;
const root = "/api/projects/1/feature_flags";

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

let made = 0;
async function flag(body: object = {}) {
  made += 1;
  const reply = await service.api("POST", `${root}/`, { key: `flag-${made}`, ...body });
  expect(reply.status, reply.text).toBe(201);
  return reply.json;
}

describe("create", () => {
  it("with only a key makes a flag for everyone", async () => {
    const record = await flag();
    expect(record).toMatchObject({
      name: "",
      active: true,
      deleted: false,
      version: 1,
      filters: { groups: [{ properties: [], rollout_percentage: null }] },
      is_simple_flag: true,
      rollout_percentage: null,
      experiment_set: [],
      surveys: [],
      features: [],
      tags: [],
      evaluation_tags: [],
      evaluation_runtime: "all",
      status: "ACTIVE",
      can_edit: true,
      user_access_level: "manager",
      created_by: { email: "admin@localhost.local" },
      last_modified_by: { email: "admin@localhost.local" },
    });
    expect(record.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(record.usage_dashboard).toEqual(expect.any(Number));
    for (const unseen of [
      "creation_context",
      "_create_in_folder",
      "_should_create_usage_dashboard",
      "project_id",
    ])
      expect(record).not.toHaveProperty(unseen);
  });

  it("keeps unknown members of filters and their order", async () => {
    const filters = {
      z: 1,
      groups: [{ sort_key: "a1", rollout_percentage: 40, properties: [] }],
      early_exit: true,
    };
    const record = await flag({ filters });
    expect(JSON.stringify(record.filters)).toBe(JSON.stringify(filters));
    expect(record).toMatchObject({ is_simple_flag: true, rollout_percentage: 40 });
  });

  it("ignores what is not the caller's to set", async () => {
    const record = await flag({
      id: 99_999,
      version: 41,
      created_by: null,
      can_edit: false,
      description: "x",
    });
    expect(record).toMatchObject({ version: 1, can_edit: true, created_by: { first_name: "Admin" } });
    expect(record.id).not.toBe(99_999);
  });

  it("without a usage dashboard on request", async () => {
    expect((await flag({ _should_create_usage_dashboard: false })).usage_dashboard).toBeNull();
  });

  it("stores payload objects as JSON text", async () => {
    const record = await flag({ filters: { groups: [{}], payloads: { true: { limit: 5 } } } });
    expect(record.filters.payloads).toEqual({ true: '{"limit":5}' });
  });

  it("trims keys and lower-cases tags", async () => {
    const record = await flag({ key: "  trimmed-key ", tags: ["Beta", "beta ", " EU"] });
    expect(record.key).toBe("trimmed-key");
    expect([...record.tags].sort()).toEqual(["beta", "eu"]);
  });

  it.each([
    ["no key", {}, "required", "key"],
    ["a null key", { key: null }, "null", "key"],
    ["a blank key", { key: "  " }, "blank", "key"],
    ["a key of 401 letters", { key: "k".repeat(401) }, "max_length", "key"],
    ["a key with a space", { key: "a b" }, "invalid_key", "key"],
    ["a key that is a number", { key: 5 }, "invalid_input", "key"],
    ["a null name", { key: "x1", name: null }, "null", "name"],
    ["filters as a list", { key: "x1", filters: [] }, "not_a_dict", "filters"],
    ["filters as text", { key: "x1", filters: "{}" }, "not_a_dict", "filters"],
    ["no condition sets", { key: "x1", filters: { groups: [] } }, "invalid_input", "filters"],
    ["active as text", { key: "x1", active: "yes" }, "invalid_input", "active"],
    ["an unknown runtime", { key: "x1", evaluation_runtime: "both" }, "invalid_choice", "evaluation_runtime"],
    ["an unknown context", { key: "x1", creation_context: "x" }, "invalid_choice", "creation_context"],
    ["tags that are no list", { key: "x1", tags: null }, "null", "tags"],
    [
      "an unknown dashboard",
      { key: "x1", analytics_dashboards: [404] },
      "does_not_exist",
      "analytics_dashboards",
    ],
    [
      "a dashboard beyond all ids",
      { key: "x1", analytics_dashboards: [2 ** 31] },
      "does_not_exist",
      "analytics_dashboards",
    ],
    ["foreign evaluation tags", { key: "x1", tags: ["a"], evaluation_tags: ["b"] }, "invalid_input", null],
    ["a bad date", { key: "x1", created_at: "yesterday" }, "invalid_input", "created_at"],
  ])("refuses %s", async (_, body, code, attr) => {
    const reply = await service.api("POST", `${root}/`, body);
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toMatchObject({ type: "validation_error", code, attr });
  });

  it("names the first bad field in the documented order", async () => {
    const reply = await service.api("POST", `${root}/`, { key: "a b", filters: 3, tags: 3, name: 3 });
    expect(reply.json.attr).toBe("tags");
  });

  it("refuses a key that is taken, and says where in filters it went wrong", async () => {
    const { key } = await flag();
    const taken = await service.api("POST", `${root}/`, { key });
    expect(taken.json).toMatchObject({ code: "unique", attr: "key" });
    const filters = { groups: [{}, { rollout_percentage: 200 }] };
    const reply = await service.api("POST", `${root}/`, { key: "x2", filters });
    expect(reply.json).toMatchObject({
      attr: "filters",
      extra: { path: ["groups", 1, "rollout_percentage"] },
    });
  });

  it.each([{ filters: { groups: [] } }, { analytics_dashboards: [404] }, { evaluation_tags: ["foreign"] }])(
    "tells of a taken key before %j",
    async (later) => {
      const [{ key }, { id }] = [await flag(), await flag()];
      for (const [method, path] of [
        ["POST", ""],
        ["PATCH", `${id}/`],
      ] as const) {
        const { json } = await service.api(method, `${root}/${path}`, { key, ...later });
        expect(json).toMatchObject({ code: "unique", attr: "key" });
      }
    },
  );

  it("gives a deleted flag's key to a new one and keeps the old flag", async () => {
    const old = await flag();
    await service.api("PATCH", `${root}/${old.id}/`, { deleted: true });
    const fresh = await service.api("POST", `${root}/`, { key: old.key });
    expect(fresh.status).toBe(201);
    expect(fresh.json.id).not.toBe(old.id);
    const kept = await service.api("GET", `${root}/${old.id}/`);
    expect(kept.json).toMatchObject({
      deleted: true,
      status: "DELETED",
      key: `${old.key}:deleted:${old.id}`,
    });
  });

  it("answers one of fifty racing creators of a key, and refuses the others", async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => service.api("POST", `${root}/`, { key: "raced" })),
    );
    expect(replies.filter((r) => r.status === 201)).toHaveLength(1);
    expect(replies.filter((r) => r.json.code === "unique")).toHaveLength(49);
  });
});

describe("update", () => {
  it("replaces filters as a whole, and only when they have condition sets", async () => {
    const { id } = await flag({ filters: { groups: [{ rollout_percentage: 10 }], payloads: { true: "1" } } });
    const kept = await service.api("PATCH", `${root}/${id}/`, { filters: { payloads: {} } });
    expect(kept.json).toMatchObject({
      version: 2,
      filters: { groups: [{ rollout_percentage: 10 }], payloads: { true: "1" } },
    });
    const replaced = await service.api("PATCH", `${root}/${id}/`, {
      filters: { groups: [{ rollout_percentage: 20 }] },
    });
    expect(replaced.json.filters).toEqual({ groups: [{ rollout_percentage: 20 }] });
  });

  it("raises the version even when nothing changes", async () => {
    const { id } = await flag();
    expect((await service.api("PATCH", `${root}/${id}/`, {})).json.version).toBe(2);
  });

  it("works by PUT, which needs the key", async () => {
    const { id, key } = await flag();
    expect((await service.api("PUT", `${root}/${id}/`, { name: "n" })).json).toMatchObject({
      code: "required",
      attr: "key",
    });
    expect((await service.api("PUT", `${root}/${id}/`, { key, name: "n" })).json).toMatchObject({
      name: "n",
      version: 2,
    });
  });

  it("tells two editors of one field apart, and lets editors of different fields be", async () => {
    const original = await flag({ name: "first" });
    const path = `${root}/${original.id}/`;
    await service.api("PATCH", path, { name: "second", version: 1, original_flag: original });
    const clash = await service.api("PATCH", path, { name: "third", version: 1, original_flag: original });
    expect(clash.status).toBe(409);
    expect(clash.json).toMatchObject({ type: "server_error", code: "conflict" });
    expect(clash.json.detail).toContain("admin@localhost.local");
    const other = await service.api("PATCH", path, { active: false, version: 1, original_flag: original });
    expect(other.json).toMatchObject({ active: false, name: "second", version: 3 });
    const unguarded = await service.api("PATCH", path, { name: "fourth", version: 1 });
    expect(unguarded.json).toMatchObject({ name: "fourth", version: 4 });
  });

  it("leaves another project's flag as it is", async () => {
    const { id } = await flag({ name: "ours" });
    const other = await service.api("POST", "/api/projects/", { name: "Other" });
    const path = `/api/projects/${other.json.id}/feature_flags/${id}/`;
    const rows = () => service.db.execute(sql`select * from feature_flags where id = ${id}`);
    const [before] = (await rows()).rows;
    for (const method of ["PATCH", "PUT"]) {
      const reply = await service.api(method, path, { key: "theirs", name: "theirs" });
      expect(reply.status).toBe(404);
    }
    expect((await rows()).rows).toEqual([before]);
  });

  it("tells other processes with the commit, and nothing of what was refused", async () => {
    const listening = await (service.db as unknown as { $client: pg.Pool }).$client.connect();
    try {
      const heard: [string, unknown][] = [];
      const end = new Promise<void>((resolve) => {
        listening.on("notification", ({ payload }) => {
          const [topic, value] = JSON.parse(payload ?? "[]");
          if (topic === "end") resolve();
          else heard.push([topic, value]);
        });
      });
      await listening.query("listen switchyard");
      const { id } = await flag();
      await service.api("PATCH", `${root}/${id}/`, { name: "told" });
      const refused = await service.api("PATCH", `${root}/${id}/`, { filters: { groups: [] } });
      expect(refused.status).toBe(400);
      // Notifications arrive in the order of their commits.
      await service.db.execute(sql`select pg_notify('switchyard', '["end", null]')`);
      await end;
      const told = [FLAGS_TOPIC, { project_id: 1, ids: [id] }];
      expect(heard.filter(([topic]) => topic === FLAGS_TOPIC)).toEqual([told, told]);
    } finally {
      listening.release(true);
    }
  });

  it("refuses to delete what other active flags depend on, naming them", async () => {
    const base = await flag();
    const row = { key: String(base.id), type: "flag", value: true, operator: "flag_evaluates_to" };
    const leaning = await flag({ filters: { groups: [{ properties: [row] }] } });
    const refused = await service.api("PATCH", `${root}/${base.id}/`, { deleted: true });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ code: "invalid_input", attr: null });
    expect(refused.json.detail).toContain(`${leaning.key} (ID: ${leaning.id})`);
    await service.api("PATCH", `${root}/${leaning.id}/`, { active: false });
    expect((await service.api("PATCH", `${root}/${base.id}/`, { deleted: true })).status).toBe(200);
  });

  it("refuses a circle, also when two writers close it from both ends at once", async () => {
    const [a, b] = [await flag(), await flag()];
    const on = (id: number) => ({
      filters: {
        groups: [
          { properties: [{ key: String(id), type: "flag", value: true, operator: "flag_evaluates_to" }] },
        ],
      },
    });
    const replies = await Promise.all([
      service.api("PATCH", `${root}/${a.id}/`, on(b.id)),
      service.api("PATCH", `${root}/${b.id}/`, on(a.id)),
    ]);
    expect(replies.map((r) => r.status).sort()).toEqual([200, 400]);
  });

  it("deletes softly and restores", async () => {
    const { id, key } = await flag();
    const deleted = await service.api("PATCH", `${root}/${id}/`, { deleted: true });
    expect(deleted.json).toMatchObject({ deleted: true, active: true, status: "DELETED" });
    expect((await service.api("GET", `${root}/?search=${key}`)).json.count).toBe(0);
    expect((await service.api("POST", `${root}/bulk_keys/`, { ids: [id] })).json).toEqual({ keys: {} });
    expect((await service.api("PATCH", `${root}/${id}/`, { deleted: false })).json.deleted).toBe(false);
    expect((await service.api("GET", `${root}/?search=${key}`)).json.count).toBe(1);
  });

  it("loses no update of twenty at once", async () => {
    const { id } = await flag();
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => service.api("PATCH", `${root}/${id}/`, { name: `n${i}` })),
    );
    expect((await service.api("GET", `${root}/${id}/`)).json.version).toBe(21);
    const log = await service.api("GET", `${root}/${id}/activity/?limit=100`);
    expect(log.json.total_count).toBe(21);
  });
});

describe("single records", () => {
  it("answers 405 without a body to every delete", async () => {
    for (const id of ["1", "999999", "nonsense"]) {
      const reply = await service.api("DELETE", `${root}/${id}/`);
      expect([reply.status, reply.text]).toEqual([405, ""]);
    }
  });

  it.each(["999999", "nonsense", "-1", "99999999999", "1.5"])("does not know the id %s", async (id) => {
    const reply = await service.api("GET", `${root}/${id}/`);
    expect(reply.status).toBe(404);
    expect(reply.json).toMatchObject({ type: "invalid_request", code: "not_found", attr: null });
  });

  it("serves both slash forms and @current", async () => {
    const { id } = await flag();
    for (const path of [`${root}/${id}`, `${root}/${id}/`, `/api/projects/@current/feature_flags/${id}`])
      expect((await service.api("GET", path)).json.id).toBe(id);
  });
});

describe("list", () => {
  it("pages with absolute addresses", async () => {
    for (let i = 0; i < 3; i++) await flag({ tags: ["paged"] });
    const tags = encodeURIComponent('["paged"]');
    const first = await service.api("GET", `${root}/?limit=2&tags=${tags}`);
    expect(Object.keys(first.json)).toEqual(["count", "next", "previous", "results"]);
    expect(first.json).toMatchObject({ count: 3, previous: null });
    expect(first.json.next).toMatch(/^http:\/\/switchyard\.test\/api\/projects\/1\/feature_flags\/\?/);
    const second = await service.api("GET", first.json.next.replace("http://switchyard.test", ""));
    expect(second.json.results).toHaveLength(1);
    expect(second.json.next).toBeNull();
    expect(second.json.previous).not.toBeNull();
    const ids = [...first.json.results, ...second.json.results].map((r: { id: number }) => r.id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });

  it.each([
    "limit=0",
    "limit=x",
    "offset=-1",
    "offset=x",
    "order=nonsense",
    "excluded_properties=x",
    "type=unknown",
  ])("takes %s leniently", async (query) => {
    expect((await service.api("GET", `${root}/?${query}`)).status).toBe(200);
  });

  it("filters", async () => {
    const mark = "filtered";
    const multi = { groups: [{}], multivariate: { variants: [{ key: "a", rollout_percentage: 100 }] } };
    const plain = await flag({ key: `${mark}-plain`, name: "Checkout PILOT", evaluation_runtime: "client" });
    const off = await flag({ key: `${mark}-off`, active: false });
    const many = await flag({ key: `${mark}-many`, filters: multi });
    const remote = await flag({ key: `${mark}-remote`, is_remote_configuration: true });
    const found = async (query: string) =>
      (await service.api("GET", `${root}/?${query}`)).json.results.map((r: { id: number }) => r.id);
    expect(await found(`search=${mark}&active=true`)).toEqual([remote.id, many.id, plain.id]);
    expect(await found(`search=${mark}&active=false`)).toEqual([off.id]);
    expect(await found(`search=${mark}&active=whatever`)).toEqual([off.id]);
    expect(await found(`search=${mark}&type=multivariant`)).toEqual([many.id]);
    expect(await found(`search=${mark}&type=boolean`)).toEqual([remote.id, off.id, plain.id]);
    expect(await found(`search=${mark}&type=remote_config`)).toEqual([remote.id]);
    expect(await found(`search=${mark}&type=experiment`)).toEqual([]);
    expect(await found("search=checkout+pilot")).toEqual([plain.id]);
    expect(await found(`search=${mark}&evaluation_runtime=client`)).toEqual([plain.id]);
    expect(await found(`search=${mark}&evaluation_runtime=both`)).toEqual([remote.id, many.id, off.id]);
    expect(await found(`search=${mark}&created_by_id=999`)).toEqual([]);
    expect(await found(`search=${mark}&created_by_id=${plain.created_by.id}`)).toHaveLength(4);
    const without = encodeURIComponent(JSON.stringify([plain.key, off.key]));
    expect(await found(`search=${mark}&excluded_properties=${without}`)).toEqual([remote.id, many.id]);
    expect(await found(`search=${mark}&order=key`)).toEqual([many.id, off.id, plain.id, remote.id]);
  });

  it("finds stale flags: old, and the same for everyone", async () => {
    const old = new Date(Date.now() - 40 * 86_400_000).toISOString();
    const everyone = { groups: [{ properties: [], rollout_percentage: 100 }] };
    const stale = await flag({ key: "stale-1", created_at: old, filters: everyone });
    await flag({ key: "stale-young", filters: everyone });
    await flag({ key: "stale-partial", created_at: old, filters: { groups: [{ rollout_percentage: 50 }] } });
    expect(stale.status).toBe("STALE");
    const { json } = await service.api("GET", `${root}/?active=STALE&search=stale-`);
    expect(json.results.map((r: { key: string }) => r.key)).toEqual(["stale-1"]);
    expect((await service.api("GET", `${root}/${stale.id}/status/`)).json).toMatchObject({ status: "stale" });
  });
});
