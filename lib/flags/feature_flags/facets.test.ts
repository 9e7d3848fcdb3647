import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
const root = "/api/projects/1/feature_flags";
const ids: Record<string, number> = {};

async function create(key: string, body: object = {}) {
  const reply = await service.api("POST", `${root}/`, { key, ...body });
  expect(reply.status, reply.text).toBe(201);
  ids[key] = reply.json.id;
}

const ifOn = (key: string) => ({
  groups: [
    { properties: [{ key: String(ids[key]), type: "flag", operator: "flag_evaluates_to", value: true }] },
  ],
});

beforeAll(async () => {
  service = await startService();
  await create("checkout", { tags: ["pay", "beta"] });
  await create("coupons", { tags: ["pay"], filters: ifOn("checkout") });
  await create("gone", { tags: ["beta", "old"], filters: ifOn("checkout"), active: false });
  await create("deeper", { filters: ifOn("coupons"), active: false });
  const deleted = await service.api("PATCH", `${root}/${ids.gone}/`, { deleted: true });
  expect(deleted.status, deleted.text).toBe(200);
});
afterAll(() => service.close());

describe("facets", () => {
  it("count the flags of the list by tag and by creator", async () => {
    const { json } = await service.api("GET", `${root}/facets/`);
    expect(json.tags).toEqual([
      { name: "beta", count: 1 },
      { name: "pay", count: 2 },
    ]);
    expect(json.creators).toEqual([expect.objectContaining({ id: 1, count: 3 })]);
  });

  it("agree with the list's own filters", async () => {
    const { json } = await service.api("GET", `${root}/facets/`);
    for (const { name, count } of json.tags) {
      const list = await service.api("GET", `${root}/?tags=${encodeURIComponent(JSON.stringify([name]))}`);
      expect(list.json.count, name).toBe(count);
    }
    for (const { id, count } of json.creators) {
      const list = await service.api("GET", `${root}/?created_by_id=${id}`);
      expect(list.json.count).toBe(count);
    }
  });
});

describe("dependents", () => {
  it("are the flags with a condition on the flag itself", async () => {
    const of = async (key: string) => (await service.api("GET", `${root}/${ids[key]}/dependents/`)).json;
    expect(await of("checkout")).toEqual([{ id: ids.coupons, key: "coupons", active: true }]);
    expect(await of("coupons")).toEqual([{ id: ids.deeper, key: "deeper", active: false }]);
    expect(await of("deeper")).toEqual([]);
  });

  it("of another project's flag are not found", async () => {
    const other = (await service.api("POST", "/api/projects/", { name: "Other" })).json.id;
    const reply = await service.api(
      "GET",
      `/api/projects/${other}/feature_flags/${ids.checkout}/dependents/`,
    );
    expect(reply.status).toBe(404);
  });
});
