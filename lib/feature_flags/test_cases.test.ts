import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#lib/testing/service.ts";

let service: Service;
let id: number;
const root = "/api/projects/1/feature_flags";
const to = (plan: string) => ({
  groups: [
    {
      properties: [{ key: "plan", type: "person", operator: "exact", value: [plan] }],
      rollout_percentage: 100,
    },
  ],
});
const pro = { name: "Somebody on pro", distinct_id: "p", person_properties: { plan: "pro" }, expected: true };

beforeAll(async () => {
  service = await startService();
  id = (await service.api("POST", `${root}/`, { key: "reports", filters: to("pro") })).json.id;
});
afterAll(() => service.close());

const keep = (body: object, of = id) => service.api("POST", `${root}/${of}/test_cases/`, body);
const check = (body: object, of = id) => service.api("POST", `${root}/${of}/test_cases/check/`, body);

describe("test cases of a flag", () => {
  it("are kept, checked on what would be saved, logged and dropped", async () => {
    const made = await keep(pro);
    expect(made.status, made.text).toBe(201);
    expect(made.json).toMatchObject({ ...pro, groups: {}, group_properties: {} });
    expect((await check({})).json).toMatchObject({ passed: 1, failed: 0 });
    const changed = (await check({ filters: to("free") })).json;
    expect(changed).toMatchObject({ passed: 0, failed: 1 });
    expect(changed.results).toEqual([
      {
        id: made.json.id,
        name: pro.name,
        expected: true,
        value: false,
        passed: false,
        reason: "no_condition_match",
      },
    ]);
    expect((await check({ active: false })).json.results[0]).toMatchObject({ passed: false, value: false });

    const log = (await service.api("GET", `${root}/${id}/activity/`)).json.results[0];
    expect(log.detail.changes).toMatchObject([{ field: "test_cases", before: null, after: pro.name }]);
    const gone = await service.api("DELETE", `${root}/${id}/test_cases/${made.json.id}/`);
    expect(gone.status).toBe(204);
    expect((await service.api("GET", `${root}/${id}/test_cases/`)).json.count).toBe(0);
    expect((await service.api("DELETE", `${root}/${id}/test_cases/${made.json.id}/`)).status).toBe(404);
  });

  it("look at other flags and groups as the service does", async () => {
    const row = { key: String(id), type: "flag", operator: "flag_evaluates_to", value: true };
    const body = { key: "more", filters: { groups: [{ properties: [row], rollout_percentage: 100 }] } };
    const other = (await service.api("POST", `${root}/`, body)).json.id;
    await keep(pro, other);
    expect((await check({}, other)).json).toMatchObject({ passed: 1, failed: 0 });
  });

  it("are at most a hundred a flag", async () => {
    const flag = (await service.api("POST", `${root}/`, { key: "many" })).json.id;
    const statuses: number[] = [];
    for (let n = 0; n < 101; n++) statuses.push((await keep({ ...pro, name: `${n}` }, flag)).status);
    expect([statuses.filter((status) => status === 201).length, statuses.at(-1)]).toEqual([100, 400]);
  });

  it.each([
    ["no name", { ...pro, name: " " }, "name"],
    ["no id", { ...pro, distinct_id: "" }, "distinct_id"],
    ["a number to expect", { ...pro, expected: 1 }, "expected"],
    ["properties that are no object", { ...pro, person_properties: [] }, "person_properties"],
  ])("refuses %s", async (_, body, attr) => {
    const { status, json } = await keep(body);
    expect([status, json.attr]).toEqual([400, attr]);
  });

  it("answers 404 for a flag that is not there", async () => {
    expect((await keep(pro, 999_999)).status).toBe(404);
    expect((await check({}, 999_999)).status).toBe(404);
  });
});
